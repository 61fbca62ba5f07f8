#include "core/allowance.h"

#include "core/clock.h"

static int is_spent(void *user)
{
    const struct allowance *a = user;
    return clock_thread_seconds() >= a->until;
}

static double share_spent(void *user)
{
    const struct allowance *a = user;
    return (clock_thread_seconds() - a->from) / (a->until - a->from);
}

struct stop allowance_stop(struct allowance *allowance, double seconds)
{
    allowance->from = clock_thread_seconds();
    allowance->until = allowance->from + seconds;
    return (struct stop){is_spent, allowance, share_spent};
}
