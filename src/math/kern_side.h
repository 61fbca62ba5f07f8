/* Part of kern_body.h: a small network on many entries, see side_forward in kern.h. No include guard. */

enum { SIDE_UNITS = 4, SIDE_BLOCK = 64 }; /* hidden units at once; entries whose units are kept */

static void side_shape(real *phi, size_t stride, const float *raw, size_t raw_stride,
                       const int *source, const int *is_squashed, const float *scale, int features,
                       int count)
{
    for (int f = 0; f < features; f++) {
        const float *from = raw + (size_t)source[f] * raw_stride;
        real *to = phi + (size_t)f * stride;
        line by = line_all((real)scale[f]), inverse = line_all(1 / (real)scale[f]);
        for (int i = 0; i < count && is_squashed[f]; i += LINE_LANES) {
            line x = line_of_floats(from + i);
            line_store(to + i, x / (line_max(x, -x) + by));
        }
        for (int i = 0; i < count && !is_squashed[f]; i += LINE_LANES) {
            line x = line_of_floats(from + i) * inverse;
            line_store(to + i, -line_max(-line_max(x, line_all(-4)), line_all(-4)));
        }
    }
}

/* unit[k] = W1 phi + b1 of SIDE_UNITS hidden units from `h` on, for `vectors` vectors of entries */
INLINE void side_units(line unit[][2], const real *phi, size_t stride, const real *par,
                       int features, int hidden, int h, int vectors)
{
    const real *w = par + h * features, *b = par + hidden * features + h;
    for (int k = 0; k < SIDE_UNITS; k++)
        for (int v = 0; v < vectors; v++) unit[k][v] = line_all(b[k]);
    for (int f = 0; f < features; f++) {
        line x[2];
        for (int v = 0; v < vectors; v++)
            x[v] = line_load(phi + (size_t)f * stride + (size_t)v * LINE_LANES);
        for (int k = 0; k < SIDE_UNITS; k++)
            for (int v = 0; v < vectors; v++) unit[k][v] += line_all(w[k * features + f]) * x[v];
    }
}

INLINE void side_forward_some(real *out, const real *phi, size_t stride, const real *par,
                              int features, int hidden, int vectors)
{
    const real *w2 = par + hidden * (features + 1);
    line sum[2] = {line_all(0), line_all(0)};
    for (int h = 0; h < hidden; h += SIDE_UNITS) {
        line unit[SIDE_UNITS][2];
        side_units(unit, phi, stride, par, features, hidden, h, vectors);
        for (int k = 0; k < SIDE_UNITS; k++)
            for (int v = 0; v < vectors; v++) sum[v] += line_all(w2[h + k]) * line_relu(unit[k][v]);
    }
    for (int v = 0; v < vectors; v++) line_store(out + v * LINE_LANES, sum[v]);
}

static void side_forward(real *out, const real *phi, size_t stride, const real *par, int features,
                         int hidden, int count)
{
    int i = 0;
    for (; i + LINE_LANES < count; i += 2 * LINE_LANES)
        side_forward_some(out + i, phi + i, stride, par, features, hidden, 2);
    if (i < count) side_forward_some(out + i, phi + i, stride, par, features, hidden, 1);
}

/* Units of a block of entries: relu'(unit) w2 dout into d (hidden x SIDE_BLOCK), b1 and w2 of sum. */
INLINE void side_backward_some(line *by_b1, line *by_w2, real *d, const real *phi, size_t stride,
                               const real *par, const real *dout, int features, int hidden, int h,
                               int vectors)
{
    const real *w2 = par + hidden * (features + 1) + h;
    line unit[SIDE_UNITS][2];
    side_units(unit, phi, stride, par, features, hidden, h, vectors);
    for (int v = 0; v < vectors; v++) {
        line g = line_load(dout + v * LINE_LANES);
        for (int k = 0; k < SIDE_UNITS; k++) {
            line slope = line_where_positive(line_all(w2[k]) * g, unit[k][v]);
            by_w2[k] += g * line_relu(unit[k][v]);
            by_b1[k] += slope;
            line_store(d + (h + k) * SIDE_BLOCK + v * LINE_LANES, slope);
        }
    }
}

INLINE void side_backward_units(real *d, real *sum, const real *phi, size_t stride, const real *par,
                                const real *dout, int features, int hidden, int count)
{
    real *to_b1 = sum + (size_t)(hidden * features) * KERN_LANES;
    real *to_w2 = to_b1 + (size_t)hidden * KERN_LANES;
    for (int h = 0; h < hidden; h += SIDE_UNITS) {
        line by_b1[SIDE_UNITS], by_w2[SIDE_UNITS];
        for (int k = 0; k < SIDE_UNITS; k++) by_b1[k] = by_w2[k] = line_all(0);
        int i = 0;
        for (; i + LINE_LANES < count; i += 2 * LINE_LANES)
            side_backward_some(by_b1, by_w2, d + i, phi + i, stride, par, dout + i, features,
                               hidden, h, 2);
        if (i < count)
            side_backward_some(by_b1, by_w2, d + i, phi + i, stride, par, dout + i, features,
                               hidden, h, 1);
        for (int k = 0; k < SIDE_UNITS; k++) {
            real *b1 = to_b1 + (h + k) * KERN_LANES, *at = to_w2 + (h + k) * KERN_LANES;
            vec_store(b1, vec_load(b1) + line_fold(by_b1[k]));
            vec_store(at, vec_load(at) + line_fold(by_w2[k]));
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
            line total[SIDE_UNITS][2];
            for (int k = 0; k < SIDE_UNITS; k++) total[k][0] = total[k][1] = line_all(0);
            for (int i = 0; i < count; i += LINE_LANES) {
                line a = line_load(x0 + i), b = line_load(x1 + i);
                for (int k = 0; k < SIDE_UNITS; k++) {
                    line g = line_load(d + (h + k) * SIDE_BLOCK + i);
                    total[k][0] += g * a;
                    total[k][1] += g * b;
                }
            }
            for (int k = 0; k < SIDE_UNITS; k++) {
                real *to = sum + ((h + k) * features + f) * KERN_LANES;
                vec_store(to, vec_load(to) + line_fold(total[k][0]));
                if (second == f) continue;
                vec_store(to + KERN_LANES, vec_load(to + KERN_LANES) + line_fold(total[k][1]));
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
