/* Products of the shapes the network asks for (a few hundred rows, 128 to 512 columns), faster than a
 * general BLAS here: little is packed, nothing is scaled beforehand. Compiled with -mavx2 -mfma (see
 * cmake/math.cmake); gemm.c calls it only on processors that have both. */
#include "math/gemm_avx2.h"

#if defined(__AVX2__) && defined(__FMA__) && !defined(UCPO_REAL_DOUBLE)

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef float vec __attribute__((vector_size(32)));

enum {
    LANES = 8,
    TILE_ROWS = 6, /* a tile of c, 6 x 16, is summed in 12 registers */
    TILE_COLUMNS = 16,
    DEPTH = 256 /* of a packed panel of b: 16 kB, half the first-level cache */
};

INLINE vec load(const float *p)
{
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(float *p, vec v)
{
    memcpy(p, &v, sizeof v);
}

INLINE vec all(float x)
{
    return (vec){x, x, x, x, x, x, x, x};
}

struct tile {
    const float *a; /* rows of lda */
    const float *b; /* depth x 16 */
    float *c;       /* rows of ldc */
    size_t lda, ldc;
    int depth, columns; /* of c: 16 or fewer */
    float alpha, beta;
};

/* c = alpha * sum + beta * c for one row of a tile */
INLINE void finish_row(const struct tile *t, float *c, vec low, vec high)
{
    float row[TILE_COLUMNS];
    if (t->columns == TILE_COLUMNS && t->beta == 0) {
        store(c, all(t->alpha) * low);
        store(c + LANES, all(t->alpha) * high);
        return;
    }
    if (t->columns == TILE_COLUMNS) {
        store(c, all(t->alpha) * low + all(t->beta) * load(c));
        store(c + LANES, all(t->alpha) * high + all(t->beta) * load(c + LANES));
        return;
    }
    store(row, all(t->alpha) * low);
    store(row + LANES, all(t->alpha) * high);
    for (int j = 0; j < t->columns; j++) c[j] = t->beta == 0 ? row[j] : row[j] + t->beta * c[j];
}

INLINE void tile_product(const struct tile *t, int rows)
{
    vec low[TILE_ROWS], high[TILE_ROWS];
    const float *a = t->a, *b = t->b;
    for (int i = 0; i < rows; i++) low[i] = high[i] = all(0);
    for (int l = 0; l < t->depth; l++, a++, b += TILE_COLUMNS) {
        vec b0 = load(b), b1 = load(b + LANES);
        for (int i = 0; i < rows; i++) {
            vec x = all(a[(size_t)i * t->lda]);
            low[i] += x * b0;
            high[i] += x * b1;
        }
    }
    for (int i = 0; i < rows; i++) finish_row(t, t->c + (size_t)i * t->ldc, low[i], high[i]);
}

/* The compiler gets the number of rows as a constant. */
static void tile_rows(const struct tile *t, int rows)
{
    switch (rows) {
    case 6: tile_product(t, 6); break;
    case 5: tile_product(t, 5); break;
    case 4: tile_product(t, 4); break;
    case 3: tile_product(t, 3); break;
    case 2: tile_product(t, 2); break;
    default: tile_product(t, 1); break;
    }
}

/* depth x columns of b to rows of 16, the rest zero */
static void pack_b(float *to, const float *b, size_t row, size_t column, int depth, int columns)
{
    if (column == 1 && columns == TILE_COLUMNS) {
        for (int l = 0; l < depth; l++) memcpy(to + l * TILE_COLUMNS, b + (size_t)l * row, 64);
        return;
    }
    if (columns < TILE_COLUMNS) memset(to, 0, (size_t)(depth * TILE_COLUMNS) * sizeof *to);
    for (int l = 0; l < depth; l++)
        for (int j = 0; j < columns; j++)
            to[l * TILE_COLUMNS + j] = b[(size_t)l * row + (size_t)j * column];
}

static int at_most(int value, int most)
{
    return value < most ? value : most;
}

/* Depth cut into equal parts of at most `most`. */
static int part_of(int k, int most)
{
    int parts = (k + most - 1) / most;
    return (k + parts - 1) / parts;
}

/* One panel of b at a time stays in the first-level cache, all rows of a go past it unpacked. */
void gemm_avx2(const struct gemm_product *p)
{
    _Alignas(64) float panel[DEPTH * TILE_COLUMNS];
    int part = part_of(p->k, DEPTH);
    for (int j = 0; j < p->n; j += TILE_COLUMNS) {
        for (int l = 0; l < p->k; l += part) {
            struct tile t = {.lda = p->lda,
                             .b = panel,
                             .ldc = p->ldc,
                             .depth = at_most(p->k - l, part),
                             .columns = at_most(p->n - j, TILE_COLUMNS),
                             .alpha = p->alpha,
                             .beta = l == 0 ? p->beta : 1};
            pack_b(panel, p->b + (size_t)l * p->row_b + (size_t)j * p->column_b, p->row_b,
                   p->column_b, t.depth, t.columns);
            for (int i = 0; i < p->m; i += TILE_ROWS) {
                t.a = p->a + (size_t)i * p->lda + l;
                t.c = p->c + (size_t)i * p->ldc + j;
                tile_rows(&t, at_most(p->m - i, TILE_ROWS));
            }
        }
    }
}

#else

void gemm_avx2(const struct gemm_product *p)
{
    (void)p;
}

#endif
