/* Proofs from time windows about one customer, two, or many in a span of time. */
#include <math.h>
#include <stdio.h>

#include "explain/explain.h"

/* ---- one customer ---- */

void prove_reach(struct bounds *b, ucpo_explanation *out)
{
    const ucpo_instance_data *d = b->data;
    for (int32_t i = 1; i < b->n; i++) {
        double start = b->earliest[i], due = d->due[i];
        double back = start + bounds_service(b, i) + b->home[i];
        if (isinf(start))
            explain_add(out, UCPO_REASON_REACH, &i, 1,
                        (struct numbers){start, isfinite(due) ? due : 0.0},
                        "customer %d cannot be reached: there is no way from the depot, neither "
                        "straight nor over customers that can be served in time",
                        (int)i);
        else if (start > due + d->tolerance + b->margin)
            explain_add(out, UCPO_REASON_REACH, &i, 1, (struct numbers){start, due},
                        "customer %d cannot be reached in time: service starts at %s at the "
                        "earliest, its window closes at %s (%.6g too late)",
                        (int)i, explain_time(b->inst, start).text, explain_time(b->inst, due).text,
                        start - due);
        else if (back > b->latest[0])
            explain_add(out, UCPO_REASON_RETURN, &i, 1, (struct numbers){back, d->due[0]},
                        "customer %d leaves no time to come back: served at %s at the earliest, "
                        "the depot is reached at %s, but closes at %s (%.6g too late)",
                        (int)i, explain_time(b->inst, start).text, explain_time(b->inst, back).text,
                        explain_time(b->inst, d->due[0]).text, back - d->due[0]);
    }
}

/* ---- two customers ---- */

static double start_after(const struct bounds *b, int32_t first, int32_t second)
{
    return b->earliest[first] + bounds_service(b, first) + bounds_way(b, first, second);
}

enum { AFTER = 240 };

/* "after 1, 2 starts at 9 at the earliest, it must start by 7 (2 too late)", or that there is no way. */
static void say_after(const struct bounds *b, int32_t first, int32_t second, int is_short,
                      char buf[AFTER])
{
    double start = start_after(b, first, second), last = bounds_plain(b, b->latest[second]);
    if (isinf(start))
        snprintf(buf, AFTER, "there is no way from %d to %d", (int)first, (int)second);
    else
        snprintf(buf, AFTER, "after %d, %d starts at %s%s by %s (%.6g too late)", (int)first,
                 (int)second, explain_time(b->inst, start).text,
                 is_short ? ", it must" : " at the earliest, it must start",
                 explain_time(b->inst, last).text, start - last);
}

static void add_pair(const struct bounds *b, int32_t i, int32_t j, ucpo_explanation *out)
{
    double start_j = start_after(b, i, j), last_j = bounds_plain(b, b->latest[j]);
    double start_i = start_after(b, j, i), last_i = bounds_plain(b, b->latest[i]);
    char first[AFTER], second[AFTER];
    say_after(b, i, j, 0, first);
    say_after(b, j, i, isfinite(start_j), second);
    int is_better = isinf(start_i) || (isfinite(start_j) && start_j - last_j <= start_i - last_i);
    if (isinf(start_i) && isinf(start_j)) last_j = 0.0; /* deadlines play no role */
    explain_add(out, UCPO_REASON_PAIR, (const int32_t[]){i, j}, 2,
                is_better ? (struct numbers){start_j, last_j} : (struct numbers){start_i, last_i},
                "customers %d and %d exclude each other: %s; %s", (int)i, (int)j, first, second);
}

void prove_pairs(struct bounds *b, ucpo_explanation *out)
{
    int32_t *ids = explain_room(out, (size_t)b->n, sizeof *ids);
    if (!ids) return;
    size_t count = bounds_rank(b->n, b->earliest, b->latest, EXPLAIN_TREES_UP_TO, ids, out);
    explain_sort(ids, count);
    int found = 0;
    for (size_t x = 0; x < count && found < EXPLAIN_MOST; x++) {
        for (size_t y = x + 1; y < count && found < EXPLAIN_MOST; y++) {
            if (bounds_may_precede(b, ids[x], ids[y]) || bounds_may_precede(b, ids[y], ids[x]))
                continue;
            add_pair(b, ids[x], ids[y], out);
            found++;
        }
    }
}

/* ---- many customers in a span of time ----
 *
 * All of a set start between `from` and `to`. Each but the last of its route keeps its vehicle busy
 * from its own start to the next one's: service and at least the shortest leg it can go on with. So
 * the work, without the largest piece per vehicle, must fit into (to - from) x fleet. */

struct crowd {
    const struct bounds *b;
    int32_t *by_latest; /* customers */
    size_t count;
    double *work;
};

static double work_of(const struct bounds *b, int32_t i)
{
    double least = HUGE_VAL, leave = b->earliest[i] + bounds_service(b, i);
    if (b->n > EXPLAIN_PATHS_UP_TO)
        least = b->least_out[i];
    else
        for (int32_t j = 1; j < b->n; j++) {
            double length = i == j ? HUGE_VAL : bounds_leg(b, i, j);
            if (length < least && leave + length <= b->latest[j]) least = length;
        }
    return bounds_service(b, i) + (isfinite(least) ? least : 0.0); /* nobody can follow: the last */
}

static void add_crowd(const struct crowd *c, double from, double to, double work,
                      ucpo_explanation *out)
{
    const struct bounds *b = c->b;
    int32_t *ids = explain_room(out, (size_t)b->n, sizeof *ids);
    if (!ids) return;
    size_t count = 0;
    for (int32_t i = 1; i < b->n; i++)
        if (b->earliest[i] >= from && b->latest[i] <= to) ids[count++] = i;
    double until = bounds_plain(b, to), room = (until - from) * b->fleet;
    char list[EXPLAIN_LIST], fleet[40] = "";
    if (b->fleet > 1) snprintf(fleet, sizeof fleet, " for %d vehicles", (int)b->fleet);
    explain_add(out, UCPO_REASON_CROWD, ids, count, (struct numbers){work, room},
                "%s must all start between %s and %s, but service and the shortest ways between "
                "them take at least %.10g, %.6g more than there is%s%s",
                explain_list(list, ids, count), explain_time(b->inst, from).text,
                explain_time(b->inst, until).text, work, work - room, fleet,
                b->is_narrowed ? " (windows narrowed by orders that are forced)" : "");
}

/* Adds the first crowd that starts at `from` or later; 1 if there is one. */
static int crowd_from(const struct crowd *c, double from, ucpo_explanation *out)
{
    const struct bounds *b = c->b;
    double sum = 0.0, largest = 0.0;
    for (size_t k = 0; k < c->count; k++) {
        int32_t i = c->by_latest[k];
        if (b->earliest[i] < from) continue;
        sum += c->work[i];
        largest = fmax(largest, c->work[i]);
        double needed = sum - largest * b->fleet;
        if (needed <= (b->latest[i] - from) * b->fleet + b->margin * b->fleet) continue;
        add_crowd(c, from, b->latest[i], needed, out);
        return 1;
    }
    return 0;
}

enum { SPANS = 3000 }; /* times tried as the beginning */

void prove_crowds(struct bounds *b, ucpo_explanation *out)
{
    size_t n = (size_t)b->n;
    struct crowd c = {.b = b};
    c.by_latest = explain_room(out, n, sizeof *c.by_latest);
    c.work = explain_room(out, n, sizeof *c.work);
    int32_t *by_earliest = explain_room(out, n, sizeof *by_earliest);
    if (out->status) return;
    c.count = bounds_rank(b->n, NULL, b->latest, n, c.by_latest, out);
    size_t starts = bounds_rank(b->n, NULL, b->earliest, n, by_earliest, out);
    size_t stride = starts / SPANS + 1;
    for (int32_t i = 1; i < b->n; i++) c.work[i] = work_of(b, i);
    for (size_t k = starts; k-- > 0;) /* late beginnings first: small crowds explain best */
        if (k % stride == 0 && crowd_from(&c, b->earliest[by_earliest[k]], out)) break;
}
