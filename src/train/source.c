#include "train/source.h"

#include "core/hash.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Own instances, sorted by number of nodes. */
struct own_entry {
    const ucpo_instance *inst;
    size_t index;
};

struct own_data {
    ucpo_dataset *set;
    struct own_entry *by_size;
    size_t count;
};

struct source {
    const struct train_plan *plan;
    struct own_data own[TRAIN_MAX_PHASES];
    ucpo_dataset *drawn; /* the last generated batch */
    const ucpo_instance **instance;
    struct source_skips skips;
};

/* ---- own files ---- */

/* Takes an instance; one without coordinates gets some. */
static ucpo_status adopt(const struct prob_ops *ops, const ucpo_instance *inst, const char *path,
                         ucpo_dataset *into, ucpo_error *err)
{
    const ucpo_instance_data *d = &inst->data;
    if (inst->ops != ops)
        return status_fail_at(err, UCPO_E_MISMATCH, path, 0, "the instance is %s, the model %s",
                              d->problem, ops->info.name);
    if (d->n < 3)
        return status_fail_at(err, UCPO_E_UNSUPPORTED, path, 0,
                              "the instance has %d nodes, nothing to learn below 3", (int)d->n);
    if (d->x) return ucpo_dataset_share(into, inst, err);
    ucpo_instance *embedded = NULL;
    ucpo_status st = embed_instance(inst->load, &embedded, err);
    if (!st) st = ucpo_dataset_add(into, embedded, err);
    if (st) ucpo_instance_free(embedded);
    return st;
}

/* skips NULL: a file that somebody named must hold instances. */
static ucpo_status read_file(const struct prob_ops *ops, const char *path, ucpo_dataset *into,
                             struct source_skips *skips, ucpo_error *err)
{
    ucpo_read_config options = ucpo_read_config_default();
    options.problem = ops->info.name;
    ucpo_dataset *set = NULL;
    char *bytes = NULL;
    size_t size = 0;
    ucpo_status st = ucpo_file_read(path, &bytes, &size, err);
    if (!st && skips && !ucpo_format_detect(bytes, size)) {
        if (skips->count++ == 0) snprintf(skips->first, sizeof skips->first, "%s", path);
        ucpo_bytes_free(bytes);
        return UCPO_OK;
    }
    if (!st) st = ucpo_read_bytes(bytes, size, path, &options, &set, err);
    ucpo_bytes_free(bytes);
    for (size_t i = 0; !st && i < ucpo_dataset_count(set); i++)
        st = adopt(ops, ucpo_dataset_at(set, i), path, into, err);
    ucpo_dataset_free(set);
    return st;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static ucpo_status read_directory(const struct prob_ops *ops, const char *path, ucpo_dataset *into,
                                  struct source_skips *skips, ucpo_error *err)
{
    struct dirent **entry = NULL;
    int count = scandir(path, &entry, is_visible, by_name);
    ucpo_status st = UCPO_OK;
    if (count < 0)
        return status_fail_at(err, UCPO_E_IO, path, 0, "cannot be read: error %d", errno);
    for (int i = 0; i < count; i++) {
        char name[TRAIN_PATH + 300];
        snprintf(name, sizeof name, "%s/%s", path, entry[i]->d_name);
        struct stat about;
        int is_file = stat(name, &about) != 0 || !S_ISDIR(about.st_mode);
        if (!st && is_file) st = read_file(ops, name, into, skips, err);
        free(entry[i]);
    }
    free(entry);
    return st;
}

ucpo_status source_read(const struct prob_ops *ops, const char *path, ucpo_dataset **out,
                        struct source_skips *skips, ucpo_error *err)
{
    struct source_skips ignored = {0};
    struct stat about;
    if (!skips) skips = &ignored;
    ucpo_dataset *set = NULL;
    ucpo_status st = ucpo_dataset_create(&set, err);
    if (st) return st;
    int is_directory = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    st = is_directory ? read_directory(ops, path, set, skips, err)
                      : read_file(ops, path, set, NULL, err);
    if (!st && ucpo_dataset_count(set) == 0)
        st = status_format(err, path, 0, "holds no instance to train on");
    if (st) {
        ucpo_dataset_free(set);
        return st;
    }
    *out = set;
    return UCPO_OK;
}

static int by_nodes(const void *a, const void *b)
{
    const struct own_entry *left = a, *right = b;
    int more = left->inst->data.n - right->inst->data.n;
    return more ? more : (left->index > right->index) - (left->index < right->index);
}

int source_is_held(size_t index, size_t count)
{
    size_t stride = count < 10 ? count : 10;
    return count >= 5 && index % stride == stride - 1;
}

struct source_skips source_skipped(const struct source *s)
{
    return s->skips;
}

static ucpo_status read_own(struct source *s, const char *path, struct own_data *own,
                            ucpo_error *err)
{
    const struct train_plan *plan = s->plan;
    ucpo_status st = source_read(plan->ops, path, &own->set, &s->skips, err);
    if (st) return st;
    size_t all = ucpo_dataset_count(own->set);
    int is_split = train_plan_splits(plan) && strcmp(path, plan->phase[plan->phases - 1].data) == 0;
    own->by_size = mem_zeroed(all, sizeof *own->by_size);
    if (!own->by_size) return status_no_memory(err, all * sizeof *own->by_size);
    for (size_t i = 0; i < all; i++)
        if (!is_split || !source_is_held(i, all))
            own->by_size[own->count++] = (struct own_entry){ucpo_dataset_at(own->set, i)->load, i};
    qsort(own->by_size, own->count, sizeof *own->by_size, by_nodes);
    return UCPO_OK;
}

/* ---- what was read ---- */

uint64_t source_hash(const ucpo_dataset *set)
{
    uint64_t hash = HASH_BEGIN;
    for (size_t i = 0; i < ucpo_dataset_count(set); i++)
        hash = instance_hash(hash, &ucpo_dataset_at(set, i)->load->data);
    return hash;
}

const ucpo_dataset *source_own(const struct source *s, int phase)
{
    return s->own[phase].set;
}

/* ---- life ---- */

ucpo_status source_create(const struct train_plan *plan, struct source **out, ucpo_error *err)
{
    struct source *s = mem_zeroed(1, sizeof *s);
    if (!s) return status_no_memory(err, sizeof *s);
    s->plan = plan;
    ucpo_status st = UCPO_OK;
    int64_t most = 1;
    for (int p = 0; !st && p < plan->phases; p++) {
        if (plan->phase[p].batch > most) most = plan->phase[p].batch;
        if (plan->phase[p].data[0]) st = read_own(s, plan->phase[p].data, &s->own[p], err);
    }
    if (!st) {
        s->instance = mem_zeroed((size_t)most, sizeof *s->instance);
        if (!s->instance) st = status_no_memory(err, (size_t)most * sizeof *s->instance);
    }
    if (st) {
        source_free(s);
        return st;
    }
    *out = s;
    return UCPO_OK;
}

void source_free(struct source *s)
{
    if (!s) return;
    for (int p = 0; p < TRAIN_MAX_PHASES; p++) {
        ucpo_dataset_free(s->own[p].set);
        free(s->own[p].by_size);
    }
    ucpo_dataset_free(s->drawn);
    free(s->instance);
    free(s);
}

/* ---- batches ---- */

static int pick(const struct train_mix *mix, double at)
{
    int i = 0;
    for (double sum = mix->weight[0]; i + 1 < mix->count && at >= sum; sum += mix->weight[i]) i++;
    return i;
}

/* Which size and level a batch has; for own data a place, whose size the batch takes. */
struct choice {
    int size, level;
    size_t place;
};

static struct choice choose(const struct source *s, int phase, uint64_t batch)
{
    const struct train_phase *p = &s->plan->phase[phase];
    struct rng rng = rng_at(s->plan->run.seed, RNG_MIX, batch);
    double first = rng_uniform(&rng), second = rng_uniform(&rng);
    if (p->data[0]) return (struct choice){.place = (size_t)(first * (double)s->own[phase].count)};
    return (struct choice){.size = pick(&p->sizes, first), .level = pick(&p->levels, second)};
}

static int nodes_of_size(const struct source *s, int32_t size)
{
    return size + (s->plan->ops->info.depot_is_extra ? 1 : 0);
}

int source_nodes(const struct source *s, int phase, uint64_t batch)
{
    struct choice choice = choose(s, phase, batch);
    if (s->own[phase].count > 0) return s->own[phase].by_size[choice.place].inst->data.n;
    return nodes_of_size(s, s->plan->phase[phase].sizes.number[choice.size]);
}

/* The largest number of nodes below `limit` that a phase can meet; 0: none. */
static int largest_below(const struct source *s, int phase, int limit)
{
    const struct own_data *own = &s->own[phase];
    const struct train_mix *sizes = &s->plan->phase[phase].sizes;
    int largest = 0;
    for (size_t i = own->count; i-- > 0 && largest == 0;)
        if (own->by_size[i].inst->data.n < limit) largest = own->by_size[i].inst->data.n;
    for (int i = 0; own->count == 0 && i < sizes->count; i++) {
        int n = nodes_of_size(s, sizes->number[i]);
        if (n < limit && n > largest) largest = n;
    }
    return largest;
}

int source_sizes(const struct source *s, int phase, int *nodes, int most)
{
    int count = 0;
    for (int n = INT_MAX; (n = largest_below(s, phase, n)) > 0; count++)
        if (count < most) nodes[count] = n;
    return count;
}

enum { SHARE_BATCHES = 1000 };

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int source_shares(const struct source *s, int phase, struct source_share share[SOURCE_SHARES])
{
    int n[SHARE_BATCHES], count = 0, sizes = 0;
    for (int b = 0; b < SHARE_BATCHES; b++) n[b] = source_nodes(s, phase, (uint64_t)b);
    qsort(n, SHARE_BATCHES, sizeof *n, ascending);
    for (int b = 0; b < SHARE_BATCHES; b++) sizes += b == 0 || n[b] != n[b - 1];
    int stride = sizes <= SOURCE_SHARES ? 1 : SHARE_BATCHES / SOURCE_SHARES;
    double weight = (double)stride / SHARE_BATCHES;
    for (int b = stride / 2; b < SHARE_BATCHES; b += stride) {
        if (count > 0 && share[count - 1].n == n[b])
            share[count - 1].weight += weight;
        else
            share[count++] = (struct source_share){.n = n[b], .weight = weight};
    }
    for (int i = 0; i < count; i++)
        while (source_nodes(s, phase, (uint64_t)share[i].batch) != share[i].n) share[i].batch++;
    return count;
}

/* Instances of the size that stands at `place`, each drawn at random. */
static void draw_own(struct source *s, const struct own_data *own, size_t place, uint64_t first,
                     struct source_batch *out)
{
    size_t begin = place, end = place;
    out->n = own->by_size[place].inst->data.n;
    while (begin > 0 && own->by_size[begin - 1].inst->data.n == out->n) begin--;
    while (end < own->count && own->by_size[end].inst->data.n == out->n) end++;
    for (int i = 0; i < out->count; i++) {
        struct rng rng = rng_at(s->plan->run.seed, RNG_MIX + 16, first + (uint64_t)i);
        s->instance[i] = own->by_size[begin + rng_below(&rng, (uint32_t)(end - begin))].inst;
    }
}

static ucpo_status draw_generated(struct source *s, int phase, struct choice choice, uint64_t first,
                                  struct source_batch *out, ucpo_error *err)
{
    const struct train_phase *p = &s->plan->phase[phase];
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = s->plan->ops->info.name, g.level = p->levels.word[choice.level];
    g.size = p->sizes.number[choice.size], g.seed = s->plan->run.seed;
    g.first = (size_t)first, g.count = (size_t)out->count, g.threads = (int)s->plan->run.threads;
    ucpo_dataset_free(s->drawn);
    s->drawn = NULL;
    ucpo_status st = ucpo_generate(&g, &s->drawn, err);
    for (int i = 0; !st && i < out->count; i++)
        s->instance[i] = ucpo_dataset_at(s->drawn, (size_t)i);
    out->n = nodes_of_size(s, g.size);
    return st;
}

ucpo_status source_draw(struct source *s, int phase, uint64_t batch, uint64_t first, int begin,
                        int end, struct source_batch *out, ucpo_error *err)
{
    struct choice choice = choose(s, phase, batch);
    *out = (struct source_batch){.count = end - begin, .instance = s->instance};
    first += (uint64_t)begin;
    if (s->own[phase].count == 0) return draw_generated(s, phase, choice, first, out, err);
    draw_own(s, &s->own[phase], choice.place, first, out);
    return UCPO_OK;
}
