/* Part of kern_body.h: a small network on many entries, see side_forward in kern.h. No include guard. */

/* hidden units at once; entries whose gradients are kept; entries at once that get something extra */
enum { SIDE_UNITS = 4, SIDE_BLOCK = 64, SIDE_ROWS = 4 };

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

INLINE void side_forward_some(real *out, real *units, const real *phi, size_t stride,
                              const real *par, int features, int hidden, int vectors)
{
    const real *w2 = par + hidden * (features + 1);
    line sum[2] = {line_all(0), line_all(0)};
    for (int h = 0; h < hidden; h += SIDE_UNITS) {
        line unit[SIDE_UNITS][2];
        side_units(unit, phi, stride, par, features, hidden, h, vectors);
        for (int k = 0; k < SIDE_UNITS; k++)
            for (int v = 0; v < vectors; v++) {
                line x = line_relu(unit[k][v]);
                line_store(units + (size_t)(h + k) * stride + (size_t)v * LINE_LANES, x);
                sum[v] += line_all(w2[h + k]) * x;
            }
    }
    for (int v = 0; v < vectors; v++) line_store(out + v * LINE_LANES, sum[v]);
}

/* extra_i = V units_i of `some` entries: V is hidden x lanes, its transpose that is */
INLINE void side_extra_some(real *extra, const real *units, size_t stride, const real *v,
                            int hidden, int lanes, int some)
{
    for (int g = 0; g < lanes; g += KERN_LANES) {
        vec sum[SIDE_ROWS];
        for (int k = 0; k < some; k++) sum[k] = vec_all(0);
        for (int h = 0; h < hidden; h++) {
            vec w = vec_load(v + h * lanes + g);
            for (int k = 0; k < some; k++) sum[k] += vec_all(units[(size_t)h * stride + k]) * w;
        }
        for (int k = 0; k < some; k++) vec_store(extra + k * lanes + g, sum[k]);
    }
}

static void side_forward(real *out, real *units, real *extra, const real *phi, size_t stride,
                         const real *par, const struct kern_side *size, int count)
{
    int features = size->features, hidden = size->hidden, lanes = size->lanes, i = 0;
    for (; i + LINE_LANES < count; i += 2 * LINE_LANES)
        side_forward_some(out + i, units + i, phi + i, stride, par, features, hidden, 2);
    if (i < count) side_forward_some(out + i, units + i, phi + i, stride, par, features, hidden, 1);
    const real *v = par + hidden * (features + 2);
    for (i = 0; lanes && i + SIDE_ROWS <= count; i += SIDE_ROWS)
        side_extra_some(extra + i * lanes, units + i, stride, v, hidden, lanes, SIDE_ROWS);
    for (; lanes && i < count; i++)
        side_extra_some(extra + i * lanes, units + i, stride, v, hidden, lanes, 1);
}

/* by (hidden x SIDE_BLOCK) = V^T dextra of a block of `some` entries, 0 behind them; to += units
 * dextra^T, laid out as V. */
INLINE void side_extra_backward(real *by, real *to, const real *units, size_t stride, const real *v,
                                const real *dextra, int hidden, int lanes, int some)
{
    real x[KERN_LANES * SIDE_BLOCK]; /* eight heads of dextra, heads x entries */
    for (int g = 0; g < lanes; g += KERN_LANES) {
        memset(x, 0, sizeof x);
        for (int i = 0; i < some; i++)
            for (int a = 0; a < KERN_LANES; a++) x[a * SIDE_BLOCK + i] = dextra[i * lanes + g + a];
        for (int h = 0; h < hidden; h++) {
            const real *w = v + h * lanes + g;
            for (int i = 0; i < some; i += LINE_LANES) {
                real *at = by + h * SIDE_BLOCK + i;
                line sum = g ? line_load(at) : line_all(0);
                for (int a = 0; a < KERN_LANES; a++)
                    sum += line_all(w[a]) * line_load(x + a * SIDE_BLOCK + i);
                line_store(at, sum);
            }
        }
        for (int h = 0; h < hidden; h += SIDE_UNITS) {
            vec sum[SIDE_UNITS];
            for (int k = 0; k < SIDE_UNITS; k++) sum[k] = vec_load(to + (h + k) * lanes + g);
            for (int i = 0; i < some; i++) {
                vec d = vec_load(dextra + i * lanes + g);
                for (int k = 0; k < SIDE_UNITS; k++)
                    sum[k] += vec_all(units[(size_t)(h + k) * stride + (size_t)i]) * d;
            }
            for (int k = 0; k < SIDE_UNITS; k++) vec_store(to + (h + k) * lanes + g, sum[k]);
        }
    }
}

/* d (hidden x SIDE_BLOCK) = relu'(unit) (w2 dout + d) of a block of entries; b1 and w2 of sum. */
INLINE void side_backward_units(real *d, real *sum, const real *units, size_t stride,
                                const real *par, const real *dout, int features, int hidden,
                                int count)
{
    const real *w2 = par + hidden * (features + 1);
    real *to_b1 = sum + (size_t)(hidden * features) * KERN_LANES;
    real *to_w2 = to_b1 + (size_t)hidden * KERN_LANES;
    for (int h = 0; h < hidden; h++) {
        const real *unit = units + (size_t)h * stride;
        line by_b1 = line_all(0), by_w2 = line_all(0), w = line_all(w2[h]);
        for (int i = 0; i < count; i += LINE_LANES) {
            real *at = d + h * SIDE_BLOCK + i;
            line g = line_load(dout + i), u = line_load(unit + i);
            line slope = line_where_positive(w * g + line_load(at), u);
            by_w2 += g * u;
            by_b1 += slope;
            line_store(at, slope);
        }
        real *b1 = to_b1 + h * KERN_LANES, *at = to_w2 + h * KERN_LANES;
        vec_store(b1, vec_load(b1) + line_fold(by_b1));
        vec_store(at, vec_load(at) + line_fold(by_w2));
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

static void side_backward(real *sum, const real *phi, const real *units, size_t stride,
                          const real *par, const real *dout, const real *dextra,
                          const struct kern_side *size, int count)
{
    int features = size->features, hidden = size->hidden, lanes = size->lanes;
    size_t numbers = (size_t)(hidden * (features + 2));
    real d[KERN_SIDE_HIDDEN * SIDE_BLOCK], g[SIDE_BLOCK];
    for (int i = 0; i < count; i += SIDE_BLOCK) {
        int some = count - i < SIDE_BLOCK ? count - i : SIDE_BLOCK;
        for (int k = 0; k < SIDE_BLOCK; k++) g[k] = k < some ? dout[i + k] : 0;
        if (lanes)
            side_extra_backward(d, sum + numbers * KERN_LANES, units + i, stride, par + numbers,
                                dextra + (size_t)i * (size_t)lanes, hidden, lanes, some);
        else
            memset(d, 0, (size_t)(hidden * SIDE_BLOCK) * sizeof *d);
        side_backward_units(d, sum, units + i, stride, par, g, features, hidden, some);
        side_backward_weights(sum, d, phi + i, stride, features, hidden, some);
    }
}
