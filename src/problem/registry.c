/* The list of problems. A new problem is one file that defines its prob_ops, and one line here. */
#include "problem/problem.h"

#include "core/text.h"

#include <stdio.h>
#include <string.h>

extern const struct prob_ops prob_tsptw;
extern const struct prob_ops prob_tspdl;
extern const struct prob_ops prob_cvrptw;
extern const struct prob_ops prob_cvrptwlv;

const struct prob_ops *const prob_registry[] = {
    &prob_tsptw,
    &prob_tspdl,
    &prob_cvrptw,
    &prob_cvrptwlv,
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
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < prob_registry_count && used < size; i++)
        used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
                                 prob_registry[i]->info.name);
    return buf;
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
