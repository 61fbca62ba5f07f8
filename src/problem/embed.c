/* Classical multidimensional scaling: coordinates from a matrix of distances (Torgerson, 1952).
 *
 * With S the squared, symmetrised distances and J the centring I - 11'/n, B = -J S J / 2 holds the
 * inner products of the points around their centre, if there are such points. Its two leading
 * eigenvectors, times the roots of their eigenvalues, are the best picture in the plane. Matrices of
 * roads also give negative eigenvalues, maybe large ones: B is shifted by the most negative one
 * first, so that iterating finds the largest and not the largest in magnitude. */
#include "core/stop.h"
#include "problem/problem.h"

#include <math.h>
#include <stdlib.h>

enum { PROBE_ROUNDS = 30, ROUNDS = 120 };

struct scaling {
    size_t n;
    double *square;  /* n x n */
    double *row;     /* n: means of its rows */
    double mean;     /* of all */
    double *v[2];    /* n each: the eigenvectors */
    double *w[2];    /* n each */
    double value[2]; /* eigenvalues */
    const struct stop *stop;
    struct arena arena;
};

static void lay_out(struct scaling *s)
{
    struct arena *a = &s->arena;
    s->square = arena_take(a, s->n * s->n, sizeof(double));
    s->row = arena_take(a, s->n, sizeof(double));
    for (int k = 0; k < 2; k++) {
        s->v[k] = arena_take(a, s->n, sizeof(double));
        s->w[k] = arena_take(a, s->n, sizeof(double));
    }
}

/* ---- forbidden arcs ----
 *
 * Matrices say "no way" by a huge number, and one such entry would leave room for nothing else in the
 * picture. Where distances obey the triangle inequality none is longer than a spanning tree, so what
 * is longer than the shortest spanning tree says no distance. */

/* Length of the shortest spanning tree (Prim) of the longer, or shorter, of both directions. */
static double tree_length(const struct scaling *s, const struct ucpo_instance *inst,
                          int takes_longer)
{
    double *near = s->v[0], *is_in = s->w[0], sum = 0.0;
    size_t at = 0;
    for (size_t i = 0; i < s->n; i++) near[i] = HUGE_VAL, is_in[i] = 0.0;
    for (size_t count = 1; count < s->n && !stop_is_asked(s->stop); count++) {
        size_t next = 0;
        is_in[at] = 1.0;
        for (size_t j = 0; j < s->n; j++) {
            if (is_in[j] > 0.0) continue;
            double there = ucpo_instance_cost(inst, (int32_t)at, (int32_t)j);
            double back = ucpo_instance_cost(inst, (int32_t)j, (int32_t)at);
            near[j] = fmin(near[j], takes_longer ? fmax(there, back) : fmin(there, back));
            if (next == 0 || near[j] < near[next]) next = j;
        }
        sum += near[next];
        at = next;
    }
    return sum;
}

/* What no distance exceeds. If the longer directions leave no tree without a forbidden arc, the shorter
 * ones may. */
static double longest_distance(const struct scaling *s, const struct ucpo_instance *inst)
{
    double longer = tree_length(s, inst, 1), shorter = tree_length(s, inst, 0);
    double bound = longer > 100.0 * shorter && shorter > 0.0 ? shorter : longer;
    return bound * (1.0 + 1e-9);
}

/* The mean of both directions, or the one that is allowed, or a negative number. */
static double distance(const struct ucpo_instance *inst, size_t i, size_t j, double bound)
{
    double there = ucpo_instance_cost(inst, (int32_t)i, (int32_t)j);
    double back = ucpo_instance_cost(inst, (int32_t)j, (int32_t)i);
    if (there <= bound && back <= bound) return 0.5 * (there + back);
    return there <= bound ? there : back <= bound ? back : -1.0;
}

/* The shortest way between i and j by a third node, at most `bound`. */
static double by_third_node(const struct scaling *s, size_t i, size_t j, double bound)
{
    size_t n = s->n;
    double best = bound;
    for (size_t k = 0; k < n; k++) {
        double a = s->square[(i > k ? i : k) * n + (i > k ? k : i)];
        double b = s->square[(j > k ? j : k) * n + (j > k ? k : j)];
        if (k != i && k != j && a >= 0.0 && b >= 0.0) best = fmin(best, a + b);
    }
    return best;
}

/* Pairs without a way get the shortest one by a third node, if there are few of them. */
static void fill_gaps(struct scaling *s, double bound, size_t gaps)
{
    size_t n = s->n;
    int is_searched = (double)gaps * (double)n < 1e8;
    for (size_t i = 0; i < n && !stop_is_asked(s->stop); i++) {
        for (size_t j = 0; j < i; j++) {
            if (s->square[i * n + j] >= 0.0) continue;
            /* the other half stays a gap: no way by a way just found */
            s->square[j * n + i] = is_searched ? by_third_node(s, i, j, bound) : bound;
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (s->square[i * n + j] < 0.0) s->square[i * n + j] = s->square[j * n + i];
}

/* Squared distances over the square of the largest, so that nothing overflows. */
static void fill(struct scaling *s, const struct ucpo_instance *inst)
{
    size_t n = s->n, gaps = 0;
    double largest = 0.0, bound = longest_distance(s, inst);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double d = i == j ? 0.0 : distance(inst, i, j, bound);
            s->square[i * n + j] = d;
            gaps += d < 0.0;
        }
    }
    if (gaps > 0) fill_gaps(s, bound, gaps);
    for (size_t k = 0; k < n * n; k++) largest = fmax(largest, s->square[k]);
    s->mean = 0.0;
    for (size_t i = 0; i < n; i++) {
        s->row[i] = 0.0;
        for (size_t j = 0; j < n; j++) {
            double d = largest > 0.0 ? s->square[i * n + j] / largest : 0.0;
            s->square[i * n + j] = d * d;
            s->row[i] += d * d / (double)n;
        }
        s->mean += s->row[i] / (double)n;
    }
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* out = sign * B v + shift * v */
static void multiply(const struct scaling *s, double sign, double shift, const double *v,
                     double *out)
{
    double total = 0.0, weighted = dot(s->row, v, s->n);
    for (size_t i = 0; i < s->n; i++) total += v[i];
    for (size_t i = 0; i < s->n; i++) {
        double product = dot(s->square + i * s->n, v, s->n);
        double centred = product - s->row[i] * total - weighted + s->mean * total;
        out[i] = sign * -0.5 * centred + shift * v[i];
    }
}

/* Length 1, or 0 if there is nothing left of it. */
static double normalise(double *v, size_t n)
{
    double length = sqrt(dot(v, v, n));
    for (size_t i = 0; i < n; i++) v[i] = length > 1e-12 ? v[i] / length : 0.0;
    return length;
}

static void start(double *v, size_t n, uint64_t index)
{
    struct rng rng = rng_at(1, RNG_SEARCH, index);
    for (size_t i = 0; i < n; i++) v[i] = rng_normal(&rng);
    normalise(v, n);
}

/* The eigenvalue of sign B + shift of the largest magnitude, roughly. */
static double probe(struct scaling *s, double sign, double shift)
{
    double value = 0.0;
    start(s->v[0], s->n, 0);
    for (int round = 0; round < PROBE_ROUNDS && !stop_is_asked(s->stop); round++) {
        multiply(s, sign, shift, s->v[0], s->w[0]);
        value = dot(s->v[0], s->w[0], s->n);
        double *swap = s->v[0];
        s->v[0] = s->w[0];
        s->w[0] = swap;
        normalise(s->v[0], s->n);
    }
    return value;
}

/* Rayleigh and Ritz: turns the two vectors into the eigenvectors of B in their plane. */
static void turn(struct scaling *s)
{
    for (int k = 0; k < 2; k++) multiply(s, 1.0, 0.0, s->v[k], s->w[k]);
    double a = dot(s->v[0], s->w[0], s->n), b = dot(s->v[0], s->w[1], s->n);
    double c = dot(s->v[1], s->w[1], s->n), angle = 0.5 * atan2(2.0 * b, a - c);
    double cosine = cos(angle), sine = sin(angle);
    for (size_t i = 0; i < s->n; i++) {
        double x = s->v[0][i], y = s->v[1][i];
        s->v[0][i] = cosine * x + sine * y;
        s->v[1][i] = cosine * y - sine * x;
    }
    s->value[0] = cosine * cosine * a + 2.0 * sine * cosine * b + sine * sine * c;
    s->value[1] = a + c - s->value[0];
}

static void iterate(struct scaling *s)
{
    double top = probe(s, 1.0, 0.0), base = fmax(top, 0.0);
    double lowest = base - probe(s, -1.0, base); /* of B: base - B has no larger eigenvalue */
    double shift = fmax(0.0, -lowest);
    start(s->v[0], s->n, 1);
    start(s->v[1], s->n, 2);
    for (int round = 0; round < ROUNDS && !stop_is_asked(s->stop); round++) {
        for (int k = 0; k < 2; k++) {
            multiply(s, 1.0, shift, s->v[k], s->w[k]);
            double *swap = s->v[k];
            s->v[k] = s->w[k];
            s->w[k] = swap;
        }
        normalise(s->v[0], s->n);
        double length = normalise(s->v[1], s->n);
        for (int again = 0; again < 2 && length > 1e-12; again++) { /* twice is enough */
            double along = dot(s->v[0], s->v[1], s->n);
            for (size_t i = 0; i < s->n; i++) s->v[1][i] -= along * s->v[0][i];
            if (normalise(s->v[1], s->n) < 1e-9)
                for (size_t i = 0; i < s->n; i++) s->v[1][i] = 0.0;
        }
    }
    turn(s);
}

/* The entry of the largest magnitude becomes positive: a sign for each axis. */
static double sign_of(const double *v, size_t n)
{
    double largest = 0.0;
    for (size_t i = 0; i < n; i++)
        if (fabs(v[i]) > fabs(largest) * (1.0 + 1e-9)) largest = v[i];
    return largest < 0.0 ? -1.0 : 1.0;
}

static void write_square(const struct scaling *s, float *xy)
{
    double low[2], span = 0.0, factor[2];
    for (int k = 0; k < 2; k++) {
        factor[k] = sign_of(s->v[k], s->n) * sqrt(fmax(s->value[k], 0.0));
        double high = low[k] = factor[k] * s->v[k][0];
        for (size_t i = 1; i < s->n; i++) {
            low[k] = fmin(low[k], factor[k] * s->v[k][i]);
            high = fmax(high, factor[k] * s->v[k][i]);
        }
        span = fmax(span, high - low[k]);
    }
    for (size_t i = 0; i < s->n; i++)
        for (int k = 0; k < 2; k++)
            xy[2 * i + (size_t)k] =
                span > 1e-9 ? (float)((factor[k] * s->v[k][i] - low[k]) / span) : 0.5f;
}

ucpo_status embed_matrix(const struct ucpo_instance *inst, const struct stop *stop, float *xy,
                         ucpo_error *err)
{
    struct scaling s = {.n = (size_t)inst->data.n, .stop = stop};
    lay_out(&s);
    ucpo_status st = arena_reserve(&s.arena, err);
    if (st) return st;
    lay_out(&s);
    fill(&s, inst);
    iterate(&s);
    if (stop_is_asked(stop))
        st = status_fail(err, UCPO_E_CANCELLED, "stopped while coordinates were made");
    else
        write_square(&s, xy);
    arena_free(&s.arena);
    return st;
}

ucpo_status embed_instance(const struct ucpo_instance *inst, struct ucpo_instance **out,
                           ucpo_error *err)
{
    size_t n = (size_t)inst->data.n;
    float *xy = mem_zeroed(2 * n, sizeof *xy);
    double *place = mem_zeroed(2 * n, sizeof *place);
    ucpo_status st = xy && place ? embed_matrix(inst, NULL, xy, err)
                                 : status_no_memory(err, 2 * n * sizeof *place);
    for (size_t i = 0; !st && i < n; i++) {
        place[i] = (double)xy[2 * i] * inst->data.unit;
        place[n + i] = (double)xy[2 * i + 1] * inst->data.unit;
    }
    ucpo_instance_data data = inst->data;
    data.x = place;
    data.y = place + n;
    data.metric = UCPO_METRIC_EUCLID;
    data.rounding = UCPO_ROUND_NONE;
    if (!st) st = ucpo_instance_create(&data, out, err);
    free(xy);
    free(place);
    return st;
}
