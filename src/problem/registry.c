/* The list of problems. A new problem is one file that defines its prob_ops, and one line here. */
#include "problem/problem.h"

#include "core/text.h"

#include <string.h>

extern const struct prob_ops prob_tsptw;
extern const struct prob_ops prob_tspdl;
extern const struct prob_ops prob_cvrptw;
extern const struct prob_ops prob_cvrptwlv;
extern const struct prob_ops prob_cvrp;

const struct prob_ops *const prob_registry[] = {
    &prob_tsptw, &prob_tspdl, &prob_cvrptw, &prob_cvrptwlv, &prob_cvrp,
};

const size_t prob_registry_count = sizeof prob_registry / sizeof prob_registry[0];

const struct prob_ops *prob_find(const char *name)
{
    for (size_t i = 0; i < prob_registry_count; i++)
        if (strcmp(prob_registry[i]->info.name, name) == 0) return prob_registry[i];
    return NULL;
}

const char *prob_names(char *buf, size_t size)
{
    buf[0] = '\0';
    for (size_t i = 0; i < prob_registry_count; i++)
        text_append(buf, size, ", ", "%s", prob_registry[i]->info.name);
    return buf;
}

/* Types of those without a fleet limit: the others go by the same. */
static size_t count_types(void)
{
    size_t count = 0;
    for (size_t i = 0; i < prob_registry_count; i++)
        for (int k = 0; k < 2 && !(prob_registry[i]->needs & PROB_FLEET); k++)
            count += prob_registry[i]->tsplib[k] != NULL;
    return count;
}

const char *prob_types(char *buf, size_t size)
{
    size_t left = count_types();
    buf[0] = '\0';
    for (size_t i = 0; i < prob_registry_count; i++)
        for (int k = 0; k < 2 && !(prob_registry[i]->needs & PROB_FLEET); k++)
            if (prob_registry[i]->tsplib[k])
                text_append(buf, size, left-- > 1 ? ", " : " or ", "%s",
                            prob_registry[i]->tsplib[k]);
    return buf;
}

const struct prob_ops *prob_with(unsigned needs)
{
    for (size_t i = 0; i < prob_registry_count; i++)
        if (prob_registry[i]->needs == needs) return prob_registry[i];
    return NULL;
}

const char *prob_name_with(unsigned needs)
{
    const struct prob_ops *ops = prob_with(needs);
    return ops ? ops->info.name : "";
}

const char *prob_type_with(unsigned needs)
{
    const struct prob_ops *ops = prob_with(needs);
    return ops && ops->tsplib[0] ? ops->tsplib[0] : "";
}

const struct prob_ops *prob_limited(const struct prob_ops *ops, int is_limited)
{
    return prob_with((ops->needs & PROB_KIND) | (is_limited ? PROB_FLEET : 0u));
}

int prob_is_same_kind(const char *a, const char *b)
{
    const struct prob_ops *first = prob_find(a), *second = prob_find(b);
    return first && second && ((first->needs ^ second->needs) & PROB_KIND) == 0;
}

int prob_level_index(const struct prob_ops *ops, const char *level)
{
    return level ? text_word_index(ops->info.levels, level) : 0;
}

size_t ucpo_problem_count(void)
{
    return prob_registry_count;
}

const ucpo_problem_info *ucpo_problem_at(size_t index)
{
    return index < prob_registry_count ? &prob_registry[index]->info : NULL;
}

/* ---- masks: the same names in options, files and messages ---- */

static const char *const mask_name[] = {
    [PROB_MASK_SOFT] = "visited",
    [PROB_MASK_LOOKAHEAD] = "pip",
    [PROB_MASK_LOOKAHEAD_OWN] = "pip-own",
};

enum { MASKS = sizeof mask_name / sizeof mask_name[0] };

const char *ucpo_mask_at(size_t index)
{
    return index < MASKS ? mask_name[index] : index == MASKS ? PROB_MASK_PREDICTED : NULL;
}

const char *prob_mask_name(enum prob_mask mask)
{
    return mask_name[mask];
}

ucpo_status prob_mask_find(const char *name, enum prob_mask *out, ucpo_error *err)
{
    for (size_t i = 0; i < MASKS; i++) {
        if (strcmp(name, mask_name[i]) != 0) continue;
        *out = (enum prob_mask)i;
        return UCPO_OK;
    }
    return status_argument(err, "mask is '%.40s', expected visited, pip or pip-own", name);
}
