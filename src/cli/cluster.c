/* One process. The MPI build has cluster_mpi.c in its place. */
#include "cli/cli.h"

#include <stdlib.h>

/* Started by mpirun or srun beside others? Each would do all of the work, and write the same files. */
static void warn_of_copies(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    static int is_said;
    for (size_t k = 0; !is_said && k < sizeof names / sizeof names[0]; k++) {
        const char *size = getenv(names[k]);   /* NOLINT: no thread is there yet */
        if (!size || atoi(size) < 2) continue; /* NOLINT: not a number is not several */
        message_warning(
            "%s processes were started, but this program is a build without MPI: each does "
            "everything by itself ('make mpi' builds one that shares it)",
            size);
        is_said = 1;
    }
}

const ucpo_comm *cluster_comm(void)
{
    warn_of_copies();
    return NULL;
}

const ucpo_comm *cluster_group(int number)
{
    (void)number;
    return NULL;
}

int cluster_is_first(void)
{
    return 1;
}

int cluster_end(int exit_code)
{
    return exit_code;
}

const char *cluster_library(char *buf, size_t size)
{
    (void)buf, (void)size;
    return "none";
}
