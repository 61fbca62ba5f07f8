/* The problems: instance container, one table of operations per problem, environments.
 *
 * Nobody outside this room asks which problem it has: rooms above call the table. */
#ifndef UCPO_PROBLEM_PROBLEM_H
#define UCPO_PROBLEM_PROBLEM_H

#include "core/mem.h"
#include "core/rng.h"
#include "core/status.h"

#include <stdatomic.h>

struct prob_ops;
struct prob_pair;
struct prob_pairs;

/* `data` is complete (defaults filled in) and owns its arrays. */
struct ucpo_instance {
    ucpo_instance_data data;
    const struct prob_ops *ops;
    const struct ucpo_instance
        *load; /* itself, or of a ship that unloads its mirror image, in which it loads:
                                         what environments and searches work on. Its plans are the instance's
                                         backwards */
    struct ucpo_instance
        *mirror; /* then; or of one with setups an image without them (setup.c), which `load` is,
                                     whose plans run forwards; otherwise NULL */
    int whole_loads;       /* demands, limits and capacity are whole numbers: compare exactly */
    double total_demand;   /* sum over customers */
    double load_tolerance; /* 0 for whole numbers */
    double horizon;        /* latest useful time: max over customers of due + service + way home */
    ucpo_file_notes file;  /* data.file points here */
    char name[128], cost_unit[16];
    atomic_int others;  /* sets that share it, besides its owner */
    char *labels;       /* holds the ids and labels, or NULL */
    struct arena arena; /* holds the arrays */
};

/* Which arrays an instance of a problem has; bits of prob_ops.needs. */
enum prob_need {
    PROB_WINDOWS = 1,  /* ready, due, optional service */
    PROB_DEMAND = 2,   /* demand */
    PROB_LIMIT = 4,    /* draft limits (implies demand) */
    PROB_CAPACITY = 8, /* vehicle capacity (implies demand) */
    PROB_FLEET = 16    /* vehicles >= 1 required */
};

/* The arrays alone: with a fleet limit or without, it is the same kind of problem. */
#define PROB_KIND (~(unsigned)PROB_FLEET)

/* Kinds that file formats are made for; prob_with finds the problem. */
#define PROB_TIMED_TOUR  ((unsigned)PROB_WINDOWS)
#define PROB_DRAFT_TOUR  ((unsigned)(PROB_DEMAND | PROB_LIMIT))
#define PROB_TIMED_FLEET ((unsigned)(PROB_WINDOWS | PROB_DEMAND | PROB_CAPACITY))

/* What a mask may forbid (all problems: visited customers). */
enum prob_mask {
    PROB_MASK_SOFT, /* hard local rules only: visited, capacity, no depot-to-depot */
    PROB_MASK_LOOKAHEAD, /* tsp*: PIP one-step look-ahead; cvrptw*: windows, return; limited fleet: vehicles full enough */
    PROB_MASK_LOOKAHEAD_OWN /* the same plus the candidate's own deadline or limit (and the return)
                             */
};

/* Names of masks (registry.c): "visited", "pip", "pip-own". An unknown one is UCPO_E_ARGUMENT. */
const char *prob_mask_name(enum prob_mask mask);
#define PROB_MASK_PREDICTED "pip-d" /* one more name: a network says what pip would (policy.h) */
ucpo_status prob_mask_find(const char *name, enum prob_mask *out, ucpo_error *err);

struct prob_env;

/* A feature of a decision: raw number `raw` in terms of a scale of the instance, so that one network
 * serves all sizes, levels and units. squashed: x / (|x| + scale), -1 .. 1 and half way at the scale;
 * otherwise x / scale, cut at -4 and 4. */
enum prob_scale {
    PROB_ONE,
    PROB_UNIT,
    PROB_HALF_UNIT,
    PROB_REACH,   /* way between neighbours: unit / sqrt(n) */
    PROB_LEEWAY,  /* mean width of a window */
    PROB_LOAD,    /* capacity, or total demand under draft limits */
    PROB_PORTION, /* twice the mean demand */
    PROB_HALF
};

struct prob_feature {
    const char *name;
    int raw;
    enum prob_scale scale;
    int is_squashed;
};

/* What must be there: everything but what is said to be 0 or NULL in some case. */
struct prob_ops {
    ucpo_problem_info info;
    unsigned needs;        /* enum prob_need; 0: coordinates or a matrix alone */
    int32_t max_vehicles;  /* 1 for tours; 0: the instance's `vehicles` decides */
    const char *tsplib[2]; /* what TSPLIB's TYPE calls it, the first is written; NULL: nothing */
    const char
        *columns; /* of an NPY set, in order: x y ready due service demand limit, and capacity
                            * and vehicles, which stand in the depot's row; NULL: none */

    /* Generator: fills the arrays and scalars of a blank instance for the level with index `level`
     * in info.levels. Uses `rng` only. capacity 0 = the level's own. */
    void (*generate)(struct ucpo_instance *blank, int level, double capacity, struct rng *rng);

    /* What the network sees. Widths: node_features per customer, depot_features for the depot
     * (0: the depot is a row of `node` like a customer), state_features scalars per decision.
     * `xy` are the coordinates to show, n pairs in the unit square (geometry_image or others). */
    int node_features, depot_features, state_features;
    void (*features)(const struct ucpo_instance *inst, const float *xy, float *depot, float *node);

    /* What the encoder hears of a pair of nodes, see pairs.h: pair_row fills the raw numbers that the
     * features name, of all pairs of node i with another. 0 features: nothing, pair_row is NULL. */
    int pair_features;
    const struct prob_pair *pair;
    void (*pair_row)(struct prob_pairs *pairs, int32_t i);

    /* What going to a candidate now would mean, for the pointer. env_decide writes raw number r of
     * entry i of a list of open nodes of sample s to raw[r * stride + i], in units of the instance;
     * `decision` says how raw numbers become features, 1 .. ENV_FEATURES of them. */
    int raw_numbers, decision_features;
    const struct prob_feature *decision;
    void (*env_decide)(struct prob_env *env, int32_t s, const uint16_t *list, int32_t count,
                       float *raw, size_t stride);

    /* Environment of many samples of one instance; see env.h. The first three may be NULL. */
    void (*env_layout)(struct prob_env *env, struct arena *arena);
    void (*env_tables)(struct prob_env *env);
    void (*env_reset)(struct prob_env *env);
    void (*env_step)(struct prob_env *env, const int32_t *action);
    void (*env_mask)(struct prob_env *env, enum prob_mask kind, uint8_t *allowed);
    void (*env_state)(const struct prob_env *env, float *state);

    /* Sample s, without a violation so far, cannot avoid one any more (a sufficient test). */
    int (*env_is_doomed)(const struct prob_env *env, int32_t s);
};

/* registry.c, the only place that lists problems. */
extern const struct prob_ops *const prob_registry[];
extern const size_t prob_registry_count;
const struct prob_ops *prob_find(const char *name); /* NULL: no such problem */

/* Names of all problems, for messages: "tsptw, tspdl, ...". */
const char *prob_names(char *buf, size_t size);

/* Every TYPE of TSPLIB that some problem goes by, for messages: "TSPTW, TSPDL, ... or VRPTW". */
const char *prob_types(char *buf, size_t size);

/* The problem whose instances have exactly these arrays (enum prob_need), for formats that are made for
 * one kind of instance; NULL: none is registered. */
const struct prob_ops *prob_with(unsigned needs);

/* Its name, or "" (which no instance can be made of); its TYPE. */
const char *prob_name_with(unsigned needs);
const char *prob_type_with(unsigned needs);

/* The same problem with a fleet limit, or without one; NULL: there is none. */
const struct prob_ops *prob_limited(const struct prob_ops *ops, int is_limited);

/* Whether two names are the same problem, a fleet limit aside. */
int prob_is_same_kind(const char *a, const char *b);

/* Index of `level` in ops->info.levels (NULL: 0), or -1. */
int prob_level_index(const struct prob_ops *ops, const char *level);

/* A blank instance with all arrays the problem needs and coordinates, zero-filled, for generators
 * and readers that fill in place; instance_finish then validates it and derives the rest. */
ucpo_status instance_blank(const struct prob_ops *ops, int32_t n, struct ucpo_instance **out,
                           ucpo_error *err);
ucpo_status instance_finish(struct ucpo_instance *inst, ucpo_error *err);

/* Published capacities at 10, 20, 50 and 100 customers; straight lines between and beyond, at least
 * `least`. For generators. */
double prob_published_capacity(const double capacity[4], int32_t customers, double least);

/* The arrays of an instance under construction, writable. */
struct instance_arrays {
    double *x, *y, *ready, *due, *service, *demand, *limit;
};

struct instance_arrays instance_arrays(struct ucpo_instance *inst);

/* Copies data->id and data->label into a block of the instance's own (label.c). */
ucpo_status label_copy(struct ucpo_instance *inst, ucpo_error *err);

/* Copies data->left_out into a block of the instance's own, which data->left_out then is (reading.c). */
ucpo_status reading_copy(struct ucpo_instance *inst, ucpo_error *err);

/* Whether two nodes are at one place, where setups are paid once in a row (setup.c). */
int setup_same_place(const ucpo_instance_data *data, int32_t a, int32_t b);

/* An instance without setups whose feasible plans are feasible plans of `inst`; the converse may not hold. */
ucpo_status setup_image(const struct ucpo_instance *inst, struct ucpo_instance **out,
                        ucpo_error *err);

/* Plans of inst->load are those of `inst` backwards. */
static inline int instance_is_reversed(const struct ucpo_instance *inst)
{
    return inst->load != inst && inst->data.limit != NULL;
}

/* What bounds of all plans are computed of: not harder than the instance. */
static inline const struct ucpo_instance *instance_for_bounds(const struct ucpo_instance *inst)
{
    return instance_is_reversed(inst) ? inst->load : inst;
}

/* The date of a day counted from 1970-01-01. */
void label_date(long day, long *year, int *month, int *day_of_month);

/* Goes on with a hash (core/hash.h) by everything the instance says that a plan depends on. */
uint64_t instance_hash(uint64_t hash, const ucpo_instance_data *data);

/* Travel times are not the costs. */
static inline int instance_has_times(const ucpo_instance_data *data)
{
    return data->duration || data->speed > 0.0;
}

/* Length of a leg from coordinates, metric and rounding (geometry.c). */
double geometry_length(const ucpo_instance_data *data, int32_t i, int32_t j);

/* Whether costs are Euclidean lengths of the coordinates, not rounded, without a matrix. */
int geometry_is_straight(const ucpo_instance_data *data);

/* row[j] = ucpo_instance_cost(inst, from, j) for all n, bit for bit. */
void geometry_row(const ucpo_instance *inst, int32_t from, double *row);

/* Larger side of the coordinates' bounding box; of degrees in kilometres. */
double geometry_extent(const ucpo_instance_data *data);

/* The coordinates divided by `unit` (moved to the origin only if they lie outside [0, unit]), under
 * symmetry `image` of the unit square: 0 (x,y), 1 (1-x,y), 2 (x,1-y), 3 (1-x,1-y), 4 .. 7 the same
 * with x and y exchanged first. Needs coordinates. */
void geometry_image(const ucpo_instance_data *data, int image, float *xy);

/* The same for any coordinates: if they span more than `unit`, they are divided by what they span.
 * Image 0; geometry_turn gives the others (`from` and `xy` may not overlap). */
void geometry_fit(const ucpo_instance_data *data, float *xy);
void geometry_turn(const float *from, int32_t n, int image, float *xy);

/* ucpo_check without memory of its own, for searches that may not allocate: `visited` has n bytes. The
 * arguments are not checked. */
void prob_check(const struct ucpo_instance *inst, const int32_t *nodes, size_t len,
                ucpo_evaluation *out, uint8_t *visited, ucpo_stop *schedule,
                size_t schedule_capacity, int32_t *missing, size_t missing_capacity);

struct stop;

/* Coordinates in the unit square for an instance that has a matrix only (embed.c): classical
 * multidimensional scaling. Distances between them resemble the means of both directions. A function
 * of the matrix alone; always finite. UCPO_E_CANCELLED if `stop` (may be NULL) said so meanwhile. */
ucpo_status embed_matrix(const struct ucpo_instance *inst, const struct stop *stop, float *xy,
                         ucpo_error *err);

/* A copy of a matrix instance with such coordinates, in its unit: what wants to show it to a network. */
ucpo_status embed_instance(const struct ucpo_instance *inst, struct ucpo_instance **out,
                           ucpo_error *err);

/* Whether ucpo_generate_preset knows the name. */
int prob_is_preset(const char *name);

#endif
