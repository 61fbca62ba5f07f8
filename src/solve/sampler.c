/* Candidates from a model. Each image is encoded alone, once; its tables stay. A thread has an
 * environment and buffers of its own and decodes any image with that image's tables, so what comes out
 * depends neither on the number of threads nor on which of them did it. */
#include "core/par.h"
#include "math/kern.h"
#include "solve/solve.h"

#include <stdlib.h>
#include <string.h>

enum {
    ITEMS = 8,       /* pieces of work in a round, at most */
    STEPS_BACK = 50, /* decisions per node that a greedy trajectory may spend on stepping back */
    STEPS_BACK_NODES = 200
};

#define HURRY_SHARE  0.1 /* of the time: later, a search has more of it than another image */
#define TABLE_BYTES  ((size_t)512 << 20) /* of all images */
#define WORKER_BYTES ((size_t)1 << 30)   /* of all threads */

struct image {
    struct nn_decoder decoder;
    struct nn_decoder aux; /* is_predicted */
    struct arena arena;
};

struct worker {
    struct policy *policy;
    int is_bound;
    int is_loaded; /* some image of the instance has been in its slot */
};

/* A piece of work: some samples of one image. */
struct item {
    int image, count, is_done;
    int64_t chunk;
};

struct sampler {
    struct solve_model model;
    const ucpo_solve_config *config;
    const ucpo_instance *inst;
    const struct prob_ops *ops;
    int n, most, chunk, parts, images;
    int wanted, threads; /* as the settings say, and as memory allows */
    float *xy;           /* image 0 */
    struct image image[SOLVE_IMAGES];
    struct worker *worker;
    struct item item[ITEMS];
    int items;
    int32_t *actions;              /* ITEMS x chunk x most */
    double *objective, *violation; /* ITEMS x chunk */
    int64_t round;
    int is_followed; /* nothing is drawn: a search has the rest of the time */
    const struct stop *stop;
};

int solve_images(int32_t n, int wanted)
{
    if (n > SOLVE_MODEL_NODES) return 0;
    size_t each = (size_t)n * (size_t)n * 36; /* scores of 8 heads and a plane, in float */
    while (wanted > 1 && (size_t)wanted * each > TABLE_BYTES) wanted--;
    return wanted;
}

/* ---- life ---- */

/* Samples per piece: about as much work for any n, so that a round is short. */
static int chunk_for(int n)
{
    int chunk = 3200 / n;
    return chunk < 4 ? 4 : chunk > 64 ? 64 : chunk;
}

static void lay_out(const struct sampler *s, struct image *image)
{
    nn_decoder_layout(&image->decoder, &image->arena);
    if (s->model.means.is_predicted) nn_decoder_layout(&image->aux, &image->arena);
}

static ucpo_status create_image(const struct sampler *s, struct image *image, ucpo_error *err)
{
    image->decoder =
        (struct nn_decoder){.model = s->model.net, .kern = s->model.means.kern, .B = 1, .n = s->n};
    image->aux = image->decoder;
    image->aux.is_aux = 1;
    lay_out(s, image);
    ucpo_status st = arena_reserve(&image->arena, err);
    if (!st) lay_out(s, image);
    return st;
}

static ucpo_status create_worker(struct sampler *s, int t, ucpo_error *err)
{
    ucpo_status st =
        policy_create(s->model.net, s->ops, s->n, 1, s->chunk, 0, &s->worker[t].policy, err);
    if (st) return st;
    policy_use_kernels(s->worker[t].policy, s->model.means.kern);
    if (s->model.net->config.side_hidden)
        nn_side_begin(&s->worker[t].policy->side, s->model.params);
    size_t bytes = policy_bytes(s->worker[t].policy);
    if (t == 0 && (size_t)s->threads * bytes > WORKER_BYTES) { /* the rest would be too much */
        size_t fitting = WORKER_BYTES / bytes;
        s->threads = fitting > 0 ? (int)fitting : 1;
    }
    return UCPO_OK;
}

static ucpo_status create_buffers(struct sampler *s, ucpo_error *err)
{
    s->most = s->ops->max_vehicles == 1 ? s->n - 1 : 2 * (s->n - 1);
    size_t rows = (size_t)ITEMS * (size_t)s->chunk, cells = rows * (size_t)s->most;
    s->xy = mem_zeroed(2 * (size_t)s->n, sizeof *s->xy);
    s->worker = mem_zeroed((size_t)s->threads, sizeof *s->worker);
    s->actions = mem_zeroed(cells, sizeof *s->actions);
    s->objective = mem_zeroed(rows, sizeof *s->objective);
    s->violation = mem_zeroed(rows, sizeof *s->violation);
    if (s->xy && s->worker && s->actions && s->objective && s->violation) return UCPO_OK;
    return status_no_memory(err, cells * sizeof *s->actions);
}

static ucpo_status create(const struct solve_model *model, const ucpo_solve_config *config,
                          const ucpo_instance *inst, int images, struct sampler **out,
                          ucpo_error *err)
{
    struct sampler *s = mem_zeroed(1, sizeof *s);
    if (!s) return status_no_memory(err, sizeof *s);
    s->model = *model;
    s->ops = inst->ops;
    s->n = inst->data.n;
    s->chunk = chunk_for(s->n);
    s->images = images;
    s->parts = ITEMS / images;
    s->wanted = config->threads;
    if (!s->model.means.kern) s->model.means.kern = kern_best();
    s->threads = kern_is_thread_safe(s->model.means.kern) ? par_threads(config->threads) : 1;
    if (s->threads > ITEMS) s->threads = ITEMS;
    ucpo_status st = create_buffers(s, err);
    for (int i = 0; !st && i < images; i++) st = create_image(s, &s->image[i], err);
    for (int t = 0; !st && t < s->threads; t++) st = create_worker(s, t, err);
    if (st)
        sampler_free(s);
    else
        *out = s;
    return st;
}

/* Whether the workspaces of `s` are those that these would get. */
static int fits(const struct sampler *s, const struct solve_model *model,
                const ucpo_solve_config *config, const ucpo_instance *inst, int images)
{
    const struct policy_means *a = &s->model.means, *b = &model->means;
    return s->model.net == model->net && s->model.params == model->params &&
           a->kern == (b->kern ? b->kern : kern_best()) && a->is_predicted == b->is_predicted &&
           s->ops == inst->ops && s->n == inst->data.n && s->images == images &&
           s->wanted == config->threads;
}

ucpo_status sampler_fit(struct sampler **sampler, const struct solve_model *model,
                        const ucpo_solve_config *config, const ucpo_instance *inst, int images,
                        ucpo_error *err)
{
    if (*sampler && !fits(*sampler, model, config, inst, images)) {
        sampler_free(*sampler);
        *sampler = NULL;
    }
    ucpo_status st = *sampler ? UCPO_OK : create(model, config, inst, images, sampler, err);
    if (st) return st;
    struct sampler *s = *sampler;
    s->config = config;
    s->inst = inst;
    s->model.means.mask = model->means.mask;
    for (int t = 0; t < s->threads; t++) s->worker[t].is_bound = s->worker[t].is_loaded = 0;
    return UCPO_OK;
}

void sampler_free(struct sampler *s)
{
    if (!s) return;
    for (int i = 0; i < SOLVE_IMAGES; i++) arena_free(&s->image[i].arena);
    for (int t = 0; s->worker && t < s->threads; t++) policy_free(s->worker[t].policy);
    free(s->worker);
    free(s->xy);
    free(s->actions);
    free(s->objective);
    free(s->violation);
    free(s);
}

int64_t sampler_round_samples(const struct sampler *s)
{
    return (int64_t)s->parts * s->chunk;
}

/* ---- a round ---- */

static void encode(struct sampler *s, struct worker *w, int i, const struct stop *stop)
{
    struct policy *p = w->policy;
    struct nn_decoder *d = &s->image[i].decoder, *aux = &s->image[i].aux;
    const real *h = p->encoder.h[s->model.net->config.layers];
    geometry_turn(s->xy, s->n, i, p->xy);
    if (w->is_loaded)
        policy_load_image(p, 0, 0, s->inst, p->xy);
    else
        policy_load(p, 0, s->inst, p->xy);
    w->is_loaded = 1;
    p->encoder.stop = d->stop = stop;
    nn_encoder_forward(&p->encoder, s->model.params, 1);
    if (!stop_is_asked(stop)) nn_decoder_forward(d, s->model.params, h, 1);
    if (!stop_is_asked(stop) && s->model.means.is_predicted)
        nn_decoder_forward(aux, s->model.params, h, 1);
    p->encoder.stop = d->stop = NULL;
}

/* A search follows, which wants its share of the time. */
static int is_searched(const struct sampler *s)
{
    return s->config->refine && s->config->time_limit > 0.0;
}

/* Greedy plans of limited fleets seldom become feasible by it, those of long tours late (500 nodes, hard
 * windows: a sixth of a second); if the time is short, a search is the better use of it. */
static int may_step_back(const struct sampler *s)
{
    int is_long = s->n > STEPS_BACK_NODES && s->config->time_limit < 1.0;
    int is_slow = s->inst->ops->max_vehicles != 1 || is_long;
    return s->round == 0 && !(is_searched(s) && is_slow);
}

static ucpo_status decode(struct sampler *s, struct worker *w, int at, const struct stop *stop,
                          ucpo_error *err)
{
    const struct item *item = &s->item[at];
    struct policy *p = w->policy;
    struct policy_options o = policy_options_default();
    size_t row = (size_t)at * (size_t)s->chunk;
    o.mask = s->model.means.mask, o.temperature = s->config->temperature, o.seed = s->config->seed;
    o.is_greedy = s->round == 0, o.is_bound = w->is_bound, o.stop = stop;
    o.index = s->config->number << 40 ^ (uint64_t)item->chunk << 3 ^ (uint64_t)item->image;
    struct policy_result result = {.objective = s->objective + row,
                                   .violation = s->violation + row};
    struct kern_tables *own = p->decoder.table, *own_aux = p->aux.table;
    p->decoder.table = s->image[item->image].decoder.table;
    if (s->model.means.is_predicted) {
        p->aux.table = s->image[item->image].aux.table;
        o.predictor = p;
    }
    p->samples = item->count;
    w->is_bound = 0; /* unless the rollout gets through */
    int32_t *actions = s->actions + row * (size_t)s->most;
    ucpo_status st = policy_rollout(p, 0, s->inst, &o, actions, &result, err);
    w->is_bound = st == UCPO_OK;
    if (!st && may_step_back(s) && s->violation[row] > 0.0)
        st = policy_mend(p, 0, s->inst, &o, STEPS_BACK, actions, &result, err);
    p->decoder.table = own;
    p->aux.table = own_aux;
    return st;
}

/* Whether the time is short and a search is better than the plan of one more image. */
static int is_too_late(const struct sampler *s, int image, const struct stop *stop)
{
    if (!s->is_followed || image == 0 || !stop || !stop->share) return 0;
    return stop->share(stop->user) > HURRY_SHARE;
}

static ucpo_status run_item(void *context, size_t begin, size_t end, int thread, ucpo_error *err)
{
    struct sampler *s = context;
    struct worker *w = &s->worker[thread];
    const struct stop *stop = &s->stop[thread];
    (void)end; /* items come one at a time */
    if (s->item[begin].count == 0) {
        s->item[begin].is_done = 1;
        return UCPO_OK;
    }
    if (is_too_late(s, s->item[begin].image, stop))
        return status_fail(err, UCPO_E_CANCELLED, "stopped");
    if (s->round == 0) encode(s, w, s->item[begin].image, stop);
    if (stop_is_asked(stop)) return status_fail(err, UCPO_E_CANCELLED, "stopped");
    ucpo_status st = decode(s, w, (int)begin, stop, err);
    s->item[begin].is_done = st == UCPO_OK;
    return st;
}

static ucpo_status make_coordinates(struct sampler *s, const struct stop *stop, ucpo_error *err)
{
    const ucpo_instance *inst = s->inst;
    if (!inst->data.x) return embed_matrix(inst, stop, s->xy, err);
    geometry_fit(&inst->data, s->xy);
    return UCPO_OK;
}

ucpo_status sampler_round(struct sampler *s, int64_t round, int64_t most, const struct stop *stop,
                          ucpo_error *err)
{
    int images = s->images;
    s->stop = stop;
    s->round = round;
    s->is_followed = most == 0 && is_searched(s);
    s->items = 0;
    ucpo_status st = round == 0 ? make_coordinates(s, &stop[0], err) : UCPO_OK;
    if (st) return st;
    s->items = round == 0 ? images : images * s->parts;
    for (int k = 0; k < s->items; k++) {
        int64_t chunk = round == 0 ? 0 : (round - 1) * s->parts + k / images;
        int64_t left = most - chunk * s->chunk;
        int count = left < s->chunk ? (int)(left > 0 ? left : 0) : s->chunk;
        s->item[k] = (struct item){.image = k % images, .count = round ? count : 1, .chunk = chunk};
    }
    return par_run((size_t)s->items, 1, s->threads, NULL, run_item, s, err);
}

int sampler_done(const struct sampler *s)
{
    int count = 0;
    for (int k = 0; k < s->items && s->item[k].is_done; k++) count += s->item[k].count;
    return count;
}

struct sampled sampler_at(const struct sampler *s, int candidate)
{
    size_t k = 0;
    while (candidate >= s->item[k].count) candidate -= s->item[k++].count;
    size_t row = k * (size_t)s->chunk + (size_t)candidate;
    /* rows of an item lie `most` apart, as policy_rollout writes them */
    const int32_t *nodes =
        s->actions + k * (size_t)s->chunk * (size_t)s->most + (size_t)candidate * (size_t)s->most;
    size_t len = (size_t)s->most;
    while (len > 0 && nodes[len - 1] == 0) len--;
    return (struct sampled){nodes, len, s->objective[row], s->violation[row]};
}
