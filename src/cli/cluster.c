/* One process. The MPI build has cluster_mpi.c in its place. */
#include "cli/cli.h"

const ucpo_comm *cluster_comm(void)
{
    return NULL;
}

int cluster_is_first(void)
{
    return 1;
}

int cluster_fail(int exit_code)
{
    return exit_code;
}
