/* Names of the masks, the same in options, files and messages. */
#include "problem/problem.h"

#include <string.h>

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
    return status_fail(err, UCPO_E_ARGUMENT, "mask is '%.40s', expected visited, pip or pip-own",
                       name);
}
