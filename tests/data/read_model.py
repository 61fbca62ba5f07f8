"""Reads a model file by hand, as a stranger would: "name dtype shape first last sum" per tensor.

Written from the description in docs/model.md; uses nothing of ucpo. Exit 77: no numpy.
"""
import json
import struct
import sys

try:
    import numpy
except ImportError:
    sys.exit(77)

with open(sys.argv[1], "rb") as file:
    content = file.read()
(length,) = struct.unpack("<Q", content[:8])
header = json.loads(content[8 : 8 + length])
data = content[8 + length :]
assert (8 + length) % 64 == 0
meta = header.pop("__metadata__")
assert all(isinstance(value, str) for value in meta.values())
arch = json.loads(meta["arch"])
print("meta", meta["format"], meta["problem"], arch["width"], arch["norm"], meta["train.sizes"])
types = {"F32": "<f4", "F16": "<f2"}
for name, entry in header.items():
    begin, end = entry["data_offsets"]
    array = numpy.frombuffer(data[begin:end], types[entry["dtype"]]).reshape(entry["shape"])
    flat = array.astype("f8").ravel()
    shape = "x".join(map(str, entry["shape"]))
    print(name, entry["dtype"], shape, repr(float(flat[0])), repr(float(flat[-1])), repr(float(flat.sum())))
