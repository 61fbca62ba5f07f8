/* What the words of `protocol` stand for: the training kinds of the papers, as other defaults.
 * docs/training.md says where each number comes from. */
#include "core/text.h"
#include "train/keys.h"

#include <stdlib.h>
#include <string.h>

enum when {
    ALWAYS,
    LARGE,          /* the papers have numbers for 50 and for 100: from 75 nodes on those for 100 */
    DRAFTS,         /* draft limits */
    EACH,           /* trajectories that begin with each customer in turn */
    WARM,           /* with a model to start from */
    WARM_PREDICTED, /* the same, with mask pip-d */
};

/* NULL: every word but "ours". Later rules win. */
static const struct {
    const char *protocols;
    enum when when;
    const char *key, *value;
} rules[] = {
    {NULL, ALWAYS, "epochs", "10000"},
    {NULL, ALWAYS, "batch", "64"},
    {NULL, ALWAYS, "lr", "1e-4"},
    {NULL, ALWAYS, "lr-end", "1e-5"},
    {NULL, ALWAYS, "lr-curve", "drop"},
    {NULL, ALWAYS, "score", "sum"},
    {NULL, ALWAYS, "mask", "visited"},
    {NULL, ALWAYS, "anchor", "none"},
    {NULL, ALWAYS, "decision", "0"},
    {NULL, ALWAYS, "pair", "off"},
    {NULL, ALWAYS, "negligible", "0"},
    {NULL, LARGE, "aux-open", "0.01"},
    {NULL, LARGE, "aux-update", "0.02"},
    {NULL, DRAFTS, "aux-recall", "0.6"},

    {"paper", ALWAYS, "loss", "ucpo"},
    {"paper-sum", ALWAYS, "loss", "ucpo,alpha=sum"},
    {"pomo pip pip-d", ALWAYS, "loss", "reinforce"},
    {"pomo pip pip-d", ALWAYS, "samples", "50"},
    {"pip bopo", ALWAYS, "mask", "pip"},
    {"pip-d", ALWAYS, "mask", "pip-d"},
    {"slim", ALWAYS, "loss", "slim"},
    {"slim bopo", ALWAYS, "samples", "128"},
    {"bopo", ALWAYS, "loss", "bopo,k=16"},
    {"bopo", ALWAYS, "epochs", "2000"},
    {"bopo", ALWAYS, "lr-end", "0"},
    {"bopo", LARGE, "samples", "256"},
    {"bopo", LARGE, "batch", "48"},
    {"bopo", LARGE, "epochs", "21000"},
    {"poco", ALWAYS, "loss", "poco"},
    {"poco", ALWAYS, "epochs", "20100"},
    {"poco", ALWAYS, "lr", "3e-4"},
    {"poco", ALWAYS, "lr-end", "6e-5"},

    {NULL, EACH, "samples", "0"}, /* as many as there are customers */

    {NULL, WARM, "epochs", "500"},
    {NULL, WARM, "lr", "3e-5"},
    {NULL, WARM, "lr-end", "0"},
    {NULL, WARM_PREDICTED, "epochs", "100"},
};

/* The largest number of a mixture "20:1,50:3". */
static long largest_size(const char *mix)
{
    long most = 0;
    while (*mix) {
        long size = strtol(mix, NULL, 10);
        if (size > most) most = size;
        mix += strcspn(mix, ",");
        mix += *mix == ',';
    }
    return most;
}

/* The mask as said, else the word of the protocol, which pip-d shares with it. */
static int is_predicted(const ucpo_train_config *config)
{
    const char *key = train_config_has(config, "mask") ? "mask" : "protocol";
    return strcmp(train_config_value(config, key), "pip-d") == 0;
}

static int is_case(const ucpo_train_config *config, enum when when)
{
    const struct prob_ops *ops = prob_find(train_config_value(config, "problem"));
    int is_warm = train_config_value(config, "start")[0] != 0;
    switch (when) {
    case ALWAYS: return 1;
    case LARGE: return largest_size(train_config_value(config, "size")) >= 75;
    case DRAFTS: return ops && (ops->needs & PROB_LIMIT) != 0;
    case EACH: return strcmp(train_config_value(config, "starts"), "each") == 0;
    case WARM: return is_warm;
    case WARM_PREDICTED: return is_warm && is_predicted(config);
    }
    return 0;
}

int train_protocol_rule(const ucpo_train_config *config, size_t index, const char **key,
                        const char **value)
{
    if (index >= sizeof rules / sizeof rules[0]) return 0;
    const char *word = train_config_value(config, "protocol"), *of = rules[index].protocols;
    int is_meant = of ? text_word_index(of, word) >= 0 : strcmp(word, "ours") != 0;
    *key = is_meant && is_case(config, rules[index].when) ? rules[index].key : NULL;
    *value = rules[index].value;
    return 1;
}

const char *train_protocol_mask(const char *word)
{
    const char *mask = NULL;
    if (text_word_index("ours paper paper-sum", word) >= 0) return NULL; /* on any base */
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const char *of = rules[i].protocols;
        if (strcmp(rules[i].key, "mask") == 0 && (!of || text_word_index(of, word) >= 0))
            mask = rules[i].value;
    }
    return mask;
}
