/* Settings of a training run: keys and values as text, one table for all of them.
 *
 * A run is a sequence of phases. Keys of a phase may also be given for the whole run; phases inherit
 * them. What is stored is what was set; train_plan_make turns it into numbers. */
#ifndef UCPO_TRAIN_CONFIG_H
#define UCPO_TRAIN_CONFIG_H

#include "problem/problem.h"
#include "train/step.h"

enum { TRAIN_MAX_PHASES = 16, TRAIN_MAX_MIX = 8, TRAIN_TEXT = 200, TRAIN_PATH = 1024 };

enum { TRAIN_EPOCH = 10000 }; /* instances */

/* "20:1,50:3" - values with weights (1 if not given). */
struct train_mix {
    int count;
    double weight[TRAIN_MAX_MIX]; /* sum 1 */
    char word[TRAIN_MAX_MIX][24];
    int32_t number[TRAIN_MAX_MIX]; /* for sizes */
};

struct train_phase {
    int64_t instances, epochs; /* epochs 0: instances counts; always so in a finished plan */
    char size[TRAIN_TEXT], level[TRAIN_TEXT];
    char data[TRAIN_PATH]; /* "": generated */
    int64_t images;        /* random images of own data: 1 .. 8 */
    char mask[16], loss[TRAIN_TEXT], score[16];
    char alpha_end[32]; /* "": constant */
    double lr, lr_end;  /* lr_end 0: constant */
    char lr_curve[16];
    int64_t warmup; /* steps */
    double weight_decay, clip_norm;
    int64_t batch, accumulate, samples, samples_end; /* samples 0: the instance's size */
    char starts[16];
    double aux_open, aux_update, aux_close, aux_recall; /* PIP-D, see pipd.h */
    int64_t aux_blocks;
    char anchor[16], anchor_mode[16];
    double anchor_weight, anchor_share; /* see anchor.h */
    char anchor_weight_end[32];         /* "": constant */
    int64_t anchor_effort;

    /* made from the texts */
    struct train_mix sizes, levels;
    ucpo_loss_config loss_config, last_loss;
    enum step_score score_kind;
    enum prob_mask mask_kind;
    int is_predicted; /* PIP-D */
    int has_forced_start, is_depot_extra;
    struct anchor_config anchor_config;
    double last_anchor_weight;
    struct nn_schedule schedule;
};

struct train_run {
    char problem[24];
    char protocol[16];      /* whose defaults */
    char start[TRAIN_PATH]; /* "": from nothing */
    uint64_t seed;
    int64_t threads;
    char kernels[16], precision[8];
    double negligible;
    char network[16];
    int64_t width, heads, hidden, layers, decision;
    char decision_in[16], pair[8], norm[16];
    double logit_clip;
    char validate[TRAIN_PATH]; /* "auto", "same", "none", a preset, or a file */
    int64_t validate_count, validate_samples, validate_augment;
    int64_t validate_every; /* instances; 0: at the end only */
    char reference[TRAIN_PATH];
    double save_every;  /* seconds */
    int64_t keep_every; /* instances; 0: no periodic checkpoints */
    int64_t log_every;  /* steps */
    double time;        /* seconds of learning in all, in place of instances; 0: not */
    double max_time;    /* seconds; 0: no limit */
    int64_t max_instances;
    char from[40]; /* checkpoint of a run that goes on, without its ending */
    char allow_changes[TRAIN_TEXT];
    char optimiser[16]; /* fresh | carry (warm start) */
};

struct train_plan {
    struct train_run run;
    const struct prob_ops *ops;
    int phases;
    struct train_phase phase[TRAIN_MAX_PHASES];
    int64_t instances; /* of all phases */
};

struct train_item;

struct ucpo_train_config {
    struct train_item *item; /* what was set, in order */
    size_t items, capacity;
};

/* Checks and fills in everything. `plan` is large: allocate it. */
ucpo_status train_plan_make(const struct ucpo_train_config *config, struct train_plan *plan,
                            ucpo_error *err);

/* All of `from` on top of `config`. */
ucpo_status train_config_copy(struct ucpo_train_config *config,
                              const struct ucpo_train_config *from, ucpo_error *err);

/* The same for a run that goes on: only its length and settings that cannot change its result may
 * differ. Instances are those of the whole run: its last phase becomes longer or shorter. */
ucpo_status train_config_change(struct ucpo_train_config *config,
                                const struct ucpo_train_config *changes, ucpo_error *err);

/* Of these changes the length alone; whether there is one. */
ucpo_status train_config_change_length(struct ucpo_train_config *config,
                                       const struct ucpo_train_config *changes, int *has_changed,
                                       ucpo_error *err);

/* Files and directories by their paths from the root, so that a run can go on from anywhere. */
ucpo_status train_config_root_paths(struct ucpo_train_config *config, ucpo_error *err);

/* The next setting from *at on that was given and does nothing, as a sentence; 0: no more. */
int train_plan_idle(const struct ucpo_train_config *config, const struct train_plan *plan,
                    size_t *at, char *text, size_t size);

/* Whether a key was set for the run or one of its phases. */
int train_config_has(const struct ucpo_train_config *config, const char *key);

/* The mask a base of this protocol is trained with; NULL: any. */
const char *train_protocol_mask(const char *word);

/* Own data is split: validation gets what training does not see. */
int train_plan_splits(const struct train_plan *plan);

/* Does a phase need the auxiliary decoder? */
int train_plan_has_aux(const struct train_plan *plan);

/* What moves over a phase. `done`: share 0 .. 1 of its instances; `step` counts from its start. */
double train_rate(const struct train_phase *phase, int64_t step);

/* The same in a run that is measured in time: `done` is the share that is over. */
double train_rate_in_time(const struct train_phase *phase, double done, int64_t step);
ucpo_loss_config train_loss(const struct train_phase *phase, double done);
struct anchor_config train_anchor(const struct train_phase *phase, double done);
int train_samples(const struct train_phase *phase, int n, double done);
int train_most_samples(const struct train_phase *phase, int n);

#endif
