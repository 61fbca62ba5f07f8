/* Glimpse and pointer with sixteen lanes, for the common size: eight heads of sixteen channels, one
 * state scalar. A line holds two channels of the eight heads. Included by kern_body.h where KERN_WIDE
 * is said; with other sizes the functions there are used. No include guard. */

enum { WIDE_WIDTH = 128, WIDE_LINES = WIDE_WIDTH / LINE_LANES };

/* ---- glimpse and point: see attend_... in kern_body.h ----
 *
 * Loops over the lines of a row are unrolled by pragma: else the compiler keeps their sums in memory. */
#ifdef __clang__
#define WIDE_UNROLL _Pragma("unroll")
#else
#define WIDE_UNROLL _Pragma("GCC unroll 16")
#endif

/* Attention of two list entries, before the exponential. */
INLINE line wide_score(const struct kern_tables *t, const real *score, line state,
                       const uint16_t *list)
{
    return line_both(vec_load(score + (size_t)list[0] * KERN_LANES),
                     vec_load(score + (size_t)list[1] * KERN_LANES)) +
           state * line_both(vec_load(t->slope + (size_t)list[0] * KERN_LANES),
                             vec_load(t->slope + (size_t)list[1] * KERN_LANES));
}

/* attend_weights for the common size, two entries a line. An odd last entry is done alone. */
INLINE vec wide_weights(real *weight, const struct kern_tables *t, int at, const real *state,
                        const uint16_t *list, int count, const real *extra)
{
    const real *score = t->score + (size_t)at * (size_t)t->n * KERN_LANES;
    line s = line_all(state[0]), even = line_all((real)-HUGE_VALF), odd = even;
    vec last = vec_all((real)-HUGE_VALF);
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        line x = wide_score(t, score, s, list + i), y = wide_score(t, score, s, list + i + 2);
        if (extra) {
            x += line_load(extra + (size_t)i * KERN_LANES);
            y += line_load(extra + (size_t)i * KERN_LANES + LINE_LANES);
        }
        line_store(weight + (size_t)i * KERN_LANES, x);
        line_store(weight + (size_t)i * KERN_LANES + LINE_LANES, y);
        even = line_max(even, x);
        odd = line_max(odd, y);
    }
    for (; i + 2 <= count; i += 2) {
        line x = wide_score(t, score, s, list + i);
        if (extra) x += line_load(extra + (size_t)i * KERN_LANES);
        line_store(weight + (size_t)i * KERN_LANES, x);
        even = line_max(even, x);
    }
    if (i < count)
        last = vec_load(score + (size_t)list[i] * KERN_LANES) +
               vec_all(state[0]) * vec_load(t->slope + (size_t)list[i] * KERN_LANES);
    if (i < count && extra) last += vec_load(extra + (size_t)i * KERN_LANES);
    even = line_max(even, odd);
    vec top = vec_max(vec_max(line_low(even), line_high(even)), last);
    line tops = line_twice(top), sum = line_all(0);
    for (i = 0; i + 2 <= count; i += 2) {
        line e = line_exp(line_load(weight + (size_t)i * KERN_LANES) - tops);
        line_store(weight + (size_t)i * KERN_LANES, e);
        sum += e;
    }
    vec total = line_fold(sum);
    if (i < count) {
        vec e = vec_exp(last - top);
        vec_store(weight + (size_t)i * KERN_LANES, e);
        total += e;
    }
    return vec_all(1) / total;
}

INLINE void wide_glimpse(real *glimpse, const real *weight, vec inverse,
                         const struct kern_tables *t, const uint16_t *list, int count)
{
    line sum[WIDE_LINES];
    WIDE_UNROLL for (int k = 0; k < WIDE_LINES; k++) sum[k] = line_all(0);
    for (int i = 0; i < count; i++) {
        const real *v = t->value + (size_t)list[i] * WIDE_WIDTH;
        line w = line_twice(vec_load(weight + (size_t)i * KERN_LANES));
        WIDE_UNROLL for (int k = 0; k < WIDE_LINES; k++) sum[k] +=
            w * line_load(v + k * LINE_LANES);
    }
    line scale = line_twice(inverse);
    WIDE_UNROLL for (int k = 0; k < WIDE_LINES; k++)
        line_store(glimpse + k * LINE_LANES, scale * sum[k]);
}

/* Lane k of the result is the sum of the lanes of p[k]. */
INLINE line line_sum16(const line p[16])
{
    line q[8], r[4], s[2];
    WIDE_UNROLL for (int k = 0; k < 8; k++) /* halves added: p[k], p[k + 8] */
        q[k] = __builtin_shufflevector(p[k], p[k + 8], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20,
                                       21, 22, 23) +
               __builtin_shufflevector(p[k], p[k + 8], 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27,
                                       28, 29, 30, 31);
    WIDE_UNROLL for (int k = 0; k < 4;
                     k++) /* p[k], p[k + 4], p[k + 8], p[k + 12], four lanes each */
        r[k] = __builtin_shufflevector(q[k], q[k + 4], 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24,
                                       25, 26, 27) +
               __builtin_shufflevector(q[k], q[k + 4], 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15,
                                       28, 29, 30, 31);
    WIDE_UNROLL for (int k = 0; k < 2; k++) /* p[k], p[k + 2], p[k + 4], ..., two lanes each */
        s[k] = __builtin_shufflevector(r[k], r[k + 2], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12,
                                       13, 28, 29) +
               __builtin_shufflevector(r[k], r[k + 2], 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27,
                                       14, 15, 30, 31);
    return __builtin_shufflevector(s[0], s[1], 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28,
                                   14, 30) +
           __builtin_shufflevector(s[0], s[1], 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29,
                                   15, 31);
}

/* glimpse . key of one node, not yet summed across the lanes */
INLINE line wide_dot(const line o[WIDE_LINES], const real *key)
{
    line sum = o[0] * line_load(key);
    WIDE_UNROLL for (int c = 1; c < WIDE_LINES; c++) sum += o[c] * line_load(key + c * LINE_LANES);
    return sum;
}

INLINE void wide_point(real *u, const real *glimpse, const struct kern_tables *t,
                       const uint16_t *list, int count)
{
    line o[WIDE_LINES];
    WIDE_UNROLL for (int c = 0; c < WIDE_LINES; c++) o[c] = line_load(glimpse + c * LINE_LANES);
    int i = 0;
    for (; count - i > 8; i += 16) {
        int last = count - i - 1;
        real part[16];
        line sum[16];
        WIDE_UNROLL for (int k = 0; k < 16; k++)
        {
            int j = list[i + (k < last ? k : last)];
            part[k] = t->bias[j];
            sum[k] = wide_dot(o, t->key + (size_t)j * WIDE_WIDTH);
        }
        line_store(u + i, line_all(t->scale) * (line_sum16(sum) + line_load(part)));
    }
    if (i < count) {
        int last = count - i - 1;
        real part[8];
        vec sum[8];
        WIDE_UNROLL for (int k = 0; k < 8; k++)
        {
            int j = list[i + (k < last ? k : last)];
            part[k] = t->bias[j];
            sum[k] = line_fold(wide_dot(o, t->key + (size_t)j * WIDE_WIDTH));
        }
        vec_store(u + i, vec_all(t->scale) * (vec_sum8(sum) + vec_load(part)));
    }
}

INLINE void wide_point_backward(real *dglimpse, const struct kern_tables *t, const real *du,
                                const uint16_t *list, int count)
{
    line sum[WIDE_LINES];
    for (int k = 0; k < WIDE_LINES; k++) sum[k] = line_all(0);
    for (int i = 0; i < count; i++) {
        const real *key = t->key + (size_t)list[i] * WIDE_WIDTH;
        line g = line_all(du[i]);
        for (int k = 0; k < WIDE_LINES; k++) sum[k] += g * line_load(key + k * LINE_LANES);
    }
    for (int k = 0; k < WIDE_LINES; k++)
        line_store(dglimpse + k * LINE_LANES, line_all(t->scale) * sum[k]);
}

INLINE void wide_key_backward(const struct kern_tables *d, const struct kern_tables *t,
                              const struct kern_visits *visits, const real *du, int stride,
                              const real *glimpse)
{
    for (int j = 0; j < t->n; j++) {
        const struct kern_visit *visit = visits->at + (size_t)j * KERN_ROWS;
        real *to = d->key + (size_t)j * WIDE_WIDTH, total = 0;
        line sum[WIDE_LINES];
        for (int k = 0; k < WIDE_LINES; k++) sum[k] = line_load(to + k * LINE_LANES);
        for (int i = 0; i < visits->count[j]; i++) {
            const real *o = glimpse + (size_t)visit[i].row * WIDE_WIDTH;
            real g = t->scale * du[(size_t)visit[i].row * (size_t)stride + visit[i].entry];
            line w = line_all(g);
            total += g;
            for (int k = 0; k < WIDE_LINES; k++) sum[k] += w * line_load(o + k * LINE_LANES);
        }
        d->bias[j] += total;
        for (int k = 0; k < WIDE_LINES; k++) line_store(to + k * LINE_LANES, sum[k]);
    }
}

INLINE void wide_glimpse_backward(const struct kern_tables *d, real *weight,
                                  const struct kern_tables *t, const real *glimpse,
                                  const real *dglimpse, int at, const real *state,
                                  const uint16_t *list, int count, real *dextra)
{
    line o[WIDE_LINES], both = line_all(0);
    vec total = vec_all(0);
    for (int c = 0; c < WIDE_LINES; c++) {
        o[c] = line_load(dglimpse + c * LINE_LANES);
        both += o[c] * line_load(glimpse + c * LINE_LANES);
    }
    for (int i = 0; i < count; i++) total += vec_load(weight + (size_t)i * KERN_LANES);
    vec mean = line_fold(both), inverse = vec_all(1) / total;
    for (int i = 0; i < count; i++) {
        const real *v = t->value + (size_t)list[i] * WIDE_WIDTH;
        real *w = weight + (size_t)i * KERN_LANES;
        line even = line_all(0), odd = line_all(0);
        for (int c = 0; c < WIDE_LINES; c += 2) {
            even += o[c] * line_load(v + c * LINE_LANES);
            odd += o[c + 1] * line_load(v + (c + 1) * LINE_LANES);
        }
        vec p = vec_load(w) * inverse;
        vec_store(w, p);
        vec dx = p * (line_fold(even + odd) - mean);
        if (dextra) vec_store(dextra + (size_t)i * KERN_LANES, not_faint(dx));
        attend_score_backward(d, dx, at, list[i], state, KERN_LANES, 0, 1);
    }
}

INLINE void wide_value_backward(const struct kern_tables *d, const struct kern_visits *visits,
                                const real *p, const real *dglimpse)
{
    size_t cells = (size_t)d->n * KERN_LANES;
    for (int j = 0; j < d->n; j++) {
        const struct kern_visit *visit = visits->at + (size_t)j * KERN_ROWS;
        real *to = d->value + (size_t)j * WIDE_WIDTH;
        line sum[WIDE_LINES];
        for (int k = 0; k < WIDE_LINES; k++) sum[k] = line_load(to + k * LINE_LANES);
        for (int i = 0; i < visits->count[j]; i++) {
            size_t row = visit[i].row, entry = visit[i].entry;
            line w = line_twice(vec_load(p + row * cells + entry * KERN_LANES));
            const real *o = dglimpse + row * WIDE_WIDTH;
            for (int k = 0; k < WIDE_LINES; k++) sum[k] += w * line_load(o + k * LINE_LANES);
        }
        for (int k = 0; k < WIDE_LINES; k++) line_store(to + k * LINE_LANES, sum[k]);
    }
}
