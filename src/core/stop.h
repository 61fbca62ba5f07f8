/* Whether work should end before it is done. Long loops ask now and then; the answer never goes back
 * from yes to no. Whoever knows when it will be yes may say how much of the way has been gone: work
 * that plans ahead, such as annealing, uses it. */
#ifndef UCPO_CORE_STOP_H
#define UCPO_CORE_STOP_H

struct stop {
    int (*ask)(void *user);
    void *user;
    double (*share)(
        void *user); /* 0 at the begin .. 1 when it will be yes; below 0, or NULL: unknown */
};

/* NULL: never. */
static inline int stop_is_asked(const struct stop *stop)
{
    return stop && stop->ask(stop->user);
}

#endif
