/* Part of kern_body.h: self-attention of one head, see self_forward in kern.h. No include guard. */

/* ---- self-attention: two small products, made for thin heads ----
 *
 * Tiles of up to 6 rows by PAIR lines are summed in registers. `rows` and `lines` are constants where
 * these are called. Square matrices have rows of `stride`, n rounded up to whole lines. */
#ifdef KERN_WIDE
enum { TILE = 6, PAIR = 4, MIX_PAIR = 2 };
#else
enum { TILE = 6, PAIR = 2, MIX_PAIR = 2 };
#endif

/* out = x y^T + bias, y given transposed (K rows of `stride`); bias may be NULL. */
INLINE void dots_tile(real *out, int stride, const real *x, int ld, const real *yt,
                      const real *bias, int K, int rows, int lines)
{
    line sum[TILE][PAIR];
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < lines; k++)
            sum[i][k] = bias ? line_load(bias + i * stride + k * LINE_LANES) : line_all(0);
    for (int c = 0; c < K; c++) {
        for (int i = 0; i < rows; i++) {
            line w = line_all(x[i * ld + c]);
            for (int k = 0; k < lines; k++)
                sum[i][k] += w * line_load(yt + c * stride + k * LINE_LANES);
        }
    }
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < lines; k++) line_store(out + i * stride + k * LINE_LANES, sum[i][k]);
}

INLINE const real *dots_bias(const real *bias, size_t at)
{
    return bias ? bias + at : NULL;
}

/* Rows i .. i + rows - 1. */
INLINE void dots_rows(real *out, int stride, const real *x, int ld, const real *yt,
                      const real *bias, int K, int i, int rows)
{
    int j = 0;
    out += (size_t)i * (size_t)stride;
    x += (size_t)i * (size_t)ld;
    bias = dots_bias(bias, (size_t)i * (size_t)stride);
    for (; j + PAIR * LINE_LANES <= stride; j += PAIR * LINE_LANES)
        dots_tile(out + j, stride, x, ld, yt + j, dots_bias(bias, (size_t)j), K, rows, PAIR);
    for (; j + 2 * LINE_LANES <= stride; j += 2 * LINE_LANES)
        dots_tile(out + j, stride, x, ld, yt + j, dots_bias(bias, (size_t)j), K, rows, 2);
    if (j < stride)
        dots_tile(out + j, stride, x, ld, yt + j, dots_bias(bias, (size_t)j), K, rows, 1);
}

INLINE void dots(real *out, int stride, const real *x, int ld, const real *yt, const real *bias,
                 int n, int K)
{
    int i = 0;
    for (; i + TILE <= n; i += TILE) dots_rows(out, stride, x, ld, yt, bias, K, i, TILE);
    for (; i + 2 <= n; i += 2) dots_rows(out, stride, x, ld, yt, bias, K, i, 2);
    if (i < n) dots_rows(out, stride, x, ld, yt, bias, K, i, 1);
}

#ifdef KERN_WIDE

enum { LINE_MIX = 12 }; /* rows of sixteen channels that are summed at once */

INLINE void line_mix_tile(real *out, int ldo, const real *w, size_t row, size_t column,
                          const real *x, int ld, int n, int rows)
{
    line sum[LINE_MIX];
    for (int i = 0; i < rows; i++) sum[i] = line_all(0);
    for (int j = 0; j < n; j++, w += column, x += ld) {
        line v = line_load(x);
        for (int i = 0; i < rows; i++) sum[i] += line_all(w[(size_t)i * row]) * v;
    }
    for (int i = 0; i < rows; i++) line_store(out + i * ldo, sum[i]);
}

/* out_i = sum_j w[i row + j column] x_j for x_j of sixteen channels */
INLINE void line_mix(real *out, int ldo, const real *w, size_t row, size_t column, const real *x,
                     int ld, int n, int count)
{
    int i = 0;
    for (; i + LINE_MIX <= count; i += LINE_MIX)
        line_mix_tile(out + (size_t)i * (size_t)ldo, ldo, w + (size_t)i * row, row, column, x, ld,
                      n, LINE_MIX);
    for (; i + 4 <= count; i += 4)
        line_mix_tile(out + (size_t)i * (size_t)ldo, ldo, w + (size_t)i * row, row, column, x, ld,
                      n, 4);
    for (; i < count; i++)
        line_mix_tile(out + (size_t)i * (size_t)ldo, ldo, w + (size_t)i * row, row, column, x, ld,
                      n, 1);
}

#endif

/* out_i = sum_j w[i row + j column] x_j, over n rows x_j; `count` of them, i = 0 .. count - 1. */
INLINE void mix_tile(real *out, int ldo, const real *w, size_t row, size_t column, const real *x,
                     int ld, int n, int rows, int vectors)
{
    vec sum[TILE][MIX_PAIR];
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < vectors; k++) sum[i][k] = vec_all(0);
    for (int j = 0; j < n; j++, w += column, x += ld) {
        for (int i = 0; i < rows; i++) {
            vec v = vec_all(w[(size_t)i * row]);
            for (int k = 0; k < vectors; k++) sum[i][k] += v * vec_load(x + k * KERN_LANES);
        }
    }
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < vectors; k++) vec_store(out + i * ldo + k * KERN_LANES, sum[i][k]);
}

INLINE void mix_columns(real *out, int ldo, const real *w, size_t row, size_t column, const real *x,
                        int ld, int n, int count, int vectors)
{
    int i = 0;
    for (; i + TILE <= count; i += TILE)
        mix_tile(out + (size_t)i * (size_t)ldo, ldo, w + (size_t)i * row, row, column, x, ld, n,
                 TILE, vectors);
    for (; i + 2 <= count; i += 2)
        mix_tile(out + (size_t)i * (size_t)ldo, ldo, w + (size_t)i * row, row, column, x, ld, n, 2,
                 vectors);
    if (i < count)
        mix_tile(out + (size_t)i * (size_t)ldo, ldo, w + (size_t)i * row, row, column, x, ld, n, 1,
                 vectors);
}

INLINE void mix(real *out, int ldo, const real *w, size_t row, size_t column, const real *x, int ld,
                int n, int count, int K)
{
    int c = 0;
#ifdef KERN_WIDE
    for (; c + LINE_LANES <= K; c += LINE_LANES)
        line_mix(out + c, ldo, w, row, column, x + c, ld, n, count);
#endif
    for (; c + MIX_PAIR * KERN_LANES <= K; c += MIX_PAIR * KERN_LANES)
        mix_columns(out + c, ldo, w, row, column, x + c, ld, n, count, MIX_PAIR);
    if (c < K) mix_columns(out + c, ldo, w, row, column, x + c, ld, n, count, 1);
}

/* Columns of x (n x K), times scale, as rows of `stride` numbers, the rest zero. */
INLINE void transpose(real *to, int stride, const real *x, int ld, int n, int K, real scale)
{
    for (int c = 0; c < K; c++)
        for (int j = n; j < stride; j++) to[c * stride + j] = 0;
    for (int j = 0; j < n; j++)
        for (int c = 0; c < K; c++)
            to[c * stride + j] = scale * x[(size_t)j * (size_t)ld + (size_t)c];
}

INLINE void self_forward_sized(real *out, int ldo, real *p, const real *q, const real *k,
                               const real *v, int ld, const real *bias, int n, int first, int count,
                               int K, real scale, real *scratch)
{
    int stride = (n + LINE_LANES - 1) / LINE_LANES * LINE_LANES;
    if (first == 0) transpose(scratch, stride, k, ld, n, K, scale);
    p += (size_t)first * (size_t)stride;
    dots(p, stride, q + (size_t)first * (size_t)ld, ld, scratch, bias, count, K);
    for (int i = 0; i < count; i++) softmax_row(p + (size_t)i * (size_t)stride, n);
    mix(out + (size_t)first * (size_t)ldo, ldo, p, (size_t)stride, 1, v, ld, n, count, K);
}

/* dv = p^T dout; ds = scale p (dp - row sum), dp = dout v^T; dq = ds k; dk = ds^T q */
INLINE void self_backward_sized(real *dq, real *dk, real *dv, const real *dout, int ldo,
                                const real *p, const real *q, const real *k, const real *v, int ld,
                                int n, int K, real scale, real *scratch)
{
    int stride = (n + LINE_LANES - 1) / LINE_LANES * LINE_LANES;
    real *ds = scratch, *vt = scratch + (size_t)n * (size_t)stride;
    mix(dv, ld, p, 1, (size_t)stride, dout, ldo, n, n, K);
    transpose(vt, stride, v, ld, n, K, 1);
    dots(ds, stride, dout, ldo, vt, NULL, n, K);
    for (int i = 0; i < n; i++)
        softmax_row_backward(ds + (size_t)i * (size_t)stride, p + (size_t)i * (size_t)stride, n,
                             scale);
    mix(dq, ld, ds, (size_t)stride, 1, k, ld, n, n, K);
    mix(dk, ld, ds, 1, (size_t)stride, q, ld, n, n, K);
}

static void self_forward(real *out, int ldo, real *p, const real *q, const real *k, const real *v,
                         int ld, const real *bias, int n, int first, int count, int K, real scale,
                         real *scratch)
{
    if (K == 16)
        self_forward_sized(out, ldo, p, q, k, v, ld, bias, n, first, count, 16, scale, scratch);
    else
        self_forward_sized(out, ldo, p, q, k, v, ld, bias, n, first, count, K, scale, scratch);
}

static void self_backward(real *dq, real *dk, real *dv, const real *dout, int ldo, const real *p,
                          const real *q, const real *k, const real *v, int ld, int n, int K,
                          real scale, real *scratch)
{
    if (K == 16)
        self_backward_sized(dq, dk, dv, dout, ldo, p, q, k, v, ld, n, 16, scale, scratch);
    else
        self_backward_sized(dq, dk, dv, dout, ldo, p, q, k, v, ld, n, K, scale, scratch);
}

/* ---- sums over all pairs of nodes, of a few rows with a few others ---- */

#ifdef KERN_WIDE
enum { DOT_ROWS = 4, DOT_COLUMNS = 4 };
#else
enum { DOT_ROWS = 4, DOT_COLUMNS = 2 };
#endif
enum { DOT_BLOCK = 2048 }; /* numbers of a row at once: what is read again stays in the cache */

INLINE void dot_tile(real *out, int ldo, const real *x, size_t ldx, const real *y, size_t ldy,
                     size_t count, real scale, int rows, int columns)
{
    line sum[DOT_ROWS][DOT_COLUMNS];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) sum[i][j] = line_all(0);
    for (size_t c = 0; c < count; c += LINE_LANES) {
        for (int j = 0; j < columns; j++) {
            line v = line_load(y + (size_t)j * ldy + c);
            for (int i = 0; i < rows; i++) sum[i][j] += line_load(x + (size_t)i * ldx + c) * v;
        }
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) out[i * ldo + j] += scale * line_sum(sum[i][j]);
}

INLINE void dot_columns(real *out, int ldo, const real *x, size_t ldx, const real *y, size_t ldy,
                        int columns, size_t count, real scale, int rows)
{
    int j = 0;
    for (; j + DOT_COLUMNS <= columns; j += DOT_COLUMNS)
        dot_tile(out + j, ldo, x, ldx, y + (size_t)j * ldy, ldy, count, scale, rows, DOT_COLUMNS);
    for (; j < columns; j++)
        dot_tile(out + j, ldo, x, ldx, y + (size_t)j * ldy, ldy, count, scale, rows, 1);
}

static void dot_rows(real *out, int ldo, const real *x, size_t ldx, int rows, const real *y,
                     size_t ldy, int columns, size_t count, real scale)
{
    for (size_t from = 0; from < count; from += DOT_BLOCK, x += DOT_BLOCK, y += DOT_BLOCK) {
        size_t part = count - from < DOT_BLOCK ? count - from : DOT_BLOCK;
        int i = 0;
        for (; i + DOT_ROWS <= rows; i += DOT_ROWS)
            dot_columns(out + i * ldo, ldo, x + (size_t)i * ldx, ldx, y, ldy, columns, part, scale,
                        DOT_ROWS);
        for (; i < rows; i++)
            dot_columns(out + i * ldo, ldo, x + (size_t)i * ldx, ldx, y, ldy, columns, part, scale,
                        1);
    }
}
