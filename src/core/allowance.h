/* A stop after some processor time of the thread that asks. */
#ifndef UCPO_CORE_ALLOWANCE_H
#define UCPO_CORE_ALLOWANCE_H

#include "core/stop.h"

struct allowance {
    double from, until;
};

/* The time begins now; *allowance must outlive the stop. */
struct stop allowance_stop(struct allowance *allowance, double seconds);

#endif
