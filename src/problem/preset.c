/* The ten published validation sets, bit for bit, and ten of our own.
 *
 * The published ones were drawn with two generators: M, the Mersenne twister of NumPy's legacy interface, and P,
 * the counter-based generator of a GPU framework with a launch of at most 272 blocks of 256
 * threads. Reproducing the sets means reproducing which generator is asked for what, in which
 * order. All float arithmetic below is float32 on purpose, in the order given. */
#include "problem/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SET_SIZE 10000
#define SET_SEED 2025u

/* ---- stream M: MT19937 with single-integer seeding ---- */

#define MT_WORDS 624

struct twister {
    uint32_t state[MT_WORDS];
    int next;
};

static void twister_seed(struct twister *t, uint32_t seed)
{
    t->state[0] = seed;
    for (uint32_t i = 1; i < MT_WORDS; i++) {
        uint32_t last = t->state[i - 1];
        t->state[i] = 1812433253u * (last ^ (last >> 30)) + i;
    }
    t->next = MT_WORDS;
}

static void twister_refill(struct twister *t)
{
    uint32_t *s = t->state;
    for (int i = 0; i < MT_WORDS; i++) {
        uint32_t y = (s[i] & 0x80000000u) | (s[(i + 1) % MT_WORDS] & 0x7fffffffu);
        s[i] = s[(i + 397) % MT_WORDS] ^ (y >> 1) ^ ((y & 1u) ? 0x9908b0dfu : 0u);
    }
    t->next = 0;
}

static uint32_t twister_u32(struct twister *t)
{
    if (t->next == MT_WORDS) twister_refill(t);
    uint32_t y = t->state[t->next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

static double twister_double(struct twister *t)
{
    uint32_t a = twister_u32(t) >> 5, b = twister_u32(t) >> 6;
    return ((double)a * 67108864.0 + (double)b) / 9007199254740992.0;
}

/* 0 .. max by masked rejection */
static uint32_t twister_bounded(struct twister *t, uint32_t max)
{
    uint32_t mask = max;
    for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
    for (;;) {
        uint32_t value = twister_u32(t) & mask;
        if (value <= max) return value;
    }
}

/* ---- stream P: Philox with a running offset ---- */

struct gpu_stream {
    uint64_t offset;
};

static void gpu_block(uint64_t counter, uint32_t thread, uint32_t out[4])
{
    const uint32_t key[2] = {SET_SEED, 0};
    const uint32_t words[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), thread, 0};
    philox4x32(words, key, out);
}

static float gpu_uniform(uint32_t word)
{
    float rounded = (float)word;
    float value = (float)((double)rounded * 0x1p-32 + 0x1p-33); /* exact in double: one rounding */
    return value == 1.0f ? 0.0f : value;
}

/* Uniform floats in the order in which a grid of threads writes them. */
static void gpu_fill(struct gpu_stream *p, float *out, size_t count)
{
    size_t blocks = (count + 255) / 256;
    if (blocks > 272) blocks = 272;
    size_t threads = 256 * blocks;
    size_t rounds = (count - 1) / (4 * threads) + 1;
    for (size_t round = 0; round < rounds; round++) {
        for (size_t thread = 0; thread < threads; thread++) {
            uint32_t word[4];
            if (4 * threads * round + thread >= count) break;
            gpu_block(p->offset / 4 + round, (uint32_t)thread, word);
            for (size_t q = 0; q < 4; q++) {
                size_t position = 4 * threads * round + q * threads + thread;
                if (position < count) out[position] = gpu_uniform(word[q]);
            }
        }
    }
    p->offset += 4 * rounds;
}

/* ---- the sets: rows of four floats per node ---- */

struct preset {
    const char *name;
    const char *problem;
    int32_t n;
    void (*draw)(const struct preset *preset, float *rows, float *scratch);
    double low, high; /* tsptw: window factor; tspdl: share of restricted customers in low */
};

static void draw_tsptw_windows(const struct preset *preset, float *rows, float *scratch)
{
    (void)scratch;
    size_t n = (size_t)preset->n, total = SET_SIZE * n;
    uint32_t horizon = 55u * (uint32_t)n;
    struct twister m;
    twister_seed(&m, SET_SEED);
    for (size_t i = 0; i < total; i++) {
        rows[4 * i] = (float)(twister_double(&m) * 100.0);
        rows[4 * i + 1] = (float)(twister_double(&m) * 100.0);
    }
    for (size_t i = 0; i < total; i++) {
        uint32_t ready = twister_bounded(&m, horizon - 1);
        rows[4 * i + 2] = i % n == 0 ? 0.0f : (float)ready;
    }
    for (size_t i = 0; i < SET_SIZE; i++)
        twister_bounded(&m, (uint32_t)n - 1); /* drawn, not used */
    for (size_t i = 0; i < total; i++) {
        double factor = preset->low + (preset->high - preset->low) * twister_double(&m);
        double width = i % n == 0 ? 2.0 * horizon : nearbyint((double)horizon * factor);
        double due = (double)rows[4 * i + 2] + width;
        rows[4 * i + 3] = (float)(due < 2.0 * horizon ? due : 2.0 * horizon);
    }
}

/* A random order of 0 .. m-1: stable sort by truncated keys, then runs of equal keys shuffled. */
static void gpu_permutation(struct gpu_stream *p, int m, uint16_t *order)
{
    uint32_t key[256];
    int bits = (int)ceil(log2(m - (6.0 * m * m + 1.0) / (12.0 * log(0.9))));
    for (int j = 0; j < m; j++) {
        uint32_t word[4];
        gpu_block(p->offset / 4, (uint32_t)j, word);
        key[j] = (word[0] % 0xFFFFFFFFu) & ((1u << bits) - 1u);
        int at = j; /* insertion keeps equal keys in order */
        for (; at > 0 && key[order[at - 1]] > key[j]; at--) order[at] = order[at - 1];
        order[at] = (uint16_t)j;
    }
    p->offset += 4;
    for (int s = 0; s < m;) {
        int run = 1;
        while (s + run < m && key[order[s + run]] == key[order[s]]) run++;
        uint32_t word[4];
        int drawn = 0;
        for (int i = run - 1; i >= 1; i--, drawn++) {
            if (drawn % 4 == 0) gpu_block(p->offset / 4 + (uint64_t)drawn / 4, (uint32_t)s, word);
            int other = s + (int)(word[drawn % 4] % ((uint32_t)i + 1u));
            uint16_t swap = order[s + i];
            order[s + i] = order[other];
            order[other] = swap;
        }
        s += run;
    }
    p->offset += 4 * (((uint64_t)m + 3) / 4);
}

static void draw_tsptw_hard(const struct preset *preset, float *rows, float *scratch)
{
    size_t n = (size_t)preset->n, total = SET_SIZE * n;
    struct gpu_stream p = {0};
    gpu_fill(&p, scratch, 2 * total);
    for (size_t i = 0; i < total; i++) {
        rows[4 * i] = scratch[2 * i] * 100.0f;
        rows[4 * i + 1] = scratch[2 * i + 1] * 100.0f;
    }
    uint16_t *order = (uint16_t *)scratch; /* the coordinates' scratch is free again */
    for (size_t i = 0; i < SET_SIZE; i++) gpu_permutation(&p, (int)n - 1, order + i * n);
    float *u = scratch + SET_SIZE * n, *v = u + SET_SIZE, *psi = v + SET_SIZE;
    for (size_t i = 0; i < SET_SIZE; i++) {
        psi[i] = 0.0f;
        rows[4 * i * n + 2] = 0.0f;
        rows[4 * i * n + 3] = 100000.0f;
    }
    for (size_t k = 1; k < n; k++) {
        gpu_fill(&p, u, SET_SIZE);
        gpu_fill(&p, v, SET_SIZE);
        for (size_t i = 0; i < SET_SIZE; i++) {
            float *base = rows + 4 * i * n;
            const float *from = k == 1 ? base : base + 4 * ((size_t)order[i * n + k - 2] + 1);
            float *to = base + 4 * ((size_t)order[i * n + k - 1] + 1);
            float dx = from[0] - to[0], dy = from[1] - to[1];
            float d = sqrtf(dx * dx + dy * dy);
            psi[i] += d;
            to[2] = 50.0f * u[i] + (psi[i] - 50.0f);
            to[3] = 50.0f * v[i] + psi[i];
        }
    }
}

/* With unit demands an order exists iff at most q limits are <= q, for every q. */
static int limits_can_be_met(const uint32_t *limit, size_t k, uint32_t top)
{
    uint32_t at_most[256] = {0};
    for (size_t j = 0; j < k; j++) at_most[limit[j]]++;
    for (uint32_t q = 1; q <= top; q++) {
        at_most[q] += at_most[q - 1];
        if (at_most[q] > q) return 0;
    }
    return 1;
}

static void draw_tspdl(const struct preset *preset, float *rows, float *scratch)
{
    size_t n = (size_t)preset->n, total = SET_SIZE * n;
    size_t restricted = (size_t)((double)n * preset->low / 100.0);
    uint32_t top = n > 2 ? (uint32_t)n - 2 : 1; /* largest limit of a restricted port */
    struct gpu_stream p = {0};
    struct twister m;
    twister_seed(&m, SET_SEED);
    gpu_fill(&p, scratch, 2 * total);
    for (size_t i = 0; i < SET_SIZE; i++) {
        float *base = rows + 4 * i * n;
        for (size_t j = 0; j < n; j++) {
            base[4 * j] = scratch[2 * (i * n + j)];
            base[4 * j + 1] = scratch[2 * (i * n + j) + 1];
            base[4 * j + 2] = j == 0 ? 0.0f : 1.0f;
            base[4 * j + 3] = (float)(n - 1);
        }
        uint32_t order[256] = {0}, limit[256];
        for (uint32_t j = 0; j + 1 < n; j++) order[j] = j;
        for (uint32_t j = (uint32_t)n - 2; j >= 1; j--) {
            uint32_t r = twister_bounded(&m, j), swap = order[j];
            order[j] = order[r];
            order[r] = swap;
        }
        do {
            for (size_t j = 0; j < restricted; j++) {
                uint32_t word[4];
                gpu_block(p.offset / 4, (uint32_t)j, word);
                limit[j] = word[0] % top + 1u;
            }
            p.offset += 4;
        } while (!limits_can_be_met(limit, restricted, top));
        for (size_t j = 0; j < restricted; j++) base[4 * (order[j] + 1) + 3] = (float)limit[j];
    }
}

static const struct preset presets[] = {
    {"tsptw50_easy", "tsptw", 50, draw_tsptw_windows, 0.5, 0.75},
    {"tsptw50_medium", "tsptw", 50, draw_tsptw_windows, 0.1, 0.2},
    {"tsptw50_hard", "tsptw", 50, draw_tsptw_hard, 0, 0},
    {"tsptw100_easy", "tsptw", 100, draw_tsptw_windows, 0.5, 0.75},
    {"tsptw100_medium", "tsptw", 100, draw_tsptw_windows, 0.1, 0.2},
    {"tsptw100_hard", "tsptw", 100, draw_tsptw_hard, 0, 0},
    {"tspdl50_medium", "tspdl", 50, draw_tspdl, 75, 0},
    {"tspdl50_hard", "tspdl", 50, draw_tspdl, 90, 0},
    {"tspdl100_medium", "tspdl", 100, draw_tspdl, 75, 0},
    {"tspdl100_hard", "tspdl", 100, draw_tspdl, 90, 0},
};

/* There is no published set of these problems (docs/generators.md): ours come from our generator,
 * with a seed that no training run has by accident. */
#define OWN_SEED 0x7563706f2d736574u

static const struct {
    const char *name, *problem, *level;
    int32_t size;
} own_presets[] = {
    {"cvrptw50_cvrp", "cvrptw", "cvrp", 50},     {"cvrptw50_jampr", "cvrptw", "jampr", 50},
    {"cvrptw100_cvrp", "cvrptw", "cvrp", 100},   {"cvrptw100_jampr", "cvrptw", "jampr", 100},
    {"cvrptwlv50_cvrp", "cvrptwlv", "cvrp", 50}, {"cvrptwlv100_cvrp", "cvrptwlv", "cvrp", 100},
    {"cvrp50_uniform", "cvrp", "uniform", 50},   {"cvrp100_uniform", "cvrp", "uniform", 100},
    {"cvrptw50_mvmoe", "cvrptw", "mvmoe", 50},   {"cvrptw100_mvmoe", "cvrptw", "mvmoe", 100},
};

static const size_t own_count = sizeof own_presets / sizeof own_presets[0];

static const size_t preset_count = sizeof presets / sizeof presets[0];

const char *ucpo_preset_at(size_t index)
{
    if (index < preset_count) return presets[index].name;
    return index - preset_count < own_count ? own_presets[index - preset_count].name : NULL;
}

/* Position among our own, or own_count. */
static size_t own_named(const char *name)
{
    size_t at = 0;
    while (at < own_count && (!name || strcmp(own_presets[at].name, name) != 0)) at++;
    return at;
}

/* Columns 2 and 3 go to ready/due or demand/limit. */
static ucpo_status add_row(const struct preset *preset, const float *rows, ucpo_dataset *set,
                           ucpo_error *err)
{
    struct ucpo_instance *inst = NULL;
    const struct prob_ops *ops = prob_find(preset->problem);
    ucpo_status st = instance_blank(ops, preset->n, &inst, err);
    if (st) return st;
    int is_windowed = (ops->needs & PROB_WINDOWS) != 0;
    struct instance_arrays to = instance_arrays(inst);
    double *third = is_windowed ? to.ready : to.demand;
    double *fourth = is_windowed ? to.due : to.limit;
    for (int32_t j = 0; j < preset->n; j++) {
        const float *row = rows + 4 * (size_t)j;
        to.x[j] = (double)row[0];
        to.y[j] = (double)row[1];
        third[j] = (double)row[2];
        fourth[j] = (double)row[3];
    }
    inst->data.unit = is_windowed ? 100.0 : 1.0;
    inst->data.service = NULL; /* none in these sets */
    st = instance_finish(inst, err);
    if (!st) st = ucpo_dataset_add(set, inst, err);
    if (st) ucpo_instance_free(inst);
    return st;
}

static const struct preset *preset_named(const char *name)
{
    for (size_t i = 0; name && i < preset_count; i++)
        if (strcmp(presets[i].name, name) == 0) return &presets[i];
    return NULL;
}

int prob_is_preset(const char *name)
{
    return preset_named(name) != NULL || own_named(name) < own_count;
}

static ucpo_status find_preset(const char *name, const struct preset **out, ucpo_error *err)
{
    *out = preset_named(name);
    if (*out) return UCPO_OK;
    return status_argument(err,
                           "unknown preset '%s', expected tsptw{50,100}_{easy,medium,hard}, "
                           "tspdl{50,100}_{medium,hard}, cvrptw{50,100}_{cvrp,jampr,mvmoe}, "
                           "cvrptwlv{50,100}_cvrp or cvrp{50,100}_uniform",
                           name ? name : "");
}

static ucpo_status generate_published(const struct preset *chosen, size_t first, size_t count,
                                      ucpo_dataset **out, ucpo_error *err)
{
    size_t n = (size_t)chosen->n;
    float *rows = mem_zeroed(SET_SIZE * n, 4 * sizeof(float));
    float *scratch = mem_zeroed(SET_SIZE * n, 2 * sizeof(float));
    ucpo_dataset *set = NULL;
    ucpo_status st = rows && scratch ? ucpo_dataset_create(&set, err)
                                     : status_no_memory(err, SET_SIZE * n * 6 * sizeof(float));
    if (!st) chosen->draw(chosen, rows, scratch);
    for (size_t i = 0; !st && i < count; i++)
        st = add_row(chosen, rows + 4 * n * (first + i), set, err);
    free(rows);
    free(scratch);
    if (st) {
        ucpo_dataset_free(set);
        return st;
    }
    *out = set;
    return UCPO_OK;
}

ucpo_status ucpo_generate_preset(const char *preset, size_t first, size_t count, ucpo_dataset **out,
                                 ucpo_error *err)
{
    if (!out) return status_argument(err, "out must not be NULL");
    const struct preset *chosen = NULL;
    size_t own = own_named(preset);
    ucpo_status st = own < own_count ? UCPO_OK : find_preset(preset, &chosen, err);
    if (st) return st;
    if (first >= SET_SIZE || count > SET_SIZE - first)
        return status_argument(err, "instances %zu .. %zu asked for, a preset has 0 .. %d", first,
                               first + (count ? count - 1 : 0), SET_SIZE - 1);
    if (count == 0) count = SET_SIZE - first;
    if (chosen) return generate_published(chosen, first, count, out, err);
    ucpo_generate_config config = ucpo_generate_config_default();
    config.problem = own_presets[own].problem, config.level = own_presets[own].level;
    config.size = own_presets[own].size, config.seed = OWN_SEED;
    config.first = first, config.count = count;
    return ucpo_generate(&config, out, err);
}
