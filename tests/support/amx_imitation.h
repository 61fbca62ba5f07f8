/* The tile instructions of AMX in plain C, under the names that immintrin.h gives them, by the
 * operation sections of Intel's manual. For one thread. */
#ifndef UCPO_TEST_AMX_IMITATION_H
#define UCPO_TEST_AMX_IMITATION_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/bf16.h"

struct imitated_tile {
    int rows, bytes;
    uint8_t at[16][64];
};

static struct imitated_tile imitated[8];

static void _tile_loadconfig(const void *config)
{
    const uint8_t *c = config;
    for (int t = 0; t < 8; t++) {
        uint16_t bytes;
        memcpy(&bytes, c + 16 + 2 * t, 2);
        imitated[t] = (struct imitated_tile){.rows = c[48 + t], .bytes = bytes};
    }
}

static void _tile_release(void)
{
    memset(imitated, 0, sizeof imitated);
}

static void _tile_zero(int t)
{
    memset(imitated[t].at, 0, sizeof imitated[t].at);
}

static void _tile_loadd(int t, const void *base, int stride)
{
    for (int r = 0; r < imitated[t].rows; r++)
        memcpy(imitated[t].at[r], (const uint8_t *)base + (long)r * stride,
               (size_t)imitated[t].bytes);
}

static void _tile_stored(int t, void *base, int stride)
{
    for (int r = 0; r < imitated[t].rows; r++)
        memcpy((uint8_t *)base + (long)r * stride, imitated[t].at[r], (size_t)imitated[t].bytes);
}

/* Numbers below the normal range count as zero. */
static float imitated_flush(float x)
{
    return fabsf(x) < FLT_MIN ? copysignf(0, x) : x;
}

static float imitated_number(const struct imitated_tile *t, int row, int place)
{
    uint16_t half;
    memcpy(&half, t->at[row] + 2 * place, 2);
    return imitated_flush(bf16_value(half));
}

/* Even and odd places of the pairs are summed on their own, then together, then to c. */
static void _tile_dpbf16ps(int c, int a, int b)
{
    for (int m = 0; m < imitated[c].rows; m++) {
        for (int n = 0; n < imitated[c].bytes / 4; n++) {
            float part[2] = {0, 0}, sum;
            for (int k = 0; k < imitated[a].bytes / 4; k++)
                for (int h = 0; h < 2; h++)
                    part[h] =
                        imitated_flush(fmaf(imitated_number(&imitated[a], m, 2 * k + h),
                                            imitated_number(&imitated[b], k, 2 * n + h), part[h]));
            memcpy(&sum, imitated[c].at[m] + 4 * n, 4);
            sum = imitated_flush(sum + imitated_flush(part[0] + part[1]));
            memcpy(imitated[c].at[m] + 4 * n, &sum, 4);
        }
    }
}

#endif
