/* Dumps what the engine computes for one case, for parity.py to recompute with PyTorch.
 *
 *   parity_dump FILE problem=tsptw n=20 samples=8 instances=2 mask=soft norm=instance ...
 *
 * The file is a sequence of arrays: a line "name type dims...", then the raw numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/kern.h"
#include "policy/policy.h"

#ifdef UCPO_REAL_DOUBLE
#define REAL_TYPE "f8"
#else
#define REAL_TYPE "f4"
#endif

struct test_case {
    const char *problem, *level, *mask, *norm, *source; /* source: policy, forced, random */
    int n, samples, instances, layers, width, heads, hidden, has_aux, is_portable, side, glimpse,
        mean, units, pair;
    uint64_t seed;
};

struct dump {
    const struct kern_ops *kern;
    struct test_case c;
    FILE *file;
    const struct prob_ops *ops;
    struct nn_model model;
    struct policy *policy, *predictor;
    ucpo_dataset *set;
    real *params, *predictor_params, *grads, *prob;
    int32_t *actions, *steps;
    double *rollout_log_prob, *log_prob, *objective, *violation, *weight;
    int most;
};

static void die(const char *what, const ucpo_error *err)
{
    fprintf(stderr, "parity_dump: %s: %s\n", what, err ? err->text : "");
    exit(1);
}

static void *need(size_t count, size_t size)
{
    void *block = mem_zeroed(count, size);
    if (!block) die("no memory", NULL);
    return block;
}

/* ---- the file ---- */

static void put(FILE *f, const char *name, const char *type, const void *data, int rank,
                const size_t *shape)
{
    size_t count = 1, size = (size_t)(type[1] - '0');
    fprintf(f, "%s %s", name, type);
    for (int i = 0; i < rank; i++) {
        fprintf(f, " %zu", shape[i]);
        count *= shape[i];
    }
    fputc('\n', f);
    if (fwrite(data, size, count, f) != count) die("cannot write", NULL);
}

#define PUT(f, name, type, data, ...)                                                              \
    put(f, name, type, data, (int)(sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t)),              \
        (size_t[]){__VA_ARGS__})

static void put_model(struct dump *d)
{
    const struct nn_model *m = &d->model;
    char *names = need((size_t)m->tensors * 96, 1);
    size_t used = 0;
    for (int i = 0; i < m->tensors; i++) {
        const struct nn_tensor *t = &m->tensor[i];
        used += (size_t)snprintf(names + used, 96, "%s %d %d %d\n", t->name, t->rank, t->shape[0],
                                 t->shape[1]);
    }
    PUT(d->file, "tensors", "u1", names, used);
    PUT(d->file, "params", REAL_TYPE, d->params, m->total);
    const real *predictor = d->predictor == d->policy ? d->params : d->predictor_params;
    if (d->predictor) PUT(d->file, "predictor_params", REAL_TYPE, predictor, m->total);
    free(names);
}

/* An array of all instances, or zeros where the problem has none. */
static void put_field(struct dump *d, const char *name, size_t offset)
{
    size_t B = (size_t)d->c.instances, n = (size_t)d->c.n;
    double *all = need(B * n, sizeof *all);
    for (size_t b = 0; b < B; b++) {
        const char *data = (const char *)&ucpo_dataset_at(d->set, b)->data;
        const double *field = *(const double *const *)(data + offset);
        if (field) memcpy(all + b * n, field, n * sizeof *all);
    }
    PUT(d->file, name, "f8", all, B, n);
    free(all);
}

static void put_scalar(struct dump *d, const char *name, double (*get)(const ucpo_instance_data *))
{
    size_t B = (size_t)d->c.instances;
    double *all = need(B, sizeof *all);
    for (size_t b = 0; b < B; b++) all[b] = get(&ucpo_dataset_at(d->set, b)->data);
    PUT(d->file, name, "f8", all, B);
    free(all);
}

static double get_unit(const ucpo_instance_data *data)
{
    return data->unit;
}

static double get_tolerance(const ucpo_instance_data *data)
{
    return data->tolerance;
}

static double get_capacity(const ucpo_instance_data *data)
{
    return data->capacity;
}

static double get_vehicles(const ucpo_instance_data *data)
{
    return data->vehicles;
}

static void put_instances(struct dump *d)
{
    put_field(d, "x", offsetof(ucpo_instance_data, x));
    put_field(d, "y", offsetof(ucpo_instance_data, y));
    put_field(d, "ready", offsetof(ucpo_instance_data, ready));
    put_field(d, "due", offsetof(ucpo_instance_data, due));
    put_field(d, "service", offsetof(ucpo_instance_data, service));
    put_field(d, "demand", offsetof(ucpo_instance_data, demand));
    put_field(d, "limit", offsetof(ucpo_instance_data, limit));
    put_scalar(d, "unit", get_unit);
    put_scalar(d, "tolerance", get_tolerance);
    put_scalar(d, "capacity", get_capacity);
    put_scalar(d, "vehicles", get_vehicles);
}

/* ---- set-up ---- */

static void set_option(struct test_case *c, const char *text)
{
    struct {
        const char *name;
        const char **string;
        int *number;
    } option[] = {
        {"problem=", &c->problem, NULL}, {"level=", &c->level, NULL},
        {"mask=", &c->mask, NULL},       {"norm=", &c->norm, NULL},
        {"source=", &c->source, NULL},   {"n=", NULL, &c->n},
        {"samples=", NULL, &c->samples}, {"instances=", NULL, &c->instances},
        {"layers=", NULL, &c->layers},   {"width=", NULL, &c->width},
        {"heads=", NULL, &c->heads},     {"hidden=", NULL, &c->hidden},
        {"aux=", NULL, &c->has_aux},     {"portable=", NULL, &c->is_portable},
        {"side=", NULL, &c->side},       {"glimpse=", NULL, &c->glimpse},
        {"mean=", NULL, &c->mean},       {"units=", NULL, &c->units},
        {"pair=", NULL, &c->pair},
    };

    for (size_t i = 0; i < sizeof option / sizeof option[0]; i++) {
        size_t length = strlen(option[i].name);
        if (strncmp(text, option[i].name, length) != 0) continue;
        if (option[i].string) *option[i].string = text + length;
        if (option[i].number) *option[i].number = atoi(text + length);
        return;
    }
    if (strncmp(text, "seed=", 5) != 0) die("unknown option", NULL);
    c->seed = strtoull(text + 5, NULL, 10);
}

static struct policy *make_policy(struct dump *d, const real *params)
{
    ucpo_error err = {0};
    struct policy *p = NULL;
    float *xy = need(2 * (size_t)d->c.n, sizeof *xy);
    if (policy_create(&d->model, d->ops, d->c.n, d->c.instances, d->c.samples, 1, &p, &err))
        die("policy", &err);
    if (d->kern) policy_use_kernels(p, d->kern);
    if (d->c.is_portable) policy_use_kernels(p, kern_of(KERN_PORTABLE, 0));
    for (int b = 0; b < d->c.instances; b++) {
        const ucpo_instance *inst = ucpo_dataset_at(d->set, (size_t)b);
        geometry_image(&inst->data, b % 8, xy);
        policy_load(p, b, inst, xy);
    }
    policy_encode(p, params, d->c.instances);
    free(xy);
    return p;
}

/* Statistics of fixed norms, and their gains and shifts, that are not those of a new model. */
static void draw_norms(const struct dump *d, real *params)
{
    for (int k = 0; d->model.config.norm == NN_NORM_FIXED && k < d->model.tensors; k++) {
        const struct nn_tensor *t = &d->model.tensor[k];
        struct rng rng = rng_at(d->c.seed, RNG_TEST, 2000 + (uint64_t)k);
        for (size_t i = 0; t->init != NN_INIT_UNIFORM && i < t->count; i++)
            params[t->offset + i] += (real)(0.8 * rng_uniform(&rng) - 0.4);
    }
}

static void set_up(struct dump *d)
{
    ucpo_error err = {0};
    d->ops = prob_find(d->c.problem);
    if (!d->ops) die("no such problem", NULL);
    struct nn_config config = nn_config_default();
    config.side_hidden = d->c.side, config.side_glimpse = d->c.glimpse;
    config.pair_features = d->c.pair;
    config = policy_config(d->ops, config);
    config.layers = d->c.layers, config.width = d->c.width, config.heads = d->c.heads;
    config.hidden = d->c.hidden, config.has_aux = d->c.has_aux;
    config.norm = strcmp(d->c.norm, "layer") == 0 ? NN_NORM_LAYER : NN_NORM_INSTANCE;
    if (strcmp(d->c.norm, "fixed") == 0) config.norm = NN_NORM_FIXED;
    config.has_mean = d->c.mean, config.has_units = d->c.units;
    if (nn_model_init(&d->model, &config, &err)) die("model", &err);
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = d->c.problem, g.level = d->c.level, g.count = (size_t)d->c.instances;
    g.size = d->ops->info.depot_is_extra ? d->c.n - 1 : d->c.n;
    g.seed = d->c.seed, g.threads = 1;
    if (ucpo_generate(&g, &d->set, &err)) die("generate", &err);

    d->params = need(d->model.total, sizeof(real));
    d->predictor_params = need(d->model.total, sizeof(real));
    d->grads = need(d->model.total, sizeof(real));
    nn_params_init(&d->model, d->c.seed, d->params);
    nn_params_init(&d->model, d->c.seed + 1, d->predictor_params);
    draw_norms(d, d->params);
    draw_norms(d, d->predictor_params);
    for (int k = 0; k < d->model.tensors; k++) { /* w2, V and the weights of pairs begin with 0 */
        const struct nn_tensor *w = &d->model.tensor[k];
        double scale = strstr(w->name, "side_W2")  ? 0.1
                       : strstr(w->name, "side_V") ? 0.4
                       : strstr(w->name, "pair")   ? 0.3
                                                   : 0.0;
        for (size_t i = 0; scale > 0.0 && i < w->count; i++)
            d->params[w->offset + w->count - 1 - i] = (real)(scale * ((int)(i % 7) - 3));
    }
    for (size_t i = 0; i < d->model.total; i++) { /* the twin's are the same numbers */
        d->params[i] = (real)(float)d->params[i];
        d->predictor_params[i] = (real)(float)d->predictor_params[i];
    }
    d->policy = make_policy(d, d->params);
    if (strcmp(d->c.mask, "predicted") == 0) d->predictor = make_policy(d, d->predictor_params);
    if (strcmp(d->c.mask, "predicted_self") == 0) d->predictor = d->policy;
    d->most = policy_max_steps(d->policy);
    size_t rows = (size_t)d->c.instances * (size_t)d->c.samples, most = (size_t)d->most;
    d->actions = need(rows * most, sizeof(int32_t));
    d->steps = need(rows, sizeof(int32_t));
    d->prob = need(rows * most * (size_t)d->c.n, sizeof(real));
    d->rollout_log_prob = need(rows, sizeof(double));
    d->log_prob = need(rows, sizeof(double));
    d->objective = need(rows, sizeof(double));
    d->violation = need(rows, sizeof(double));
    d->weight = need(rows, sizeof(double));
}

static void tear_down(struct dump *d)
{
    if (d->predictor != d->policy) policy_free(d->predictor);
    policy_free(d->policy);
    ucpo_dataset_free(d->set);
    void *block[] = {
        d->params,   d->predictor_params, d->grads,  d->prob,      d->actions,  d->steps,
        d->log_prob, d->rollout_log_prob, d->weight, d->objective, d->violation};
    for (size_t i = 0; i < sizeof block / sizeof block[0]; i++) free(block[i]);
}

/* ---- trajectories ---- */

/* A random order, for routes with random returns, whatever the masks say. */
static void random_trajectory(const struct dump *d, struct rng *rng, int32_t *actions)
{
    int n = d->c.n, used = 0, is_tour = d->ops->max_vehicles == 1;
    int32_t *order = need((size_t)n, sizeof *order);
    for (int i = 1; i < n; i++) {
        int at = 1 + (int)rng_below(rng, (uint32_t)i);
        order[i] = order[at];
        order[at] = i;
    }
    for (int i = 1; i < n; i++) {
        actions[used++] = order[i];
        if (!is_tour && (i == n - 1 || rng_below(rng, 3) == 0)) actions[used++] = 0;
    }
    free(order);
}

static struct policy_options options_of(const struct dump *d, int b)
{
    struct policy_options o = policy_options_default();
    const char *mask = d->c.mask;
    if (strcmp(mask, "lookahead") == 0) o.mask = PROB_MASK_LOOKAHEAD;
    if (strcmp(mask, "lookahead_own") == 0) o.mask = PROB_MASK_LOOKAHEAD_OWN;
    o.predictor = d->predictor;
    o.has_forced_start = strcmp(d->c.source, "forced") == 0;
    o.seed = d->c.seed;
    o.index = (uint64_t)b;
    return o;
}

/* Actions, log-probabilities, probabilities and gradients of instance b. */
static void run_instance(struct dump *d, int b)
{
    ucpo_error err = {0};
    const ucpo_instance *inst = ucpo_dataset_at(d->set, (size_t)b);
    struct policy_options o = options_of(d, b);
    size_t row = (size_t)b * (size_t)d->c.samples, most = (size_t)d->most;
    int32_t *actions = d->actions + row * most;
    struct policy_result rolled = {.log_prob = d->rollout_log_prob + row};
    struct rng rng = rng_at(d->c.seed, RNG_TEST, (uint64_t)b);
    if (strcmp(d->c.source, "random") == 0) {
        for (int s = 0; s < d->c.samples; s++)
            random_trajectory(d, &rng, actions + (size_t)s * most);
    } else if (policy_rollout(d->policy, b, inst, &o, actions, &rolled, &err)) {
        die("rollout", &err);
    }
    for (int s = 0; s < d->c.samples; s++) d->weight[row + (size_t)s] = rng_normal(&rng);
    struct policy_result replayed = {.log_prob = d->log_prob + row,
                                     .objective = d->objective + row,
                                     .violation = d->violation + row,
                                     .steps = d->steps + row,
                                     .prob = d->prob + row * most * (size_t)d->c.n};
    if (policy_replay(d->policy, b, inst, &o, actions, d->c.samples, d->weight + row, &replayed,
                      &err))
        die("replay", &err);
}

/* Raw numbers of every decision along the trajectories, for all nodes that may come next without a
 * look-ahead, 0 elsewhere; and per instance the rules that make features of them: source, whether
 * squashed, scale. */
static void put_decisions(struct dump *d)
{
    ucpo_error err = {0};
    size_t B = (size_t)d->c.instances, S = (size_t)d->c.samples, n = (size_t)d->c.n;
    size_t most = (size_t)d->most, R = (size_t)d->ops->raw_numbers;
    size_t F = (size_t)d->ops->decision_features;
    float *all = need(B * S * most * n * R, sizeof *all), *row = need(R * n, sizeof *row);
    double *rules = need(B * F * 3, sizeof *rules);
    int32_t *action = need(S, sizeof *action);
    uint16_t *list = need(n, sizeof *list);
    struct prob_env *env = NULL;
    if (prob_env_create(d->ops, d->c.n, d->c.samples, &env, &err)) die("environment", &err);
    env->has_decisions = 1;
    for (size_t b = 0; b < B; b++) {
        struct env_shape shape;
        if (prob_env_bind(env, ucpo_dataset_at(d->set, b), &err)) die("bind", &err);
        prob_env_shape(env, &shape);
        for (size_t f = 0; f < F; f++) {
            double *rule = rules + (b * F + f) * 3;
            rule[0] = shape.source[f], rule[1] = shape.is_squashed[f];
            rule[2] = (double)shape.scale[f];
        }
        for (size_t t = 0; t < most && !prob_env_is_done(env); t++) {
            for (size_t s = 0; s < S; s++) {
                action[s] = d->actions[(b * S + s) * most + t];
                int count = 0;
                for (size_t j = 0; j < n; j++)
                    if (!env->visited[s * n + j] || (j == 0 && d->ops->max_vehicles != 1))
                        list[count++] = (uint16_t)j;
                if (env->done[s]) continue;
                prob_env_decide(env, (int32_t)s, list, count, row, n);
                float *to = all + ((b * S + s) * most + t) * n * R;
                for (int i = 0; i < count; i++)
                    for (size_t k = 0; k < R; k++) to[list[i] * R + k] = row[k * n + (size_t)i];
            }
            prob_env_step(env, action);
        }
    }
    PUT(d->file, "raw", "f4", all, B, S, most, n, R);
    PUT(d->file, "rules", "f8", rules, B, F, 3);
    prob_env_free(env);
    free(all), free(row), free(rules), free(action), free(list);
}

/* Features of pairs as the encoder had them: B x features x n x n, rows rounded up. */
static void put_pairs(struct dump *d)
{
    size_t B = (size_t)d->c.instances, n = (size_t)d->c.n, line = (size_t)d->policy->kern->line;
    PUT(d->file, "pairs", REAL_TYPE, d->policy->encoder.pairs.phi, B, (size_t)d->ops->pair_features,
        n, (n + line - 1) / line * line);
}

/* Adds the auxiliary loss of all instances with random step weights; dumps loss and labels. */
static void run_aux(struct dump *d)
{
    ucpo_error err = {0};
    size_t most = (size_t)d->most;
    int64_t *zeros = need(most, sizeof *zeros), *ones = need(most, sizeof *ones);
    double *w0 = need(most, sizeof *w0), *w1 = need(most, sizeof *w1), total = 0.0;
    struct rng rng = rng_at(d->c.seed, RNG_TEST, 1000);
    for (size_t t = 0; t < most; t++) w0[t] = rng_uniform(&rng), w1[t] = rng_uniform(&rng);
    policy_encode(d->policy, d->params, d->c.instances);
    for (int b = 0; b < d->c.instances; b++) {
        const ucpo_instance *inst = ucpo_dataset_at(d->set, (size_t)b);
        const int32_t *actions = d->actions + (size_t)b * (size_t)d->c.samples * most;
        double loss = 0.0;
        if (policy_count_labels(d->policy, inst, actions, d->c.samples, zeros, ones, &err) ||
            policy_replay_aux(d->policy, b, inst, actions, d->c.samples, w0, w1, &loss,
                              (int64_t[2]){0}, &err))
            die("aux", &err);
        total += loss;
    }
    memset(d->grads, 0, d->model.total * sizeof(real));
    policy_backward(d->policy, d->params, d->grads, d->c.instances);
    PUT(d->file, "aux_zeros", "i8", zeros, most);
    PUT(d->file, "aux_ones", "i8", ones, most);
    PUT(d->file, "aux_weight0", "f8", w0, most);
    PUT(d->file, "aux_weight1", "f8", w1, most);
    PUT(d->file, "aux_loss", "f8", &total, 1);
    PUT(d->file, "aux_grads", REAL_TYPE, d->grads, d->model.total);
    free(zeros), free(ones), free(w0), free(w1);
}

/* Three optimiser steps with the policy gradient times 1, -0.5, 2. */
static void run_adam(struct dump *d)
{
    struct nn_adam adam = nn_adam_default();
    adam.rate = 1e-2, adam.decay = 1e-2;
    size_t total = d->model.total;
    real *m = need(total, sizeof *m), *v = need(total, sizeof *v), *g = need(total, sizeof *g);
    const real factor[3] = {1, (real)-0.5, 2};
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < total; i++) g[i] = factor[k] * d->grads[i];
        nn_adam_step(&adam, d->policy->kern, &d->model, d->params, m, v, g);
    }
    PUT(d->file, "adam_params", REAL_TYPE, d->params, total);
    free(m), free(v), free(g);
}

static void run(struct dump *d)
{
    const struct policy *p = d->policy;
    size_t B = (size_t)d->c.instances, S = (size_t)d->c.samples, n = (size_t)d->c.n;
    size_t most = (size_t)d->most, depot = (size_t)d->ops->depot_features;
    for (int b = 0; b < d->c.instances; b++) run_instance(d, b);
    policy_backward(d->policy, d->params, d->grads, d->c.instances);

    put_model(d);
    put_instances(d);
    if (d->c.side) put_decisions(d);
    if (d->c.pair) put_pairs(d);
    if (depot) PUT(d->file, "depot_features", REAL_TYPE, p->encoder.depot, B, depot);
    PUT(d->file, "node_features", REAL_TYPE, p->encoder.node, B, depot ? n - 1 : n,
        (size_t)d->ops->node_features);
    PUT(d->file, "encoded", REAL_TYPE, p->encoder.h[d->c.layers], B, n, (size_t)d->c.width);
    PUT(d->file, "actions", "i4", d->actions, B, S, most);
    PUT(d->file, "steps", "i4", d->steps, B, S);
    PUT(d->file, "prob", REAL_TYPE, d->prob, B, S, most, n);
    if (strcmp(d->c.source, "random") != 0)
        PUT(d->file, "rollout_log_prob", "f8", d->rollout_log_prob, B, S);
    PUT(d->file, "log_prob", "f8", d->log_prob, B, S);
    PUT(d->file, "objective", "f8", d->objective, B, S);
    PUT(d->file, "violation", "f8", d->violation, B, S);
    PUT(d->file, "weight", "f8", d->weight, B, S);
    PUT(d->file, "grads", REAL_TYPE, d->grads, d->model.total);
    if (d->c.has_aux) run_aux(d);
    run_adam(d);
}

int main(int argc, char **argv)
{
    struct dump d = {.c = {.problem = "tsptw",
                           .mask = "soft",
                           .norm = "instance",
                           .source = "policy",
                           .n = 20,
                           .samples = 8,
                           .instances = 2,
                           .layers = 2,
                           .width = 128,
                           .heads = 8,
                           .hidden = 512,
                           .seed = 1}};
    if (argc < 2) die("usage: parity_dump FILE key=value ..., or parity_dump problems", NULL);
    if (strcmp(argv[1], "problems") == 0) {
        for (size_t i = 0; ucpo_problem_at(i); i++) puts(ucpo_problem_at(i)->name);
        return 0;
    }
    for (int i = 2; i < argc; i++) set_option(&d.c, argv[i]);
    if (kern_choose(getenv("UCPO_TEST_KERNELS"), "f32", &d.kern, NULL)) return 77;
    d.file = fopen(argv[1], "wb");
    if (!d.file) die("cannot open the file", NULL);
    set_up(&d);
    run(&d);
    if (fclose(d.file) != 0) die("cannot write", NULL);
    tear_down(&d);
    return 0;
}
