/* Time that only moves forward, and time spent working. */
#ifndef UCPO_CORE_CLOCK_H
#define UCPO_CORE_CLOCK_H

/* Seconds since some moment in the past, for differences. */
double clock_seconds(void);

/* Processor time of the calling thread in seconds, for differences. */
double clock_thread_seconds(void);

#endif
