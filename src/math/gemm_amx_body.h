/* Body of the AMX products. Whoever includes it has the tile instructions under the names that
 * immintrin.h gives them: the compiler's, or in a test their imitation in plain C.
 *
 * A tile has 16 rows of 64 bytes. One of c holds 16 x 16 sums; one of a 16 rows of 32 bf16 along k; one
 * of b 16 pairs of rows of k, the two numbers of a column next to each other. Four tiles of c (32 x 32)
 * are summed from two of a and two of b over the whole depth:
 *
 *   tile 0, 1, 2, 3   c: upper left, upper right, lower left, lower right
 *   tile 4, 5         a: upper, lower          tile 6, 7   b: left, right */
#include "math/bf16.h"
#include "math/gemm.h"
#include "math/gemm_amx.h"

enum {
    AMX_ROWS = 16, /* of a tile */
    AMX_SIDE = 32, /* of c: two tiles each way */
    AMX_PAIRS = 16,
    AMX_STEP = 32,   /* numbers along k in a tile of a or b */
    AMX_DEPTH = 512, /* of what is packed at once */
    AMX_WIDE = 128   /* columns of b packed at once: 128 kB */
};

/* What _tile_loadconfig reads. */
struct amx_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t bytes[16]; /* of a row, per tile */
    uint8_t rows[16];
};

struct amx_work {
    uint16_t b[AMX_WIDE * AMX_DEPTH]; /* panels of 32 columns: depth / 2 rows of 32 pairs */
    uint16_t a[AMX_SIDE * AMX_DEPTH]; /* 32 rows of `depth` */
    float c[AMX_SIDE * AMX_SIDE];
};

/* rows x depth of a (from row i and column l on) to 32 rows of `padded` bf16, zeros around */
static void amx_pack_a(uint16_t *to, const struct gemm_product *p, int i, int l, int rows,
                       int depth, int padded)
{
    const float *a = p->a + (size_t)i * p->row_a + (size_t)l * p->column_a;
    for (int r = 0; r < AMX_SIDE; r++, to += padded) {
        int used = r < rows ? depth : 0;
        if (p->column_a == 1) {
            const float *row = a + (size_t)r * p->row_a;
            for (int d = 0; d < used; d++) to[d] = bf16_bits(row[d]);
        }
        for (int d = used; d < padded; d++) to[d] = 0;
    }
    if (p->column_a == 1) return;
    to -= (size_t)AMX_SIDE * (size_t)padded;
    for (int d = 0; d < depth; d++)
        for (int r = 0; r < rows; r++)
            to[r * padded + d] = bf16_bits(a[(size_t)d * p->column_a + (size_t)r * p->row_a]);
}

/* depth x columns of b (up to 32 columns) to pairs: number (d, j) at row d / 2, place 2 j + d % 2 */
static void amx_pack_b(uint16_t *to, const struct gemm_product *p, int l, int j, int depth,
                       int columns, int padded)
{
    const float *b = p->b + (size_t)l * p->row_b + (size_t)j * p->column_b;
    if (columns < AMX_SIDE || depth < padded)
        memset(to, 0, (size_t)(padded * AMX_SIDE) * sizeof *to);
    for (int d = 0; d < depth; d++) {
        uint16_t *row = to + d / 2 * 2 * AMX_SIDE + d % 2;
        const float *from = b + (size_t)d * p->row_b;
        for (int c = 0; c < columns; c++) row[2 * c] = bf16_bits(from[(size_t)c * p->column_b]);
    }
}

/* Compilers do not know that a tile instruction reads memory: what was written before is in memory. */
static void amx_settle(void)
{
    __asm__ volatile("" ::: "memory");
}

/* 32 x 32 sums over the padded depth, from packed a and one packed panel of b. */
static void amx_tiles(struct amx_work *w, const uint16_t *panel, int padded)
{
    const int row_a = padded * 2, row_b = AMX_SIDE * 4, row_c = AMX_SIDE * 4; /* bytes */
    amx_settle();
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int d = 0; d < padded; d += AMX_STEP) {
        const uint16_t *b = panel + (size_t)d * AMX_SIDE;
        _tile_loadd(4, w->a + d, row_a);
        _tile_loadd(5, w->a + (size_t)AMX_ROWS * (size_t)padded + d, row_a);
        _tile_loadd(6, b, row_b);
        _tile_loadd(7, b + 2 * AMX_ROWS, row_b);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, w->c, row_c);
    _tile_stored(1, w->c + AMX_ROWS, row_c);
    _tile_stored(2, w->c + AMX_ROWS * AMX_SIDE, row_c);
    _tile_stored(3, w->c + AMX_ROWS * AMX_SIDE + AMX_ROWS, row_c);
    amx_settle();
}

static void amx_finish(const struct gemm_product *p, const float *sum, int i, int j, int rows,
                       int columns, float beta)
{
    for (int r = 0; r < rows; r++, sum += AMX_SIDE) {
        float *c = p->c + (size_t)(i + r) * p->ldc + j;
        if (beta == 0)
            for (int q = 0; q < columns; q++) c[q] = p->alpha * sum[q];
        else
            for (int q = 0; q < columns; q++) c[q] = p->alpha * sum[q] + beta * c[q];
    }
}

static int amx_at_most(int value, int most)
{
    return value < most ? value : most;
}

/* Panels of b are packed once, rows of a as they come by. */
static void amx_product(const struct gemm_product *p)
{
    _Alignas(64) struct amx_work w;
    _Alignas(64) struct amx_config config = {.palette = 1};
    for (int t = 0; t < 8; t++) config.bytes[t] = 64, config.rows[t] = AMX_ROWS;
    amx_settle();
    _tile_loadconfig(&config);
    for (int l = 0; l < p->k; l += AMX_DEPTH) {
        int depth = amx_at_most(p->k - l, AMX_DEPTH);
        int padded = (depth + AMX_STEP - 1) / AMX_STEP * AMX_STEP;
        for (int wide = 0; wide < p->n; wide += AMX_WIDE) {
            int width = amx_at_most(p->n - wide, AMX_WIDE);
            for (int j = 0; j < width; j += AMX_SIDE)
                amx_pack_b(w.b + (size_t)j * (size_t)padded, p, l, wide + j, depth,
                           amx_at_most(width - j, AMX_SIDE), padded);
            for (int i = 0; i < p->m; i += AMX_SIDE) {
                int rows = amx_at_most(p->m - i, AMX_SIDE);
                amx_pack_a(w.a, p, i, l, rows, depth, padded);
                for (int j = 0; j < width; j += AMX_SIDE) {
                    amx_tiles(&w, w.b + (size_t)j * (size_t)padded, padded);
                    amx_finish(p, w.c, i, wide + j, rows, amx_at_most(width - j, AMX_SIDE),
                               l == 0 ? p->beta : 1);
                }
            }
        }
    }
    _tile_release();
}

void gemm_amx_nt(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
                 real beta, real *c, int ldc)
{
    amx_product(&(struct gemm_product){m, n, k, alpha, a, (size_t)lda, 1, b, 1, (size_t)ldb, beta,
                                       c, (size_t)ldc, 1});
}

void gemm_amx_nn(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
                 real beta, real *c, int ldc)
{
    amx_product(&(struct gemm_product){m, n, k, alpha, a, (size_t)lda, 1, b, (size_t)ldb, 1, beta,
                                       c, (size_t)ldc, 1});
}

void gemm_amx_tn(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
                 real beta, real *c, int ldc)
{
    amx_product(&(struct gemm_product){m, n, k, alpha, a, 1, (size_t)lda, b, (size_t)ldb, 1, beta,
                                       c, (size_t)ldc, 1});
}
