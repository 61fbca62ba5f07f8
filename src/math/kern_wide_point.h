/* Second part of kern_wide.h. No include guard. */

/* ---- glimpse and point: see attend_... in kern_body.h ---- */

INLINE void wide_glimpse(real *glimpse, const real *weight, const real *inverse,
                         const struct kern_tables *t, const uint16_t *list, int count)
{
    wide sum[WIDE_VECTORS];
    for (int k = 0; k < WIDE_VECTORS; k++) sum[k] = wide_all(0);
    for (int i = 0; i < count; i++) {
        const real *v = t->value + (size_t)list[i] * WIDE_WIDTH;
        wide w = wide_twice(vec_load(weight + (size_t)i * WIDE_HALF));
        for (int k = 0; k < WIDE_VECTORS; k++) sum[k] += w * wide_load(v + k * WIDE);
    }
    wide scale = wide_twice(vec_load(inverse));
    for (int k = 0; k < WIDE_VECTORS; k++) wide_store(glimpse + k * WIDE, scale * sum[k]);
}

INLINE void wide_point(real *u, const real *glimpse, const struct kern_tables *t,
                       const uint16_t *list, int count)
{
    wide o[WIDE_VECTORS];
    for (int c = 0; c < WIDE_VECTORS; c++) o[c] = wide_load(glimpse + c * WIDE);
    for (int i = 0; i < count; i += 8) {
        int some = count - i < 8 ? count - i : 8;
        real part[8] = {0};
        vec sum[8];
        for (int k = 0; k < 8; k++) {
            int j = list[k < some ? i + k : i];
            const real *key = t->key + (size_t)j * WIDE_WIDTH;
            wide even = wide_all(0), odd = wide_all(0);
            for (int c = 0; c < WIDE_VECTORS; c += 2) {
                even += o[c] * wide_load(key + c * WIDE);
                odd += o[c + 1] * wide_load(key + (c + 1) * WIDE);
            }
            part[k] = t->bias[j];
            sum[k] = wide_fold(even + odd);
        }
        vec_store(u + i, vec_all(t->scale) * (vec_sum8(sum) + vec_load(part)));
    }
}

INLINE void wide_point_backward(real *dglimpse, const struct kern_tables *t, const real *du,
                                const uint16_t *list, int count)
{
    wide sum[WIDE_VECTORS];
    for (int k = 0; k < WIDE_VECTORS; k++) sum[k] = wide_all(0);
    for (int i = 0; i < count; i++) {
        const real *key = t->key + (size_t)list[i] * WIDE_WIDTH;
        wide g = wide_all(du[i]);
        for (int k = 0; k < WIDE_VECTORS; k++) sum[k] += g * wide_load(key + k * WIDE);
    }
    for (int k = 0; k < WIDE_VECTORS; k++)
        wide_store(dglimpse + k * WIDE, wide_all(t->scale) * sum[k]);
}

INLINE void wide_key_backward(const struct kern_tables *d, const struct kern_tables *t,
                              const struct kern_visits *visits, const real *du, int stride,
                              const real *glimpse)
{
    for (int j = 0; j < t->n; j++) {
        const struct kern_visit *visit = visits->at + (size_t)j * KERN_ROWS;
        real *to = d->key + (size_t)j * WIDE_WIDTH, total = 0;
        wide sum[WIDE_VECTORS];
        for (int k = 0; k < WIDE_VECTORS; k++) sum[k] = wide_load(to + k * WIDE);
        for (int i = 0; i < visits->count[j]; i++) {
            const real *o = glimpse + (size_t)visit[i].row * WIDE_WIDTH;
            real g = t->scale * du[(size_t)visit[i].row * (size_t)stride + visit[i].entry];
            wide w = wide_all(g);
            total += g;
            for (int k = 0; k < WIDE_VECTORS; k++) sum[k] += w * wide_load(o + k * WIDE);
        }
        d->bias[j] += total;
        for (int k = 0; k < WIDE_VECTORS; k++) wide_store(to + k * WIDE, sum[k]);
    }
}

INLINE void wide_glimpse_backward(const struct kern_tables *d, real *weight,
                                  const struct kern_tables *t, const real *glimpse,
                                  const real *dglimpse, int at, const real *state,
                                  const uint16_t *list, int count)
{
    wide o[WIDE_VECTORS], both = wide_all(0);
    vec total = vec_all(0);
    for (int c = 0; c < WIDE_VECTORS; c++) {
        o[c] = wide_load(dglimpse + c * WIDE);
        both += o[c] * wide_load(glimpse + c * WIDE);
    }
    for (int i = 0; i < count; i++) total += vec_load(weight + (size_t)i * WIDE_HALF);
    vec mean = wide_fold(both), inverse = vec_all(1) / total;
    for (int i = 0; i < count; i++) {
        const real *v = t->value + (size_t)list[i] * WIDE_WIDTH;
        real *w = weight + (size_t)i * WIDE_HALF;
        wide even = wide_all(0), odd = wide_all(0);
        for (int c = 0; c < WIDE_VECTORS; c += 2) {
            even += o[c] * wide_load(v + c * WIDE);
            odd += o[c + 1] * wide_load(v + (c + 1) * WIDE);
        }
        vec p = vec_load(w) * inverse;
        vec_store(w, p);
        attend_score_backward(d, p * (wide_fold(even + odd) - mean), at, list[i], state, WIDE_HALF,
                              0, 1);
    }
}

INLINE void wide_value_backward(const struct kern_tables *d, const struct kern_visits *visits,
                                const real *p, const real *dglimpse)
{
    size_t cells = (size_t)d->n * WIDE_HALF;
    for (int j = 0; j < d->n; j++) {
        const struct kern_visit *visit = visits->at + (size_t)j * KERN_ROWS;
        real *to = d->value + (size_t)j * WIDE_WIDTH;
        wide sum[WIDE_VECTORS];
        for (int k = 0; k < WIDE_VECTORS; k++) sum[k] = wide_load(to + k * WIDE);
        for (int i = 0; i < visits->count[j]; i++) {
            size_t row = visit[i].row, entry = visit[i].entry;
            wide w = wide_twice(vec_load(p + row * cells + entry * WIDE_HALF));
            const real *o = dglimpse + row * WIDE_WIDTH;
            for (int k = 0; k < WIDE_VECTORS; k++) sum[k] += w * wide_load(o + k * WIDE);
        }
        for (int k = 0; k < WIDE_VECTORS; k++) wide_store(to + k * WIDE, sum[k]);
    }
}
