/* One process. The MPI build has cluster_mpi.c in its place. */
#include "cli/cli.h"

const ucpo_comm *cluster_comm(void)
{
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
