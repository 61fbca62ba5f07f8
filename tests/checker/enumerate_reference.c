/* Every plan of a few customers, judged by the definition. */
#include "enumerate.h"

#include <math.h>
#include <string.h>

/* ---- the instance ---- */

static double leg_length(const struct small *s, int i, int j)
{
    if (s->has_cost) return s->cost[i * s->n + j];
    double dx = s->x[i] - s->x[j], dy = s->y[i] - s->y[j], length = sqrt(dx * dx + dy * dy);
    return s->is_rounded ? floor(length + 0.5) : length;
}

static double leg_time(const struct small *s, int i, int j)
{
    if (s->has_duration) return s->duration[i * s->n + j];
    return s->speed > 0.0 ? leg_length(s, i, j) / s->speed : leg_length(s, i, j);
}

static int is_whole(const double *v, int n)
{
    for (int i = 0; i < n; i++)
        if (v[i] != floor(v[i])) return 0;
    return 1;
}

/* Whole loads are compared exactly, others within a billionth of the largest, at most a millionth. */
static double granted_load(const struct small *s, double total)
{
    int is_exact = is_whole(s->demand, s->n) && s->capacity == floor(s->capacity) &&
                   (!s->has_limits || is_whole(s->limit, s->n));
    double largest = s->capacity > total ? s->capacity : total;
    return is_exact ? 0.0 : fmin(1e-9 * largest, 1e-6);
}

void rules_of(struct rules *r, const struct small *s, double tolerance)
{
    memset(r, 0, sizeof *r);
    r->s = s;
    r->tolerance = tolerance;
    for (int i = 0; i < s->n; i++) {
        if (s->has_loads && i > 0) r->total += s->demand[i];
        for (int j = 0; j < s->n; j++) {
            if (i == j) continue;
            r->cost[i][j] = leg_length(s, i, j);
            r->time[i][j] = leg_time(s, i, j);
            r->is_blocked[i][j] = isinf(r->cost[i][j]) || isinf(r->time[i][j]);
        }
    }
    if (s->has_loads) r->load_tolerance = granted_load(s, r->total);
    int is_tour = strcmp(s->problem, "tsptw") == 0 || strcmp(s->problem, "tspdl") == 0;
    r->fleet = is_tour ? 1 : s->vehicles;
}

/* ---- a vehicle under way ---- */

struct vehicle {
    int at;
    double time, load, cost; /* cost: of the plan so far */
};

static struct vehicle start(const struct rules *r, double cost)
{
    return (struct vehicle){.time = r->s->has_windows ? r->s->ready[0] : 0.0, .cost = cost};
}

/* To a customer; 0: against the rules. */
static int visit(const struct rules *r, struct vehicle *v, int j)
{
    const struct small *s = r->s;
    int i = v->at;
    v->at = j;
    if (r->is_blocked[i][j]) return 0;
    v->cost += r->cost[i][j];
    v->time += r->time[i][j];
    int is_good = 1;
    if (s->has_windows) {
        if (v->time < s->ready[j]) v->time = s->ready[j];
        is_good = !(v->time - s->due[j] > r->tolerance);
    }
    if (s->has_setup && s->place[i] != s->place[j]) v->time += s->setup[j];
    if (s->has_service) v->time += s->service[j];
    if (!s->has_loads) return is_good;
    double before = v->load;
    v->load += s->demand[j];
    if (s->has_limits) {
        double draft = s->is_unloading ? r->total - before : v->load;
        return is_good && !(draft - s->limit[j] > r->load_tolerance);
    }
    double unfit = fmin(v->load - s->capacity, s->demand[j]); /* of this customer's demand */
    return is_good && !(unfit > r->load_tolerance);
}

static int go_home(const struct rules *r, struct vehicle *v)
{
    const struct small *s = r->s;
    int i = v->at;
    v->at = 0;
    if (r->is_blocked[i][0]) return 0;
    v->cost += r->cost[i][0];
    v->time += r->time[i][0];
    if (s->has_limits && r->total - s->limit[0] > r->load_tolerance) return 0;
    return !(s->has_windows && v->time - s->due[0] > r->tolerance);
}

/* ---- one plan ---- */

struct verdict rules_judge(const struct rules *r, const int32_t *plan, size_t len)
{
    struct verdict out = {.is_feasible = 1};
    struct vehicle v = start(r, 0.0);
    int routes = 0, seen[SMALL_NODES] = {0}, is_out = 0;
    for (size_t k = 0; k <= len; k++) {
        int node = k < len ? plan[k] : 0;
        if (node != 0) {
            if (!is_out) v = start(r, v.cost), routes++;
            is_out = 1;
            if (seen[node]++) out.is_feasible = 0;
            if (!visit(r, &v, node)) out.is_feasible = 0;
        } else if (is_out) {
            is_out = 0;
            if (!go_home(r, &v)) out.is_feasible = 0;
        }
    }
    for (int i = 1; i < r->s->n; i++)
        if (!seen[i]) out.is_feasible = 0;
    if (r->fleet > 0 && routes > r->fleet) out.is_feasible = 0;
    out.cost = v.cost;
    return out;
}

/* ---- all plans ---- */

struct trial {
    const struct rules *r;
    struct answer *out;
    int32_t plan[SMALL_PLAN];
    size_t len;
    int left; /* customers */
    int seen[SMALL_NODES];
};

static void note(struct trial *t, double cost)
{
    struct answer *a = t->out;
    a->plans++;
    int is_new = !a->is_feasible || fabs(cost - a->best) > 1e-9 * a->best;
    if (is_new && a->is_feasible) {
        double other = cost > a->best ? cost : a->best;
        if (other < a->second) a->second = other;
    }
    if (!a->is_feasible || cost < a->best) {
        a->best = cost;
        memcpy(a->plan, t->plan, sizeof a->plan);
        a->len = t->len;
    }
    if (!a->is_feasible || cost > a->worst) {
        a->worst = cost;
        memcpy(a->bad, t->plan, sizeof a->bad);
        a->bad_len = t->len;
    }
    a->is_feasible = 1;
}

static void go_on(struct trial *t, const struct vehicle *v, int route, int first);

static void finish_route(struct trial *t, struct vehicle v, int route, int first)
{
    if (!go_home(t->r, &v)) return;
    if (t->left == 0) {
        note(t, v.cost);
        return;
    }
    if (t->r->fleet > 0 && route == t->r->fleet) return;
    t->plan[t->len++] = 0;
    v = start(t->r, v.cost);
    go_on(t, &v, route + 1, first);
    t->len--;
}

/* Routes come in ascending order of their first customers: each plan once. */
static void go_on(struct trial *t, const struct vehicle *v, int route, int first)
{
    for (int j = 1; j < t->r->s->n; j++) {
        if (t->seen[j] || (v->at == 0 && j < first)) continue;
        struct vehicle next = *v;
        if (!visit(t->r, &next, j)) continue;
        t->seen[j] = 1;
        t->plan[t->len++] = j;
        t->left--;
        int head = v->at == 0 ? j : first;
        finish_route(t, next, route, head);
        if (t->left > 0) go_on(t, &next, route, head);
        t->left++;
        t->len--;
        t->seen[j] = 0;
    }
}

void rules_try_all(const struct rules *r, struct answer *a)
{
    struct trial t = {.r = r, .out = a, .left = r->s->n - 1};
    struct vehicle v = start(r, 0.0);
    memset(a, 0, sizeof *a);
    a->second = HUGE_VAL;
    go_on(&t, &v, 1, 0);
}
