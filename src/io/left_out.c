/* What a reader leaves out of a file, and which words in a file restrict plans in a way that we do not model. */
#include "io/left_out.h"

#include "core/text.h"
#include "problem/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ucpo_status io_left_add(const struct io_source *source, long line, ucpo_reading way,
                        const char *text, ucpo_error *err)
{
    struct io_left *left = source->left;
    if (!left) return UCPO_OK;
    char at[32] = "";
    if (line > 0) snprintf(at, sizeof at, "line %ld: ", line);
    size_t length = strlen(text), head = strlen(at);
    const char *remark = strstr(text, " (option '"); /* how to get here is of no use any more */
    if (remark) length = (size_t)(remark - text);
    char *copy = mem_take(&left->pool, head + length + 1, 1, err);
    if (!copy) return UCPO_E_MEMORY;
    snprintf(copy, head + length + 1, "%s%.*s", at, (int)length, text);
    const ucpo_left_out item = {way, copy};
    return mem_append(&left->item, &left->count, &left->capacity, &item, sizeof item, err);
}

void io_left_free(struct io_left *left)
{
    mem_pool_free(&left->pool);
    free(left->item);
    *left = (struct io_left){0};
}

void io_left_warn(const struct io_source *source, const ucpo_instance *inst)
{
    static const char *const what[] = {
        NULL,
        "easier than the file's problem: a plan that is feasible may break what the file asks for",
        "harder than the file's problem: a proof that it is infeasible says nothing about the "
        "file's",
        "easier or harder than the file's problem: neither a feasible plan nor a proof that there "
        "is "
        "none is sure to hold for the file's"};
    unsigned reading = (unsigned)ucpo_instance_reading(inst);
    const char *words = what[reading & UCPO_READ_EITHER];
    if (words) io_warn(source, 0, "without what was left out the instance is %s", words);
    if (reading & UCPO_READ_COST)
        io_warn(source, 0,
                "without what was left out plans cost something else than in the file's problem");
}

/* ---- words that restrict ---- */

/* Lower case, without blanks, '_', '-', '.' and '/'; a closing number is looked at apart. */
static const struct {
    ucpo_reading way;
    const char *words;
} restrictions[] = {
    {UCPO_READ_EASIER,
     "pickup pickups pickupquantity pickupdemand pickupamount pickupdelivery pickupsdeliveries "
     "shipment shipments backhaul backhauls skill skills requiredskills requiredskill break breaks "
     "lunch lunchbreak maxtasks maxstops maxcustomers maxstopsperroute setup setuptime precedence "
     "predecessor predecessors releasetime release releasedate allowedvehicles allowedclients "
     "vehicletype vehicletypes droptime unloadtime unloadingtime loadtime loadingtime incompatible "
     "incompatibilities depotcapacity abholung abholungen pause pausen "
     "fähigkeiten faehigkeiten qualifikation qualifikationen"},
    {UCPO_READ_EASIER,
     "routeduration routetime drivingtime worktime workingtime shiftlength fahrzeit arbeitszeit"},
    {UCPO_READ_HARDER,
     "penalty penalties prize prizes profit profits optional ready2 due2 open2 close2 from2 until2 "
     "start2 end2 window2 timewindow2 tw2"},
    {UCPO_READ_EITHER, "speed vehiclespeed speedfactor multitrip trips"},
    {UCPO_READ_COST, "mtspobjective objective fixedcost vehiclefixedcost costperkm costperhour "
                     "unitcost unitdistancecost"},
};

int io_restricts(const char *head, ucpo_reading *way)
{
    char word[48];
    size_t length = 0;
    for (; *head && *head != '(' && *head != '['; head++) {
        if (strchr(" _-./", *head)) continue;
        if (length + 1 >= sizeof word) return 0;
        word[length++] = text_lower(*head);
    }
    word[length] = '\0';
    int is_limit = length > 5 && strcmp(word + length - 5, "limit") == 0;
    if (is_limit || (length > 4 && strncmp(word, "max", 3) == 0)) { /* of whatever */
        *way = UCPO_READ_EASIER;
        return 1;
    }
    for (size_t k = 0; length > 0 && k < sizeof restrictions / sizeof restrictions[0]; k++) {
        if (text_word_index(restrictions[k].words, word) < 0) continue;
        *way = restrictions[k].way;
        return 1;
    }
    return 0;
}
