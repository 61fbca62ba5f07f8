/* A fleet's plan in parts, one per thread of all processes: each part is an instance of its own, made of routes that lie
 * beside each other around the depot, and is searched for itself. Twice as many threads so price twice as
 * many moves per customer, which searches of the whole plan side by side do not. */
#include "solve/solve.h"

#include "core/hash.h"
#include "core/par.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_PART = 100, /* customers: smaller instances are searched as a whole */
    MOST_PARTS = 64
};

struct span {
    size_t begin, len; /* of the plan */
    double angle;      /* of its customers' middle, seen from the depot */
};

struct part {
    int32_t n; /* with the depot */
    int32_t routes;
    int32_t *node; /* n: whom its numbers mean */
    int32_t *plan; /* room for 2 n */
    size_t len;    /* of the plan; in the part's numbers */
    int32_t *live; /* the best plan while it is searched, room for 2 n */
    size_t live_len;
    double objective; /* of the plan, once it is searched */
    double *number;   /* the arrays of its instance */
    ucpo_instance *inst;
};

/* What a process tells the others of a part; its plan follows. */
struct found {
    double objective; /* HUGE_VAL: not searched */
    int64_t len;
};

struct split {
    const ucpo_instance *inst;
    const struct stop *stop;
    uint64_t seed;
    int count;
    size_t jobs, first, last; /* job k searches part k mod count; first .. last - 1 are ours */
    struct part part[MOST_PARTS];
    struct board *board;  /* NULL: nobody listens */
    pthread_mutex_t lock; /* of `live` of all parts, and of: */
    int32_t *whole;
    uint8_t *visited;
};

int split_parts(const ucpo_instance *inst, int threads)
{
    int most = inst->data.n / LEAST_PART;
    if (inst->ops->max_vehicles == 1 || !inst->data.x || !inst->data.y) return 1;
    if (threads > MOST_PARTS) threads = MOST_PARTS;
    return threads < most ? threads : most > 1 ? most : 1;
}

/* ---- which routes belong together ---- */

static int by_angle(const void *a, const void *b)
{
    const struct span *p = a, *q = b;
    if (p->angle != q->angle) return p->angle < q->angle ? -1 : 1;
    return p->begin < q->begin ? -1 : p->begin > q->begin;
}

static struct span span_of(const ucpo_instance_data *d, const int32_t *nodes, size_t begin,
                           size_t end, double turn)
{
    double x = 0.0, y = 0.0;
    for (size_t k = begin; k < end; k++)
        x += d->x[nodes[k]] - d->x[0], y += d->y[nodes[k]] - d->y[0];
    double angle = atan2(y, x) / (2.0 * acos(-1.0)) + turn;
    return (struct span){begin, end - begin, angle - floor(angle)};
}

static size_t find_spans(const ucpo_instance_data *d, const int32_t *nodes, size_t len, double turn,
                         struct span *span)
{
    size_t count = 0, begin = 0;
    for (size_t k = 0; k <= len; k++) {
        if (k < len && nodes[k] != 0) continue;
        if (k > begin) span[count++] = span_of(d, nodes, begin, k, turn);
        begin = k + 1;
    }
    qsort(span, count, sizeof *span, by_angle);
    return count;
}

/* ---- parts as instances ---- */

static const double *gather(const struct part *p, const double *all, double *to)
{
    if (!all) return NULL;
    for (int32_t i = 0; i < p->n; i++) to[i] = all[p->node[i]];
    return to;
}

static const double *gather_square(const struct part *p, const double *all, size_t n, double *to)
{
    if (!all) return NULL;
    for (int32_t i = 0; i < p->n; i++)
        for (int32_t j = 0; j < p->n; j++)
            to[(size_t)i * (size_t)p->n + (size_t)j] =
                all[(size_t)p->node[i] * n + (size_t)p->node[j]];
    return to;
}

static ucpo_status make_instance(struct part *p, const ucpo_instance *whole, ucpo_error *err)
{
    const ucpo_instance_data *all = &whole->data;
    size_t n = (size_t)p->n, square = n * n,
           squares = (all->cost != NULL) + (all->duration != NULL);
    ucpo_instance_data d = *all;
    p->number = mem_zeroed(6 * n + squares * square, sizeof *p->number);
    if (!p->number) return status_no_memory(err, (6 * n + squares * square) * sizeof *p->number);
    double *at = p->number, *matrix = at + 6 * n;
    d.n = p->n;
    d.x = gather(p, all->x, at);
    d.y = gather(p, all->y, at + n);
    d.ready = gather(p, all->ready, at + 2 * n);
    d.due = gather(p, all->due, at + 3 * n);
    d.service = gather(p, all->service, at + 4 * n);
    d.demand = gather(p, all->demand, at + 5 * n);
    d.cost = gather_square(p, all->cost, (size_t)all->n, matrix);
    d.duration = gather_square(p, all->duration, (size_t)all->n, matrix + (all->cost ? square : 0));
    if (all->vehicles > 0) d.vehicles = p->routes;
    d.name = NULL;
    d.id = d.label = NULL;
    d.file = NULL;
    return ucpo_instance_create(&d, &p->inst, err);
}

/* Takes spans until it has its share of the customers that are left. */
static ucpo_status fill_part(struct part *p, const int32_t *nodes, const struct span *span,
                             size_t *next, size_t spans, size_t share, ucpo_error *err)
{
    size_t customers = 0, first = *next;
    while (*next < spans && (customers < share || *next == first)) customers += span[(*next)++].len;
    p->n = (int32_t)customers + 1;
    p->node = mem_zeroed(5 * (customers + 1), sizeof *p->node);
    if (!p->node) return status_no_memory(err, 5 * (customers + 1) * sizeof *p->node);
    p->plan = p->node + customers + 1;
    p->live = p->plan + 2 * (customers + 1);
    int32_t number = 1;
    for (size_t s = first; s < *next; s++, p->routes++) {
        if (p->len) p->plan[p->len++] = 0;
        for (size_t k = 0; k < span[s].len; k++) {
            p->node[number] = nodes[span[s].begin + k];
            p->plan[p->len++] = number++;
        }
    }
    return UCPO_OK;
}

static ucpo_status cut(struct split *s, const int32_t *nodes, size_t len, int parts, double turn,
                       ucpo_error *err)
{
    struct span *span = mem_zeroed(len + 1, sizeof *span);
    if (!span) return status_no_memory(err, (len + 1) * sizeof *span);
    size_t spans = find_spans(&s->inst->data, nodes, len, turn, span), next = 0;
    size_t left = (size_t)s->inst->data.n - 1;
    ucpo_status st = UCPO_OK;
    for (int k = 0; !st && k < parts && next < spans; k++) {
        struct part *p = &s->part[s->count++];
        p->objective = HUGE_VAL;
        size_t share = k == parts - 1 ? left : left / (size_t)(parts - k);
        st = fill_part(p, nodes, span, &next, spans, share, err);
        left -= st ? 0 : (size_t)p->n - 1;
        if (!st) st = make_instance(p, s->inst, err);
    }
    free(span);
    return st;
}

/* ---- search ---- */

static size_t put_back(const struct split *s, int is_live, int32_t *nodes)
{
    size_t len = 0;
    for (int k = 0; k < s->count; k++) {
        const struct part *p = &s->part[k];
        const int32_t *plan = is_live ? p->live : p->plan;
        size_t count = is_live ? p->live_len : p->len;
        if (len) nodes[len++] = 0;
        for (size_t i = 0; i < count; i++) nodes[len++] = p->node[plan[i]];
    }
    return len;
}

struct voice {
    struct split *split;
    struct part *part;
};

/* The part's better plan among those that the others have: a better one of all. */
static void offer_whole(void *user, const struct refined *best)
{
    struct voice *v = user;
    struct split *s = v->split;
    ucpo_evaluation e;
    if (best->violation > 0.0) return;
    pthread_mutex_lock(&s->lock);
    memcpy(v->part->live, best->nodes, best->len * sizeof *best->nodes);
    v->part->live_len = best->len;
    size_t len = put_back(s, 1, s->whole);
    prob_check(s->inst, s->whole, len, &e, s->visited, NULL, 0, NULL, 0);
    board_offer(s->board, s->whole, len, e.cost / s->inst->data.unit,
                e.is_feasible ? 0.0 : e.violation);
    pthread_mutex_unlock(&s->lock);
}

static void run_part(struct split *s, struct part *p, struct refine *refine,
                     const struct stop *stop)
{
    struct voice voice = {s, p};
    struct teller teller = {.inner = stop, .refine = refine, .offer = offer_whole, .user = &voice};
    struct stop telling = teller_stop(&teller);
    refine_run(refine, INT64_MAX, s->board ? &telling : stop);
}

static ucpo_status search_part(void *context, size_t begin, size_t end, int thread, ucpo_error *err)
{
    struct split *s = context;
    size_t job = s->first + begin;
    struct part *p = &s->part[job % (size_t)s->count];
    struct refine *refine = NULL;
    (void)end;
    ucpo_status st = refine_create(p->inst, &s->stop[thread], &refine, err);
    if (!st) st = refine_start(refine, p->plan, p->len, s->seed + job, err);
    if (!st) {
        run_part(s, p, refine, &s->stop[thread]);
        struct refined best = refine_best(refine);
        memcpy(p->plan, best.nodes, best.len * sizeof *p->plan);
        p->len = best.len;
        if (best.violation <= 0.0) p->objective = best.objective;
    }
    refine_free(refine);
    return st == UCPO_E_CANCELLED ? UCPO_OK : st; /* the part stays as it was */
}

/* ---- other processes ---- */

/* There is at least one job for each process: with few parts several search the same one. */
static void deal_out(struct split *s, const ucpo_comm *comm)
{
    size_t ranks = comm ? (size_t)comm->ranks : 1, rank = comm ? (size_t)comm->rank : 0;
    s->jobs = (size_t)s->count > ranks ? (size_t)s->count : ranks;
    s->first = s->jobs * rank / ranks;
    s->last = s->jobs * (rank + 1) / ranks;
}

static struct part *part_of(struct split *s, size_t job, size_t *size)
{
    struct part *p = &s->part[job % (size_t)s->count];
    *size = sizeof(struct found) + 2 * (size_t)p->n * sizeof *p->plan;
    return p;
}

static void write_own(struct split *s, unsigned char *at)
{
    for (size_t job = s->first, size; job < s->last; job++, at += size) {
        const struct part *p = part_of(s, job, &size);
        struct found found = {p->objective, (int64_t)p->len};
        memcpy(at, &found, sizeof found);
        memcpy(at + sizeof found, p->plan, p->len * sizeof *p->plan);
    }
}

/* Of each part the best plan that anybody found; one that nobody searched stays as it was. */
static void take_best(struct split *s, const unsigned char *at)
{
    for (int k = 0; k < s->count; k++) s->part[k].objective = HUGE_VAL;
    for (size_t job = 0, size; job < s->jobs; job++, at += size) {
        struct part *p = part_of(s, job, &size);
        struct found found;
        memcpy(&found, at, sizeof found);
        if (!(found.objective < p->objective)) continue;
        p->objective = found.objective;
        p->len = (size_t)found.len;
        memcpy(p->plan, at + sizeof found, p->len * sizeof *p->plan);
    }
}

/* Processes cut the same plan of the same instance, but maybe on processors that round differently. */
static ucpo_status agree_on_parts(const struct split *s, const ucpo_comm *comm, ucpo_error *err)
{
    uint64_t hash = HASH_BEGIN;
    for (int k = 0; k < s->count; k++) {
        const struct part *p = &s->part[k];
        hash = hash_bytes(hash, &p->n, sizeof p->n);
        hash = hash_bytes(hash, p->node, (size_t)p->n * sizeof *p->node);
    }
    return solve_agree_on(comm, hash, "cut of the plan", err);
}

static ucpo_status share(struct split *s, const ucpo_comm *comm, ucpo_error *err)
{
    ucpo_status st = agree_on_parts(s, comm, err);
    if (st == UCPO_E_ARGUMENT) return UCPO_OK; /* each goes on with its own */
    if (st) return st;
    size_t all = 0, begin = 0, end = 0;
    for (size_t job = 0, size; job < s->jobs; job++) {
        (void)part_of(s, job, &size);
        if (job == s->first) begin = all;
        all += size;
        if (job + 1 == s->last) end = all;
    }
    unsigned char *bytes = mem_zeroed(all, 1);
    if (!bytes) return status_no_memory(err, all);
    write_own(s, bytes + begin);
    st = comm->gather(comm->user, bytes, all, begin, end, err);
    if (!st) take_best(s, bytes);
    free(bytes);
    return st;
}

/* What telling takes; without a listener nothing. */
static ucpo_status listen(struct split *s, struct board *board, ucpo_error *err)
{
    size_t n = (size_t)s->inst->data.n;
    if (!board) return UCPO_OK;
    s->whole = mem_zeroed(2 * n, sizeof *s->whole);
    s->visited = mem_zeroed(n, 1);
    if (!s->whole || !s->visited) return status_no_memory(err, 2 * n * sizeof *s->whole);
    for (int k = 0; k < s->count; k++) {
        struct part *p = &s->part[k];
        memcpy(p->live, p->plan, p->len * sizeof *p->plan);
        p->live_len = p->len;
    }
    if (pthread_mutex_init(&s->lock, NULL) != 0) return status_no_memory(err, sizeof s->lock);
    s->board = board;
    return UCPO_OK;
}

ucpo_status split_search(const ucpo_instance *inst, int32_t *nodes, size_t *len, int parts,
                         double turn, uint64_t seed, const ucpo_comm *comm, const struct stop *stop,
                         struct board *board, ucpo_error *err)
{
    struct split s = {.inst = inst, .stop = stop, .seed = seed};
    ucpo_status st = cut(&s, nodes, *len, parts, turn, err);
    if (!st) st = listen(&s, board, err);
    if (!st) {
        deal_out(&s, comm);
        st = par_run(s.last - s.first, 1, parts, NULL, search_part, &s, err);
    }
    if (!st && comm) st = share(&s, comm, err);
    if (!st) *len = put_back(&s, 0, nodes);
    for (int k = 0; k < s.count; k++) {
        ucpo_instance_free(s.part[k].inst);
        free(s.part[k].node);
        free(s.part[k].number);
    }
    if (s.board) pthread_mutex_destroy(&s.lock);
    free(s.whole);
    free(s.visited);
    return st;
}
