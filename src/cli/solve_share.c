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

/* What a process says of itself before results are shared. */
struct word {
    uint64_t count; /* instances it read */
    int32_t failed, was_interrupted;
};

int solve_agree(const ucpo_comm *comm, size_t count, int code, int *was_interrupted)
{
    if (!comm) return code;
    ucpo_error err = {0};
    size_t ranks = (size_t)comm->ranks, size = sizeof(struct word),
           mine = size * (size_t)comm->rank;
    struct word *all = calloc(ranks, size);
    if (!all) return no_memory();
    all[comm->rank] = (struct word){count, code != EXIT_DONE, *was_interrupted != 0};
    ucpo_status status = comm->gather(comm->user, all, size * ranks, mine, mine + size, &err);
    int failed = -1, differs = 0;
    for (int k = 0; !status && k < comm->ranks; k++) {
        if (all[k].failed && failed < 0) failed = k;
        if (all[k].was_interrupted) *was_interrupted = 1;
        if (all[k].count != count) differs = 1;
    }
    free(all);
    if (code) return code;
    if (status) return message_failure(status, &err);
    if (failed >= 0) return message_error("process %d failed; its message says why", failed);
    if (differs && !*was_interrupted) return message_error("the processes read different files");
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
