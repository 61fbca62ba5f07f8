/* Bodies of the matrix products. Included by one file per instruction set, which says how wide a
 * vector is and how many rows of it a tile has. No include guard.
 *
 *   GEMM_BYTES   of a vector            GEMM_ROWS   of a tile; a tile is two vectors wide
 *
 * Little is packed and nothing is scaled beforehand: made for a few hundred rows and 128 to 512
 * columns. Every output is one chain of multiply-adds in the order of k, cut at the same places in
 * every instruction set: where multiply-add is one instruction, all sets give the same bits. */
#include "math/bf16.h"
#include "math/gemm.h"

#include <string.h>

#define GEMM_INLINE static inline __attribute__((always_inline))

/* Before loops over the rows of a tile: sums stay in registers only if nothing is indexed. */
#ifdef __clang__
#define GEMM_UNROLL _Pragma("unroll")
#else
#define GEMM_UNROLL _Pragma("GCC unroll 16")
#endif

typedef real gemm_vec __attribute__((vector_size(GEMM_BYTES)));

enum {
    GEMM_LANES = GEMM_BYTES / sizeof(real),
    GEMM_COLUMNS = 2 * GEMM_LANES, /* of a tile */
    GEMM_LINE = 64 / sizeof(real), /* of the cache */
    GEMM_AHEAD = 12,               /* rows to fetch before they are packed */
    GEMM_DEPTH = 256,              /* of a panel of b beside rows of a that are read in place */
    /* of panels of b and a block of a, both packed; they share the second-level cache */
    GEMM_DEEP = 400,
    GEMM_WIDE = 128,
    GEMM_BLOCK = (128 + GEMM_ROWS - 1) / GEMM_ROWS * GEMM_ROWS
};

GEMM_INLINE gemm_vec gemm_load(const real *p)
{
    gemm_vec v;
    memcpy(&v, p, sizeof v);
    return v;
}

GEMM_INLINE void gemm_store(real *p, gemm_vec v)
{
    memcpy(p, &v, sizeof v);
}

GEMM_INLINE gemm_vec gemm_all(real x)
{
    return x - (gemm_vec){0};
}

/* A part of c: up to GEMM_ROWS x GEMM_COLUMNS. Element (i, l) of a is at a[i * row_a + l * step_a]. */
struct gemm_tile {
    const real *a, *b; /* b: depth x GEMM_COLUMNS, packed */
    real *c;
    size_t row_a, ldc;
    int depth, columns;
    real alpha, beta;
};

/* c = sum + beta * c where the tile is cut off; sum: rows of GEMM_COLUMNS */
static void gemm_finish_few(const struct gemm_tile *t, real *c, const real *sum, int rows)
{
    for (int i = 0; i < rows; i++, c += t->ldc, sum += GEMM_COLUMNS)
        for (int j = 0; j < t->columns; j++) c[j] = t->beta == 0 ? sum[j] : sum[j] + t->beta * c[j];
}

/* c = alpha * sum + beta * c. The sums are scaled first: compilers then have no choice which product
 * to join with the addition. Loops over rows are simple, so that the sums stay in registers. */
GEMM_INLINE void gemm_finish(const struct gemm_tile *t, real *c, gemm_vec *low, gemm_vec *high,
                             int rows)
{
    if (t->alpha != 1) {
        gemm_vec alpha = gemm_all(t->alpha);
        GEMM_UNROLL
        for (int i = 0; i < rows; i++) low[i] *= alpha, high[i] *= alpha;
    }
    if (t->columns < GEMM_COLUMNS) {
        real sum[GEMM_ROWS * GEMM_COLUMNS];
        GEMM_UNROLL
        for (int i = 0; i < rows; i++) {
            gemm_store(sum + i * GEMM_COLUMNS, low[i]);
            gemm_store(sum + i * GEMM_COLUMNS + GEMM_LANES, high[i]);
        }
        gemm_finish_few(t, c, sum, rows);
    } else if (t->beta == 0) {
        GEMM_UNROLL
        for (int i = 0; i < rows; i++, c += t->ldc) {
            gemm_store(c, low[i]);
            gemm_store(c + GEMM_LANES, high[i]);
        }
    } else {
        gemm_vec beta = gemm_all(t->beta);
        GEMM_UNROLL
        for (int i = 0; i < rows; i++, c += t->ldc) {
            gemm_store(c, low[i] + beta * gemm_load(c));
            gemm_store(c + GEMM_LANES, high[i] + beta * gemm_load(c + GEMM_LANES));
        }
    }
}

/* rows and step_a are constants where this is called. */
GEMM_INLINE void gemm_tile_rows(const struct gemm_tile *t, int first, int rows, size_t row_a,
                                int step_a)
{
    gemm_vec low[GEMM_ROWS], high[GEMM_ROWS];
    const real *a = t->a + (size_t)first * row_a, *b = t->b;
    real *c = t->c + (size_t)first * t->ldc;
    GEMM_UNROLL
    for (int i = 0; i < rows; i++) low[i] = high[i] = (gemm_vec){0};
    GEMM_UNROLL
    for (int i = 0; i < rows; i++) __builtin_prefetch(c + (size_t)i * t->ldc, 1);
    for (int l = 0; l < t->depth; l++, a += step_a, b += GEMM_COLUMNS) {
        gemm_vec b0 = gemm_load(b), b1 = gemm_load(b + GEMM_LANES);
        GEMM_UNROLL
        for (int i = 0; i < rows; i++) {
            gemm_vec x = gemm_all(a[(size_t)i * row_a]);
            low[i] += x * b0;
            high[i] += x * b1;
        }
    }
    gemm_finish(t, c, low, high, rows);
}

/* Not inlined: the sums then have all registers. */
GEMM_INLINE void gemm_tile_any(const struct gemm_tile *t, int rows, size_t row_a, int step_a)
{
    int i = 0;
    if (rows == GEMM_ROWS) {
        gemm_tile_rows(t, 0, GEMM_ROWS, row_a, step_a);
        return;
    }
    for (; GEMM_ROWS > 8 && i + 8 <= rows; i += 8)
        gemm_tile_rows(t, i, GEMM_ROWS > 8 ? 8 : 1, row_a, step_a);
    for (; i + 4 <= rows; i += 4) gemm_tile_rows(t, i, 4, row_a, step_a);
    for (; i + 2 <= rows; i += 2) gemm_tile_rows(t, i, 2, row_a, step_a);
    if (i < rows) gemm_tile_rows(t, i, 1, row_a, step_a);
}

static __attribute__((noinline)) void gemm_tile_in_place(const struct gemm_tile *t, int rows)
{
    gemm_tile_any(t, rows, t->row_a, 1);
}

static __attribute__((noinline)) void gemm_tile_packed(const struct gemm_tile *t, int rows)
{
    gemm_tile_any(t, rows, 1, GEMM_ROWS);
}

typedef real gemm_four __attribute__((vector_size(4 * sizeof(real))));

/* 4 x 4: rows of `from`, `column` apart, to columns of rows of GEMM_COLUMNS. */
GEMM_INLINE void gemm_turn(real *to, const real *from, size_t column)
{
    gemm_four r[4], t[4], out[4];
    for (int i = 0; i < 4; i++) memcpy(&r[i], from + (size_t)i * column, sizeof r[i]);
    t[0] = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    t[1] = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    t[2] = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    t[3] = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    for (int i = 0; i < 2; i++) {
        out[2 * i] = __builtin_shufflevector(t[2 * i], t[2 * i + 1], 0, 1, 4, 5);
        out[2 * i + 1] = __builtin_shufflevector(t[2 * i], t[2 * i + 1], 2, 3, 6, 7);
    }
    for (int i = 0; i < 4; i++) memcpy(to + i * GEMM_COLUMNS, &out[i], sizeof out[i]);
}

/* depth x columns of b to rows of GEMM_COLUMNS, the rest zero */
static void gemm_pack_b(real *to, const real *b, size_t row, size_t column, int depth, int columns)
{
    int l = 0;
    if (columns < GEMM_COLUMNS) memset(to, 0, (size_t)(depth * GEMM_COLUMNS) * sizeof *to);
    for (; column == 1 && columns == GEMM_COLUMNS && l < depth; l++) {
        if (l + GEMM_AHEAD < depth) __builtin_prefetch(b + (size_t)(l + GEMM_AHEAD) * row);
        memcpy(to + l * GEMM_COLUMNS, b + (size_t)l * row, GEMM_COLUMNS * sizeof(real));
    }
    for (; row == 1 && columns == GEMM_COLUMNS && l + 4 <= depth; l += 4)
        for (int j = 0; j < GEMM_COLUMNS; j += 4)
            gemm_turn(to + l * GEMM_COLUMNS + j, b + (size_t)l + (size_t)j * column, column);
    for (; l < depth; l++)
        for (int j = 0; j < columns; j++)
            to[l * GEMM_COLUMNS + j] = b[(size_t)l * row + (size_t)j * column];
}

/* One column of a, `rows` numbers next to each other, to the panels that start at `to`, `size` apart.
 * Where that is a whole vector, more is copied than belongs there: the next column overwrites it. */
GEMM_INLINE void gemm_pack_column(real *to, size_t size, const real *a, int rows, int is_last)
{
    int i = 0;
    if (GEMM_LANES == GEMM_ROWS + 2 && !is_last)
        for (; i + GEMM_LANES <= rows; i += GEMM_ROWS, to += size) gemm_store(to, gemm_load(a + i));
    for (; i + GEMM_ROWS <= rows; i += GEMM_ROWS, to += size)
        memcpy(to, a + i, GEMM_ROWS * sizeof(real));
    for (int r = 0; i < rows && r < GEMM_ROWS; r++) to[r] = i + r < rows ? a[i + r] : 0;
}

/* rows x depth of a to panels of GEMM_ROWS rows, column by column; zeros below the last row */
static void gemm_pack_a(real *to, const real *a, size_t row, size_t column, int rows, int depth)
{
    size_t size = (size_t)depth * GEMM_ROWS;
    for (int l = 0; row == 1 && l < depth; l++, to += GEMM_ROWS, a += column) {
        for (int i = 0; l + GEMM_AHEAD < depth && i < rows; i += GEMM_LINE)
            __builtin_prefetch(a + GEMM_AHEAD * column + i);
        gemm_pack_column(to, size, a, rows, l == depth - 1);
    }
    for (int l = 0; row != 1 && l < depth; l++, to += GEMM_ROWS, a += column)
        for (int i = 0; i < (rows + GEMM_ROWS - 1) / GEMM_ROWS * GEMM_ROWS; i++)
            to[(size_t)(i / GEMM_ROWS) * size + (size_t)(i % GEMM_ROWS)] =
                i < rows ? a[(size_t)i * row] : 0;
}

GEMM_INLINE int gemm_at_most(int value, int most)
{
    return value < most ? value : most;
}

/* Depth cut into equal parts of at most `most`. */
GEMM_INLINE int gemm_part(int k, int most)
{
    int parts = (k + most - 1) / most;
    return parts > 1 ? (k + parts - 1) / parts : k;
}

/* Asks for two cache lines of the panel that will be packed next, while tile i is at work: weights
 * come from far away. b is where that panel starts. */
GEMM_INLINE void gemm_fetch_ahead(const real *b, size_t row, size_t column, int depth, int i)
{
    for (int line = 2 * i; line < 2 * i + 2; line++) {
        int j = line % GEMM_COLUMNS, l = line / GEMM_COLUMNS * GEMM_COLUMNS;
        if (column == 1 && line < depth) __builtin_prefetch(b + (size_t)line * row);
        if (column != 1 && l < depth) __builtin_prefetch(b + (size_t)j * column + l);
    }
}

GEMM_INLINE struct gemm_tile gemm_tile_at(const struct gemm_product *p, const real *panel, int l,
                                          int j, int part)
{
    return (struct gemm_tile){.b = panel,
                              .row_a = p->row_a,
                              .ldc = p->ldc,
                              .depth = gemm_at_most(p->k - l, part),
                              .columns = gemm_at_most(p->n - j, GEMM_COLUMNS),
                              .alpha = p->alpha,
                              .beta = l == 0 ? p->beta : 1};
}

/* a by rows: one panel of b at a time stays in the first-level cache, all rows of a go past it
 * unpacked. */
static void gemm_by_rows(const struct gemm_product *p)
{
    _Alignas(64) real panel[GEMM_DEPTH * GEMM_COLUMNS];
    int part = gemm_part(p->k, GEMM_DEPTH);
    for (int j = 0; j < p->n; j += GEMM_COLUMNS) {
        for (int l = 0; l < p->k; l += part) {
            struct gemm_tile t = gemm_tile_at(p, panel, l, j, part);
            const real *b = p->b + (size_t)l * p->row_b + (size_t)j * p->column_b;
            gemm_pack_b(panel, b, p->row_b, p->column_b, t.depth, t.columns);
            for (int i = 0; i < p->m; i += GEMM_ROWS) {
                if (j + 2 * GEMM_COLUMNS <= p->n)
                    gemm_fetch_ahead(b + GEMM_COLUMNS * p->column_b, p->row_b, p->column_b, t.depth,
                                     i / GEMM_ROWS);
                t.a = p->a + (size_t)i * p->row_a + l;
                t.c = p->c + (size_t)i * p->ldc + j;
                gemm_tile_in_place(&t, gemm_at_most(p->m - i, GEMM_ROWS));
            }
        }
    }
}

/* Packs columns j .. of b from row l on: panels of GEMM_COLUMNS one after the other. */
static void gemm_pack_panels(real *to, const struct gemm_product *p, int l, int j, int depth,
                             int columns)
{
    const real *b = p->b + (size_t)l * p->row_b + (size_t)j * p->column_b;
    for (int c = 0; c < columns; c += GEMM_COLUMNS) {
        gemm_pack_b(to, b, p->row_b, p->column_b, depth, gemm_at_most(columns - c, GEMM_COLUMNS));
        to += depth * GEMM_COLUMNS;
        b += GEMM_COLUMNS * p->column_b;
    }
}

/* Packed numbers, `width` and more up to a multiple of `panel`, become bf16. */
static void gemm_round(real *packed, int depth, int width, int panel)
{
    size_t count = (size_t)depth * (size_t)((width + panel - 1) / panel * panel);
    for (size_t i = 0; i < count; i++) packed[i] = (real)bf16_round((float)packed[i]);
}

/* a in any order: panels of b and a block of a are packed and stay in the second-level cache. */
static void gemm_by_blocks(const struct gemm_product *p)
{
    _Alignas(64) real panels[GEMM_DEEP * GEMM_WIDE];
    _Alignas(64) real block[GEMM_DEEP * GEMM_BLOCK];
    int part = gemm_part(p->k, GEMM_DEEP);
    for (int l = 0; l < p->k; l += part) {
        int depth = gemm_at_most(p->k - l, part), packed = -1;
        for (int wide = 0; wide < p->n; wide += GEMM_WIDE) {
            int columns = gemm_at_most(p->n - wide, GEMM_WIDE);
            gemm_pack_panels(panels, p, l, wide, depth, columns);
            if (p->is_rounded) gemm_round(panels, depth, columns, GEMM_COLUMNS);
            for (int i = 0; i < p->m; i += GEMM_BLOCK) {
                int rows = gemm_at_most(p->m - i, GEMM_BLOCK);
                if (i != packed) {
                    gemm_pack_a(block, p->a + (size_t)i * p->row_a + (size_t)l * p->column_a,
                                p->row_a, p->column_a, rows, depth);
                    if (p->is_rounded) gemm_round(block, depth, rows, GEMM_ROWS);
                }
                packed = i;
                for (int j = 0; j < columns; j += GEMM_COLUMNS) {
                    struct gemm_tile t =
                        gemm_tile_at(p, panels + (size_t)depth * (size_t)j, l, wide + j, part);
                    for (int r = 0; r < rows; r += GEMM_ROWS) {
                        t.a = block + (size_t)r * (size_t)depth;
                        t.c = p->c + (size_t)(i + r) * p->ldc + wide + j;
                        gemm_tile_packed(&t, gemm_at_most(rows - r, GEMM_ROWS));
                    }
                }
            }
        }
    }
}

/* Unused where a BLAS takes their place. */
static __attribute__((unused)) void gemm_nt(int m, int n, int k, real alpha, const real *a, int lda,
                                            const real *b, int ldb, real beta, real *c, int ldc)
{
    gemm_by_rows(&(struct gemm_product){m, n, k, alpha, a, (size_t)lda, 1, b, 1, (size_t)ldb, beta,
                                        c, (size_t)ldc, 0});
}

static __attribute__((unused)) void gemm_nn(int m, int n, int k, real alpha, const real *a, int lda,
                                            const real *b, int ldb, real beta, real *c, int ldc)
{
    gemm_by_rows(&(struct gemm_product){m, n, k, alpha, a, (size_t)lda, 1, b, (size_t)ldb, 1, beta,
                                        c, (size_t)ldc, 0});
}

static __attribute__((unused)) void gemm_tn(int m, int n, int k, real alpha, const real *a, int lda,
                                            const real *b, int ldb, real beta, real *c, int ldc)
{
    gemm_by_blocks(&(struct gemm_product){m, n, k, alpha, a, 1, (size_t)lda, b, (size_t)ldb, 1,
                                          beta, c, (size_t)ldc, 0});
}

/* The same with factors rounded to bf16. */
static void gemm_nt_rounded(int m, int n, int k, real alpha, const real *a, int lda, const real *b,
                            int ldb, real beta, real *c, int ldc)
{
    gemm_by_blocks(&(struct gemm_product){m, n, k, alpha, a, (size_t)lda, 1, b, 1, (size_t)ldb,
                                          beta, c, (size_t)ldc, 1});
}

static void gemm_nn_rounded(int m, int n, int k, real alpha, const real *a, int lda, const real *b,
                            int ldb, real beta, real *c, int ldc)
{
    gemm_by_blocks(&(struct gemm_product){m, n, k, alpha, a, (size_t)lda, 1, b, (size_t)ldb, 1,
                                          beta, c, (size_t)ldc, 1});
}

static void gemm_tn_rounded(int m, int n, int k, real alpha, const real *a, int lda, const real *b,
                            int ldb, real beta, real *c, int ldc)
{
    gemm_by_blocks(&(struct gemm_product){m, n, k, alpha, a, 1, (size_t)lda, b, (size_t)ldb, 1,
                                          beta, c, (size_t)ldc, 1});
}
