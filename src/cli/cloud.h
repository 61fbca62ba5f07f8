/* The cloud of candidates: cost and violation of everything solve looked at, as CSV. solve writes it, plot
 * reads it. */
#ifndef UCPO_CLI_CLOUD_H
#define UCPO_CLI_CLOUD_H

#include "cli/cli.h"
#include "cli/output.h"

struct cloud_writer {
    struct output out;
    size_t instance; /* number of the instance in the run, from 0 */
};

int cloud_begin(struct cloud_writer *writer); /* the exit code */
void cloud_add(void *user, double cost, double violation);

/* The candidates of one instance. Messages are printed; the result is the exit code. */
int cloud_read(const char *path, size_t instance, ucpo_cloud *out);
void cloud_free(ucpo_cloud *cloud);

#endif
