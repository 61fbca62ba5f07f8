/* The kernels that gain from vectors of sixteen lanes, for the common size: eight heads of sixteen
 * channels, one state scalar. A vector holds two channels of the eight heads. Included by kern_body.h
 * where KERN_WIDE is 16; with other sizes the functions there are used. No include guard. */

enum { WIDE = 16, WIDE_HALF = 8, WIDE_WIDTH = 128, WIDE_VECTORS = WIDE_WIDTH / WIDE };

typedef real wide __attribute__((vector_size(WIDE * sizeof(real))));

INLINE wide wide_load(const real *p)
{
    wide v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void wide_store(real *p, wide v)
{
    memcpy(p, &v, sizeof v);
}

INLINE wide wide_all(real x)
{
    return x - (wide){0};
}

/* The same eight numbers in both halves. */
INLINE wide wide_twice(vec v)
{
    return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* Sum of the halves. */
INLINE vec wide_fold(wide v)
{
    return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
           __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* ---- self-attention: see dots and mix in kern_body.h ---- */

/* out = x y^T for `rows` rows and `vectors` vectors of columns */
INLINE void wide_dots_tile(real *out, int stride, const real *x, int ld, const real *yt, int K,
                           int rows, int vectors)
{
    wide sum[TILE][PAIR];
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < vectors; k++) sum[i][k] = wide_all(0);
    for (int c = 0; c < K; c++) {
        for (int i = 0; i < rows; i++) {
            wide w = wide_all(x[i * ld + c]);
            for (int k = 0; k < vectors; k++)
                sum[i][k] += w * wide_load(yt + c * stride + k * WIDE);
        }
    }
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < vectors; k++) wide_store(out + i * stride + k * WIDE, sum[i][k]);
}

/* As many columns as whole vectors cover; returns how many that was. */
INLINE int wide_dots_rows(real *out, int stride, const real *x, int ld, const real *yt, int K,
                          int rows)
{
    int j = 0;
    for (; j + PAIR * WIDE <= stride; j += PAIR * WIDE)
        wide_dots_tile(out + j, stride, x, ld, yt + j, K, rows, PAIR);
    if (j + WIDE <= stride) {
        wide_dots_tile(out + j, stride, x, ld, yt + j, K, rows, 1);
        j += WIDE;
    }
    return j;
}

enum { WIDE_MIX = 12 }; /* rows of sixteen channels that are summed at once */

INLINE void wide_mix_tile(real *out, int ldo, const real *w, size_t row, size_t column,
                          const real *x, int ld, int n, int rows)
{
    wide sum[WIDE_MIX];
    for (int i = 0; i < rows; i++) sum[i] = wide_all(0);
    for (int j = 0; j < n; j++, w += column, x += ld) {
        wide v = wide_load(x);
        for (int i = 0; i < rows; i++) sum[i] += wide_all(w[(size_t)i * row]) * v;
    }
    for (int i = 0; i < rows; i++) wide_store(out + i * ldo, sum[i]);
}

/* out_i = sum_j w[i row + j column] x_j for x_j of sixteen channels */
INLINE void wide_mix(real *out, int ldo, const real *w, size_t row, size_t column, const real *x,
                     int ld, int n, int count)
{
    int i = 0;
    for (; i + WIDE_MIX <= count; i += WIDE_MIX)
        wide_mix_tile(out + (size_t)i * (size_t)ldo, ldo, w + (size_t)i * row, row, column, x, ld,
                      n, WIDE_MIX);
    for (; i + 4 <= count; i += 4)
        wide_mix_tile(out + (size_t)i * (size_t)ldo, ldo, w + (size_t)i * row, row, column, x, ld,
                      n, 4);
    for (; i < count; i++)
        wide_mix_tile(out + (size_t)i * (size_t)ldo, ldo, w + (size_t)i * row, row, column, x, ld,
                      n, 1);
}
