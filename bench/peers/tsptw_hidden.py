# TSPTW around a hidden tour, so that a plan is known: tsptw_hidden.py NODES WIDTH NUMBER > instance.json
import json, random, math, sys
def make(n, width, seed, side=100.0):
    r = random.Random(seed)
    x=[round(r.uniform(0,side),3) for _ in range(n)]; y=[round(r.uniform(0,side),3) for _ in range(n)]
    left=set(range(1,n)); at=0; t=0.0; ready=[0.0]*n; due=[0.0]*n
    while left:
        near=sorted(left,key=lambda j:math.hypot(x[at]-x[j],y[at]-y[j]))[:2]
        j=near[-1] if len(near)>1 and r.random()<.5 else near[0]
        t+=math.hypot(x[at]-x[j],y[at]-y[j]); at=j; left.remove(j)
        a=r.uniform(0,width); ready[j]=max(0,round(t-a,3)); due[j]=round(t+width-a,3)
    due[0]=round(t+10*side,3)
    return x,y,ready,due
if __name__=="__main__":
    n=int(sys.argv[1]); w=float(sys.argv[2]); seed=int(sys.argv[3])
    x,y,ready,due=make(n,w,seed)
    print(json.dumps({"schema":"ucpo.instance/1","problem":"tsptw","n":n,"coordinates":list(map(list,zip(x,y))),"time_windows":list(map(list,zip(ready,due))),"unit":100,"tolerance":0.001}))
