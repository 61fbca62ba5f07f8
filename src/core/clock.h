/* Time that only moves forward. */
#ifndef UCPO_CORE_CLOCK_H
#define UCPO_CORE_CLOCK_H

/* Seconds since some moment in the past, for differences. */
double clock_seconds(void);

#endif
