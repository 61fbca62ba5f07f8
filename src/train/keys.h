/* The table of settings (config.c), for the files that read and write them. */
#ifndef UCPO_TRAIN_KEYS_H
#define UCPO_TRAIN_KEYS_H

#include "train/config.h"

enum train_key_kind { KEY_WORD, KEY_TEXT, KEY_PATH, KEY_COUNT, KEY_REAL, KEY_DURATION, KEY_SEED };

struct train_key {
    const char *name;
    enum train_key_kind kind;
    const char *preset; /* default */
    double low, high;   /* numbers; equal: any */
    const char *words;  /* allowed words, separated by blanks, or NULL */
    size_t offset, bytes;
    int is_phase; /* in struct train_phase, otherwise in struct train_run */
    const char *help;
};

const struct train_key *train_key_at(size_t index); /* NULL past the end */
const struct train_key *train_key_find(const char *name);
ucpo_status train_key_put(const struct train_key *key, void *base, const char *value,
                          ucpo_error *err);
void train_key_text(const struct train_key *key, const void *base, char *buf, size_t size);

/* It cannot change the result of a run. */
int train_key_is_free(const char *name);

/* phase 0: the run; 1 ..: a phase. */
ucpo_status train_config_put(ucpo_train_config *config, int phase, const char *name,
                             const char *value, ucpo_error *err);

/* The value of a setting as far as it was said, for the run or last for a phase; else its default. */
const char *train_config_value(const ucpo_train_config *config, const char *key);

/* Other defaults that the run's `protocol` asks for, rule by rule (protocol.c): 0 past the end; *key
 * NULL: the rule is not for this run. Later rules win. */
int train_protocol_rule(const ucpo_train_config *config, size_t index, const char **key,
                        const char **value);

/* Key of the index-th thing that was set; "" if that is the default, NULL past the end. */
const char *train_config_changed(const ucpo_train_config *config, size_t index);

/* Texts and numbers as set, defaults elsewhere; nothing is checked against anything else. */
ucpo_status train_plan_fill(const ucpo_train_config *config, struct train_plan *plan,
                            ucpo_error *err);

#endif
