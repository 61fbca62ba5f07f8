/* Where the instances of a run come from: generators in a mixture, or files. Batch number b of
 * phase p is a function of (settings, seed, b), whoever asks for it and in whatever order. */
#ifndef UCPO_TRAIN_SOURCE_H
#define UCPO_TRAIN_SOURCE_H

#include "train/config.h"

struct source;

struct source_batch {
    int n;     /* nodes of every instance */
    int count; /* instances begin .. end - 1 of the batch */
    const ucpo_instance **instance;
};

ucpo_status source_create(const struct train_plan *plan, struct source **out, ucpo_error *err);
void source_free(struct source *source);

/* Files of a directory that hold no instance. */
struct source_skips {
    int count;
    char first[256];
};

/* Own instances of a problem from a file, or from all files of a directory in the order of their names: at
 * least 3 nodes, matrices with coordinates made from them. Files of a
 * directory whose content is of no instance format are skipped and counted (skips may be NULL). */
ucpo_status source_read(const struct prob_ops *ops, const char *path, ucpo_dataset **out,
                        struct source_skips *skips, ucpo_error *err);

/* What was skipped while the source was made. */
struct source_skips source_skipped(const struct source *source);

/* Own data with validate auto: whether instance `index` of `count` is held back for validation. Every tenth
 * is; the last of five to nine; none of fewer. */
int source_is_held(size_t index, size_t count);

/* A number that follows from everything the instances of a set say, and from their order. */
uint64_t source_hash(const ucpo_dataset *set);

/* The own instances of a phase; NULL: they are generated. */
const ucpo_dataset *source_own(const struct source *source, int phase);

/* Number of nodes of batch `batch` of a phase: known before it is drawn. */
int source_nodes(const struct source *source, int phase, uint64_t batch);

/* All numbers of nodes a phase can meet, the largest first; returns how many (at most `most` are
 * written). */
int source_sizes(const struct source *source, int phase, int *nodes, int most);

/* Sizes of a phase and the share of batches that have them, from its first 1000 batches. Of more
 * sizes than there is room for, as many quantiles. */
enum { SOURCE_SHARES = 8 };

struct source_share {
    int n;
    int64_t batch; /* the first of this size */
    double weight;
};

int source_shares(const struct source *source, int phase, struct source_share share[SOURCE_SHARES]);

/* Instances begin .. end - 1 of a batch; `first` is the run's number of the batch's first instance.
 * Valid until the next call. */
ucpo_status source_draw(struct source *source, int phase, uint64_t batch, uint64_t first, int begin,
                        int end, struct source_batch *out, ucpo_error *err);

#endif
