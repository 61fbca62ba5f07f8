/* What was left out of a file when an instance was read, and which verdicts are true of the file in spite of it. */
#include "problem/problem.h"

#include <stdlib.h>
#include <string.h>

ucpo_status reading_copy(struct ucpo_instance *inst, ucpo_error *err)
{
    ucpo_instance_data *d = &inst->data;
    const ucpo_left_out *given = d->left_out;
    size_t count = given ? d->left_outs : 0, bytes = count * sizeof *given;
    d->left_out = NULL;
    d->left_outs = 0;
    if (count == 0) return UCPO_OK;
    for (size_t k = 0; k < count; k++) {
        if ((unsigned)given[k].way > (UCPO_READ_EITHER | UCPO_READ_COST) || !given[k].text)
            return status_argument(err, "left_out[%zu] has no text or no known way", k);
        bytes += strlen(given[k].text) + 1;
    }
    ucpo_left_out *own = mem_zeroed(bytes, 1);
    if (!own) return status_no_memory(err, bytes);
    char *at = (char *)(own + count);
    for (size_t k = 0; k < count; k++) {
        size_t size = strlen(given[k].text) + 1;
        own[k] = (ucpo_left_out){given[k].way, memcpy(at, given[k].text, size)};
        at += size;
    }
    d->left_out = own;
    d->left_outs = count;
    return UCPO_OK;
}

ucpo_reading ucpo_instance_reading(const ucpo_instance *inst)
{
    unsigned all = UCPO_READ_WHOLE;
    if (!inst) return UCPO_READ_WHOLE;
    for (size_t k = 0; k < inst->data.left_outs; k++) all |= (unsigned)inst->data.left_out[k].way;
    return (ucpo_reading)all;
}

const char *ucpo_reading_name(ucpo_reading reading)
{
    static const char *const names[] = {"whole",
                                        "easier",
                                        "harder",
                                        "either",
                                        "other cost",
                                        "easier, other cost",
                                        "harder, other cost",
                                        "either, other cost"};
    return names[(unsigned)reading % (sizeof names / sizeof names[0])];
}

#define AS_READ "of the instance as read, which "

const char *ucpo_claim_note(const ucpo_instance *inst, ucpo_claim claim)
{
    static const char *const all[] = {
        "",
        AS_READ "is easier than the file's problem",
        AS_READ "is harder than the file's problem",
        AS_READ "may be easier or harder than the file's problem",
        AS_READ "has other costs than the file's problem",
        AS_READ "is easier than the file's problem and has other costs",
        AS_READ "is harder than the file's problem and has other costs",
        AS_READ "may be easier or harder than the file's problem and has other costs"};
    unsigned reading = (unsigned)ucpo_instance_reading(inst);
    unsigned spoils = claim == UCPO_CLAIM_FEASIBLE     ? UCPO_READ_EASIER
                      : claim == UCPO_CLAIM_INFEASIBLE ? UCPO_READ_HARDER
                                                       : UCPO_READ_EITHER | UCPO_READ_COST;
    if (!(reading & spoils)) return "";
    return claim == UCPO_CLAIM_OPTIMAL ? all[reading] : all[reading & UCPO_READ_EITHER];
}
