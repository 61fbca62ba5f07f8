/* Adam and the rate's schedule in double, with every kernel set. */
#include "support/kernels.h" /* one test per set */

#include "optimiser.h"

int main(int argc, char **argv)
{
    return run_optimiser_tests(argc, argv);
}
