#include "cli/solve_share.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { PIECE = 4096 };

int solve_is_mine(const ucpo_comm *comm, size_t number)
{
    return !comm || number % (size_t)comm->ranks == (size_t)comm->rank;
}

/* Afterwards all have what one has and the others have as zeros: two bytes are a number of at most 65535,
 * whose sum is exact in float. size is even. */
static int share(const ucpo_comm *comm, void *bytes, size_t size)
{
    float numbers[PIECE];
    unsigned char *at = bytes;
    ucpo_error err = {0};
    while (size > 0) {
        size_t count = size / 2 < PIECE ? size / 2 : PIECE;
        uint16_t word;
        for (size_t k = 0; k < count; k++) {
            memcpy(&word, at + 2 * k, 2);
            numbers[k] = (float)word;
        }
        ucpo_status status = comm->sum(comm->user, numbers, count, &err);
        if (status) return message_failure(status, &err);
        for (size_t k = 0; k < count; k++) {
            word = (uint16_t)numbers[k];
            memcpy(at + 2 * k, &word, 2);
        }
        at += 2 * count;
        size -= 2 * count;
    }
    return EXIT_DONE;
}

static int share_one(const ucpo_comm *comm, struct solved *item)
{
    ucpo_solution fields;
    memset(&fields, 0, sizeof fields); /* the gaps too: they travel */
    if (item->solution) memcpy(&fields, item->solution, sizeof fields);
    const int32_t *own = fields.nodes;
    fields.nodes = NULL;
    int code = share(comm, &fields, sizeof fields);
    if (code || fields.candidates == 0) return code;
    int32_t *nodes = calloc(fields.len + 1, sizeof *nodes);
    ucpo_solution *copy = item->solution ? NULL : malloc(sizeof *copy);
    if (!nodes || (!copy && !item->solution)) {
        free(nodes);
        free(copy);
        message_error("out of memory");
        return EXIT_INTERNAL;
    }
    if (own) memcpy(nodes, own, fields.len * sizeof *nodes);
    code = share(comm, nodes, fields.len * sizeof *nodes);
    if (code || item->solution) {
        free(nodes);
        free(copy);
        return code;
    }
    fields.nodes = nodes;
    *copy = fields;
    item->solution = copy;
    item->is_copy = 1;
    return EXIT_DONE;
}

int solve_share(const ucpo_comm *comm, struct solved *items, size_t count, int code,
                int *was_interrupted)
{
    if (!comm) return code;
    ucpo_error err = {0};
    float news[3] = {code ? 1.0f : 0.0f, *was_interrupted ? 1.0f : 0.0f, (float)(count % 65521)};
    float expected = news[2] * (float)comm->ranks;
    ucpo_status status = comm->sum(comm->user, news, 3, &err);
    if (code) return code;
    if (status) return message_failure(status, &err);
    if (news[0] > 0) {
        message_error("another process failed; its message says why");
        return EXIT_INPUT;
    }
    *was_interrupted = news[1] > 0;
    if (news[2] != expected && !*was_interrupted) {
        message_error("the processes read different files");
        return EXIT_INPUT;
    }
    for (size_t i = 0; !code && i < count; i++) code = share_one(comm, &items[i]);
    return code;
}
