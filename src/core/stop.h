/* Whether work should end before it is done. Long loops ask now and then; the answer never goes back
 * from yes to no. */
#ifndef UCPO_CORE_STOP_H
#define UCPO_CORE_STOP_H

struct stop {
    int (*ask)(void *user);
    void *user;
};

/* NULL: never. */
static inline int stop_is_asked(const struct stop *stop)
{
    return stop && stop->ask(stop->user);
}

#endif
