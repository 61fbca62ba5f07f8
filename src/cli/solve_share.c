#include "cli/solve.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

int solve_is_mine(const ucpo_comm *comm, size_t number)
{
    return !comm || number % (size_t)comm->ranks == (size_t)comm->rank;
}

/* Afterwards all have what the one has that knows it. */
static int share(const ucpo_comm *comm, void *bytes, size_t size, int is_mine)
{
    ucpo_error err = {0};
    ucpo_status status = comm->gather(comm->user, bytes, size, 0, is_mine ? size : 0, &err);
    return status ? message_failure(status, &err) : EXIT_DONE;
}

static int share_one(const ucpo_comm *comm, struct solved *item)
{
    ucpo_solution fields;
    memset(&fields, 0, sizeof fields); /* the gaps too: they travel */
    if (item->solution) memcpy(&fields, item->solution, sizeof fields);
    const int32_t *own = fields.nodes;
    fields.nodes = NULL;
    int code = share(comm, &fields, sizeof fields, own != NULL);
    if (code || fields.candidates == 0) return code;
    int32_t *nodes = calloc(fields.len + 1, sizeof *nodes);
    ucpo_solution *copy = item->solution ? NULL : malloc(sizeof *copy);
    if (!nodes || (!copy && !item->solution)) {
        free(nodes);
        free(copy);
        return no_memory();
    }
    if (own) memcpy(nodes, own, fields.len * sizeof *nodes);
    code = share(comm, nodes, fields.len * sizeof *nodes, own != NULL);
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

int solve_agree(const ucpo_comm *comm, size_t count, int code, int *was_interrupted)
{
    if (!comm) return code;
    ucpo_error err = {0};
    float news[3] = {code ? 1.0f : 0.0f, *was_interrupted ? 1.0f : 0.0f, (float)(count % 65521)};
    float expected = news[2] * (float)comm->ranks;
    ucpo_status status = comm->sum(comm->user, news, 3, &err);
    if (code) return code;
    if (status) return message_failure(status, &err);
    if (news[0] > 0) return message_error("another process failed; its message says why");
    *was_interrupted = news[1] > 0;
    if (news[2] != expected && !*was_interrupted)
        return message_error("the processes read different files");
    return EXIT_DONE;
}

int solve_share(const ucpo_comm *comm, struct solved *items, size_t count, int code,
                int *was_interrupted)
{
    code = solve_agree(comm, count, code, was_interrupted);
    if (!comm) return code;
    for (size_t i = 0; !code && i < count; i++) code = share_one(comm, &items[i]);
    return code;
}
