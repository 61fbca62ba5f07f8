/* Several processes over MPI: mpirun -np 4 ucpo train ... */
#define _GNU_SOURCE /* NOLINT: sched_getaffinity needs the name as it is */
#include "cli/cli.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* How long a process that failed waits for the others to come to their ends. */
static const double patience_s = 5.0;

/* Processes that are connected. */
struct ring {
    MPI_Comm comm;
    int gathered; /* so often */
    int told;     /* after so many we have told the others to end */
    int heard;    /* after so many somebody has told us; -1: nobody */
};

static struct {
    int is_started;
    MPI_Comm farewell; /* met at the very end only, whatever was under way */
    struct ring work, group;
    ucpo_comm comm, group_comm;
} state;

/* ---- sums ---- */

static ucpo_status fail(int code, ucpo_error *err)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int len = 0;
    if (MPI_Error_string(code, text, &len) != MPI_SUCCESS) snprintf(text, sizeof text, "%d", code);
    if (err) {
        *err = (ucpo_error){.code = UCPO_E_IO};
        snprintf(err->text, sizeof err->text, "no connection to the other processes: %.200s", text);
    }
    return UCPO_E_IO;
}

static ucpo_status sum(void *user, float *values, size_t count, ucpo_error *err)
{
    const struct ring *ring = user;
    while (count > 0) {
        int part = count < INT_MAX ? (int)count : INT_MAX;
        int code = MPI_Allreduce(MPI_IN_PLACE, values, part, MPI_FLOAT, MPI_SUM, ring->comm);
        if (code != MPI_SUCCESS) return fail(code, err);
        values += part;
        count -= (size_t)part;
    }
    return UCPO_OK;
}

/* What others know is 0 here, and the other way round. */
static ucpo_status gather(void *user, void *bytes, size_t size, size_t begin, size_t end,
                          ucpo_error *err)
{
    unsigned char *at = bytes;
    struct ring *ring = user;
    ring->gathered++;
    memset(at, 0, begin);
    memset(at + end, 0, size - end);
    while (size > 0) {
        int part = size < INT_MAX ? (int)size : INT_MAX;
        int code = MPI_Allreduce(MPI_IN_PLACE, at, part, MPI_BYTE, MPI_BOR, ring->comm);
        if (code != MPI_SUCCESS) return fail(code, err);
        at += part;
        size -= (size_t)part;
    }
    return UCPO_OK;
}

/* ---- the end of a search, told to the others ---- */

static void tell(struct ring *ring)
{
    int rank = 0, ranks = 1;
    if (ring->told == ring->gathered) return;
    ring->told = ring->gathered;
    (void)MPI_Comm_rank(ring->comm, &rank);
    (void)MPI_Comm_size(ring->comm, &ranks);
    for (int k = 0; k < ranks; k++) { /* NOLINT: as below */
        MPI_Request request;
        if (k == rank || MPI_Isend(&ring->told, 1, MPI_INT, k, 0, ring->comm, &request)) continue;
        (void)MPI_Request_free(&request); /* NOLINT: nobody waits for it */
    }
}

/* What was told before the last gather is history. */
static int over(void *user, int is_over)
{
    struct ring *ring = user;
    int is_there = 0;
    if (is_over) tell(ring);
    while (MPI_Iprobe(MPI_ANY_SOURCE, 0, ring->comm, &is_there, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
           is_there) {
        int after = -1;
        (void)MPI_Recv(&after, 1, MPI_INT, MPI_ANY_SOURCE, 0, ring->comm, MPI_STATUS_IGNORE);
        if (after > ring->heard) ring->heard = after;
    }
    return ring->heard >= ring->gathered;
}

/* ---- start ---- */

/* This process's share of the processors that the processes of its machine may use together. */
static int fair_threads(void)
{
    cpu_set_t own, all;
    MPI_Comm machine;
    int neighbours = 1;
    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof own, &own) != 0) return 1;
    all = own;
    if (MPI_Comm_split_type(state.work.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine))
        return 1;
    (void)MPI_Comm_size(machine, &neighbours);
    (void)MPI_Allreduce(&own, &all, (int)sizeof own, MPI_BYTE, MPI_BOR, machine);
    (void)MPI_Comm_free(&machine);
    int share = CPU_COUNT(&all) / neighbours, most = CPU_COUNT(&own);
    if (share > most) share = most;
    return share > 0 ? share : 1;
}

/* What the library may call for it. */
static void connect_ring(struct ring *ring, ucpo_comm *comm)
{
    ring->told = ring->heard = -1;
    (void)MPI_Comm_set_errhandler(ring->comm, MPI_ERRORS_RETURN);
    (void)MPI_Comm_rank(ring->comm, &comm->rank);
    (void)MPI_Comm_size(ring->comm, &comm->ranks);
    comm->sum = sum;
    comm->gather = gather;
    comm->over = over;
    comm->user = ring;
}

static void start(void)
{
    int provided = 0;
    state.is_started = 1;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided)) return; /* MPI has said why */
    (void)MPI_Comm_dup(MPI_COMM_WORLD, &state.work.comm);
    (void)MPI_Comm_dup(MPI_COMM_WORLD, &state.farewell);
    (void)MPI_Comm_set_errhandler(state.farewell, MPI_ERRORS_RETURN);
    connect_ring(&state.work, &state.comm);
    if (state.comm.ranks > 1) state.comm.threads = fair_threads();
    message_setup_rank(state.comm.rank);
    message_note("%d processes, %d threads each", state.comm.ranks, state.comm.threads);
}

const ucpo_comm *cluster_comm(void)
{
    if (!state.is_started) start();
    return state.comm.ranks > 1 ? &state.comm : NULL;
}

const ucpo_comm *cluster_group(int number)
{
    if (MPI_Comm_split(state.work.comm, number, state.comm.rank, &state.group.comm)) return NULL;
    connect_ring(&state.group, &state.group_comm);
    state.group_comm.threads = state.comm.threads;
    return &state.group_comm;
}

int cluster_is_first(void)
{
    return state.comm.rank == 0;
}

/* ---- end ---- */

/* Whether all processes have come here within `limit` seconds. */
static int all_arrive(double limit)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    MPI_Request request;
    int is_done = 0;
    double begin = MPI_Wtime();
    if (MPI_Ibarrier(state.farewell, &request) != MPI_SUCCESS) return 0;
    while (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !is_done) {
        if (MPI_Wtime() - begin > limit) return 0;
        (void)nanosleep(&nap, NULL);
    }
    return is_done;
}

int cluster_end(int exit_code)
{
    if (!state.is_started) return exit_code;
    if (!all_arrive(exit_code ? patience_s : 1e9))
        (void)MPI_Abort(MPI_COMM_WORLD, exit_code ? exit_code : EXIT_INTERNAL);
    if (state.group.comm) (void)over(&state.group, 0); /* nothing stays under way */
    (void)MPI_Finalize();
    return exit_code;
}

const char *cluster_library(char *buf, size_t size)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int len = 0;
    (void)MPI_Get_library_version(text, &len);
    snprintf(buf, size, "%.*s", (int)strcspn(text, ",\n"), text);
    return buf;
}
