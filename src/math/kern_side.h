/* Part of kern_body.h: a small network on many entries, see side_forward in kern.h. No include guard. */

enum { SIDE_UNITS = 4, SIDE_BLOCK = 64 }; /* hidden units at once; entries whose units are kept */

INLINE vec vec_relu(vec x)
{
    return vec_max(x, vec_all(0));
}

/* x where by is above 0, else 0 */
INLINE vec vec_where_positive(vec x, vec by)
{
    return (vec)((__typeof__(by > by))x & (by > vec_all(0)));
}

INLINE vec vec_of_floats(const float *p)
{
    vec v;
#ifdef UCPO_REAL_DOUBLE
    for (int i = 0; i < KERN_LANES; i++) v[i] = (real)p[i];
#else
    v = vec_load(p);
#endif
    return v;
}

static void side_shape(real *phi, size_t stride, const float *raw, size_t raw_stride,
                       const int *source, const int *is_squashed, const float *scale, int features,
                       int count)
{
    for (int f = 0; f < features; f++) {
        const float *from = raw + (size_t)source[f] * raw_stride;
        real *to = phi + (size_t)f * stride;
        vec by = vec_all((real)scale[f]), inverse = vec_all(1 / (real)scale[f]);
        for (int i = 0; i < count && is_squashed[f]; i += KERN_LANES) {
            vec x = vec_of_floats(from + i);
            vec_store(to + i, x / (vec_max(x, -x) + by));
        }
        for (int i = 0; i < count && !is_squashed[f]; i += KERN_LANES) {
            vec x = vec_of_floats(from + i) * inverse;
            vec_store(to + i, -vec_max(-vec_max(x, vec_all(-4)), vec_all(-4)));
        }
    }
}

/* unit[k] = W1 phi + b1 of SIDE_UNITS hidden units from `h` on, for `vectors` vectors of entries */
INLINE void side_units(vec unit[][2], const real *phi, size_t stride, const real *par, int features,
                       int hidden, int h, int vectors)
{
    const real *w = par + h * features, *b = par + hidden * features + h;
    for (int k = 0; k < SIDE_UNITS; k++)
        for (int v = 0; v < vectors; v++) unit[k][v] = vec_all(b[k]);
    for (int f = 0; f < features; f++) {
        vec x[2];
        for (int v = 0; v < vectors; v++)
            x[v] = vec_load(phi + (size_t)f * stride + (size_t)v * KERN_LANES);
        for (int k = 0; k < SIDE_UNITS; k++)
            for (int v = 0; v < vectors; v++) unit[k][v] += vec_all(w[k * features + f]) * x[v];
    }
}

INLINE void side_forward_some(real *out, const real *phi, size_t stride, const real *par,
                              int features, int hidden, int vectors)
{
    const real *w2 = par + hidden * (features + 1);
    vec sum[2] = {vec_all(0), vec_all(0)};
    for (int h = 0; h < hidden; h += SIDE_UNITS) {
        vec unit[SIDE_UNITS][2];
        side_units(unit, phi, stride, par, features, hidden, h, vectors);
        for (int k = 0; k < SIDE_UNITS; k++)
            for (int v = 0; v < vectors; v++) sum[v] += vec_all(w2[h + k]) * vec_relu(unit[k][v]);
    }
    for (int v = 0; v < vectors; v++) vec_store(out + v * KERN_LANES, sum[v]);
}

static void side_forward(real *out, const real *phi, size_t stride, const real *par, int features,
                         int hidden, int count)
{
    int i = 0;
    for (; i + KERN_LANES < count; i += 2 * KERN_LANES)
        side_forward_some(out + i, phi + i, stride, par, features, hidden, 2);
    if (i < count) side_forward_some(out + i, phi + i, stride, par, features, hidden, 1);
}

/* Units of a block of entries: relu'(unit) w2 dout into d (hidden x SIDE_BLOCK), b1 and w2 of sum. */
INLINE void side_backward_some(vec *by_b1, vec *by_w2, real *d, const real *phi, size_t stride,
                               const real *par, const real *dout, int features, int hidden, int h,
                               int vectors)
{
    const real *w2 = par + hidden * (features + 1) + h;
    vec unit[SIDE_UNITS][2];
    side_units(unit, phi, stride, par, features, hidden, h, vectors);
    for (int v = 0; v < vectors; v++) {
        vec g = vec_load(dout + v * KERN_LANES);
        for (int k = 0; k < SIDE_UNITS; k++) {
            vec slope = vec_where_positive(vec_all(w2[k]) * g, unit[k][v]);
            by_w2[k] += g * vec_relu(unit[k][v]);
            by_b1[k] += slope;
            vec_store(d + (h + k) * SIDE_BLOCK + v * KERN_LANES, slope);
        }
    }
}

INLINE void side_backward_units(real *d, real *sum, const real *phi, size_t stride, const real *par,
                                const real *dout, int features, int hidden, int count)
{
    real *to_b1 = sum + (size_t)(hidden * features) * KERN_LANES;
    real *to_w2 = to_b1 + (size_t)hidden * KERN_LANES;
    for (int h = 0; h < hidden; h += SIDE_UNITS) {
        vec by_b1[SIDE_UNITS], by_w2[SIDE_UNITS];
        for (int k = 0; k < SIDE_UNITS; k++) by_b1[k] = by_w2[k] = vec_all(0);
        int i = 0;
        for (; i + KERN_LANES < count; i += 2 * KERN_LANES)
            side_backward_some(by_b1, by_w2, d + i, phi + i, stride, par, dout + i, features,
                               hidden, h, 2);
        if (i < count)
            side_backward_some(by_b1, by_w2, d + i, phi + i, stride, par, dout + i, features,
                               hidden, h, 1);
        for (int k = 0; k < SIDE_UNITS; k++) {
            real *b1 = to_b1 + (h + k) * KERN_LANES, *at = to_w2 + (h + k) * KERN_LANES;
            vec_store(b1, vec_load(b1) + by_b1[k]);
            vec_store(at, vec_load(at) + by_w2[k]);
        }
    }
}

/* sum of W1: d phi^T over a block, four units by two features at a time */
INLINE void side_backward_weights(real *sum, const real *d, const real *phi, size_t stride,
                                  int features, int hidden, int count)
{
    for (int h = 0; h < hidden; h += SIDE_UNITS) {
        for (int f = 0; f < features; f += 2) {
            int second = f + 1 < features ? f + 1 : f;
            const real *x0 = phi + (size_t)f * stride, *x1 = phi + (size_t)second * stride;
            vec total[SIDE_UNITS][2];
            for (int k = 0; k < SIDE_UNITS; k++) total[k][0] = total[k][1] = vec_all(0);
            for (int i = 0; i < count; i += KERN_LANES) {
                vec a = vec_load(x0 + i), b = vec_load(x1 + i);
                for (int k = 0; k < SIDE_UNITS; k++) {
                    vec g = vec_load(d + (h + k) * SIDE_BLOCK + i);
                    total[k][0] += g * a;
                    total[k][1] += g * b;
                }
            }
            for (int k = 0; k < SIDE_UNITS; k++) {
                real *to = sum + ((h + k) * features + f) * KERN_LANES;
                vec_store(to, vec_load(to) + total[k][0]);
                if (second == f) continue;
                vec_store(to + KERN_LANES, vec_load(to + KERN_LANES) + total[k][1]);
            }
        }
    }
}

static void side_backward(real *sum, const real *phi, size_t stride, const real *par,
                          const real *dout, int features, int hidden, int count)
{
    real d[KERN_SIDE_HIDDEN * SIDE_BLOCK], g[SIDE_BLOCK];
    for (int i = 0; i < count; i += SIDE_BLOCK) {
        int some = count - i < SIDE_BLOCK ? count - i : SIDE_BLOCK;
        for (int k = 0; k < SIDE_BLOCK; k++) g[k] = k < some ? dout[i + k] : 0;
        side_backward_units(d, sum, phi + i, stride, par, g, features, hidden, some);
        side_backward_weights(sum, d, phi + i, stride, features, hidden, some);
    }
}
