/* What a writer of a text format checks before it writes: scaling, refusals, losses. */
#include "io/text_common.h"

#include <math.h>
#include <string.h>

/* ---- derived values ---- */

/* Builds the instance again as a reader would, without unit and tolerance, and compares what is
 * derived then. */
static ucpo_status compare_derived(struct io_subject *subject, ucpo_error *err)
{
    ucpo_instance_data bare = *subject->data;
    bare.unit = 0.0;
    bare.tolerance = -1.0;
    bare.duration = NULL; /* no text format carries it, nor a speed */
    bare.speed = 0.0;
    ucpo_instance *twin = NULL;
    ucpo_status st = ucpo_instance_create(&bare, &twin, err);
    if (st) return st;
    const ucpo_instance_data *derived = ucpo_instance_view(twin);
    subject->is_derived_unit = derived->unit == subject->data->unit;
    /* the derived tolerance follows the unit, so a given unit takes its tolerance along */
    subject->is_derived_tolerance =
        subject->is_derived_unit && derived->tolerance == subject->data->tolerance;
    ucpo_instance_free(twin);
    return UCPO_OK;
}

/* ---- scaling ---- */

static double scaled(double value, double scale)
{
    return floor(value * scale + 0.5);
}

#define MOST_MATRIX_NODES 5000 /* whose coordinates are turned into a matrix */

#define MOST_SCALED 1e12 /* what an instance may hold */

/* What rounding did to the values so far. */
struct scaling {
    double scale, worst; /* largest relative change */
    const char *worst_of;
};

/* Rounds `count` values into `to`. A scale that leaves nothing of them, or makes them too large, is
 * refused. `stride` > 0: a matrix with rows of that many, whose diagonal means nothing. */
static ucpo_status scale_values(struct scaling *s, const char *what, const double *from, double *to,
                                size_t count, size_t stride, ucpo_error *err)
{
    int has_some = 0, keeps_some = 0;
    for (size_t i = 0; i < count; i++) {
        to[i] = scaled(from[i], s->scale);
        if (from[i] == 0.0 || (stride > 0 && i / stride == i % stride)) continue;
        if (fabs(to[i]) > MOST_SCALED)
            return status_argument(
                err, "scale %g is too large: a %s of %g becomes %g, at most %g is allowed",
                s->scale, what, from[i], to[i], MOST_SCALED);
        has_some = 1;
        if (to[i] != 0.0) keeps_some = 1;
        double change = fabs(to[i] / s->scale - from[i]) / fabs(from[i]);
        if (!(change > s->worst)) continue;
        s->worst = change;
        s->worst_of = what;
    }
    if (!has_some || keeps_some) return UCPO_OK;
    return status_argument(err, "scale %g is too small: every %s that is not 0 would become 0",
                           s->scale, what);
}

static ucpo_status add_scaled(struct io_arrays *arrays, enum io_field field, const char *what,
                              const double *from, struct scaling *s, ucpo_error *err)
{
    if (!from) return UCPO_OK;
    ucpo_status st = io_arrays_add(arrays, field, err);
    if (st) return st;
    size_t n = arrays->n;
    return field == IO_COST ? scale_values(s, what, from, arrays->of[field], n * n, n, err)
                            : scale_values(s, what, from, arrays->of[field], n, 0, err);
}

/* Lengths that are not plain products of the coordinates (rounded, GEO, ATT) are scaled one by
 * one, as a matrix. */
static ucpo_status add_scaled_lengths(struct io_arrays *arrays, const ucpo_instance *inst,
                                      struct scaling *s, ucpo_error *err)
{
    ucpo_status st = io_arrays_add(arrays, IO_COST, err);
    size_t n = arrays->n;
    double *m = arrays->of[IO_COST];
    for (size_t i = 0; !st && i < n; i++)
        for (size_t j = 0; j < n; j++)
            m[i * n + j] = ucpo_instance_cost(inst, (int32_t)i, (int32_t)j);
    return st ? st : scale_values(s, "length", m, m, n * n, n, err);
}

static ucpo_status scale_arrays(const struct io_subject *subject, struct scaling *s,
                                struct io_arrays *arrays, ucpo_error *err)
{
    const ucpo_instance_data *d = subject->data;
    int is_plain = d->rounding == UCPO_ROUND_NONE && d->metric <= UCPO_METRIC_MAXIMUM;
    ucpo_status st = add_scaled(arrays, IO_X, "coordinate x", d->x, s, err);
    if (!st) st = add_scaled(arrays, IO_Y, "coordinate y", d->y, s, err);
    if (!st) st = add_scaled(arrays, IO_READY, "ready time", d->ready, s, err);
    if (!st) st = add_scaled(arrays, IO_DUE, "due time", d->due, s, err);
    if (!st) st = add_scaled(arrays, IO_SERVICE, "service time", d->service, s, err);
    if (!st) st = add_scaled(arrays, IO_COST, "cost", d->cost, s, err);
    if (!st && !d->cost && !is_plain) st = add_scaled_lengths(arrays, subject->inst, s, err);
    return st;
}

/* A format that cannot say how distances are rounded gets exact ones between whole coordinates. */
static ucpo_rounding scaled_rounding(const ucpo_instance_data *data,
                                     const struct io_ability *ability)
{
    unsigned own = ability->carries & (IO_CARRY_COORDINATES | IO_CARRY_METRIC);
    return data->cost || own == IO_CARRY_COORDINATES ? UCPO_ROUND_NONE : UCPO_ROUND_NEAREST;
}

static ucpo_status make_scaled(struct io_subject *subject, const ucpo_write_config *options,
                               const struct io_ability *ability, ucpo_error *err)
{
    const ucpo_instance_data *d = subject->data;
    struct io_arrays arrays = {(size_t)d->n, {NULL}};
    struct scaling s = {options->scale, 0.0, ""};
    ucpo_status st = scale_arrays(subject, &s, &arrays, err);
    ucpo_instance_data data = *d;
    io_arrays_lend(&arrays, &data);
    data.demand = d->demand;
    data.limit = d->limit;
    data.duration = NULL;
    data.speed = 0.0;
    data.metric = data.cost ? UCPO_METRIC_EUCLID : d->metric;
    data.rounding = scaled_rounding(&data, ability);
    data.unit = subject->is_derived_unit ? 0.0 : d->unit * s.scale;
    data.tolerance = subject->is_derived_tolerance ? -1.0 : d->tolerance * s.scale;
    ucpo_file_notes file = *d->file;
    file.service_in_cost = scaled(file.service_in_cost, s.scale);
    data.file = &file;
    data.best_known = scaled(d->best_known, s.scale);
    if (!st) st = ucpo_instance_create(&data, &subject->own, err);
    io_arrays_free(&arrays);
    if (st) return st;
    if (s.worst > 1e-12)
        hooks_log(&options->hooks, UCPO_LOG_WARNING,
                  "scale %g: rounding to whole numbers changes values by up to %.3g %% (a %s)",
                  s.scale, 100.0 * s.worst, s.worst_of);
    subject->inst = subject->own;
    subject->data = ucpo_instance_view(subject->own);
    return compare_derived(subject, err);
}

/* ---- refusals and losses ---- */

static ucpo_status refuse_other_meaning(const ucpo_instance_data *d,
                                        const struct io_ability *ability, ucpo_error *err)
{
    for (int32_t i = 0; d->due && i < d->n; i++) {
        if (isinf(d->due[i]))
            return status_fail(err, UCPO_E_UNSUPPORTED,
                               "due of node %d is infinite: format %s has no open windows (use "
                               "json, or set a finite due that no plan can reach)",
                               (int)i, ability->format);
    }
    if (d->cost && !(ability->carries & IO_CARRY_MATRIX))
        return status_fail(err, UCPO_E_UNSUPPORTED,
                           "format %s holds coordinates only, but the costs of this instance come "
                           "from a matrix",
                           ability->format);
    int has_own_lengths = !d->cost && (ability->carries & IO_CARRY_COORDINATES);
    if (has_own_lengths && d->rounding != UCPO_ROUND_NONE && !(ability->carries & IO_CARRY_METRIC))
        return status_fail(
            err, UCPO_E_UNSUPPORTED,
            "format %s has exact distances only, those of this instance are rounded: "
            "it would be another instance (use tsplib or json, or pass option 'rounding' none "
            "if that is meant)",
            ability->format);
    if (has_own_lengths && d->metric == UCPO_METRIC_HAVERSINE)
        return status_fail(err, UCPO_E_UNSUPPORTED,
                           "format %s has no great circles between decimal degrees (use json)",
                           ability->format);
    int is_euclid = d->cost || d->metric == UCPO_METRIC_EUCLID;
    if (!is_euclid && !(ability->carries & (IO_CARRY_METRIC | IO_CARRY_MATRIX)))
        return status_fail(err, UCPO_E_UNSUPPORTED,
                           "format %s has Euclidean distances only, this instance has metric %d",
                           ability->format, (int)d->metric);
    return UCPO_OK;
}

/* Travel times other than the costs decide about windows, if there are any. */
static ucpo_status refuse_durations(const struct io_subject *subject,
                                    const struct io_ability *ability, ucpo_error *err)
{
    const ucpo_instance_data *d = subject->data;
    if (d->no_way > 0.0)
        return status_fail(
            err, UCPO_E_UNSUPPORTED,
            "there are legs without a way: format %s has no word for them (use json)",
            ability->format);
    if (!instance_has_times(d) || !d->due) return UCPO_OK;
    for (int32_t i = 0; i < d->n; i++) {
        for (int32_t j = 0; j < d->n; j++) {
            double cost = ucpo_instance_cost(subject->inst, i, j);
            double duration = ucpo_instance_duration(subject->inst, i, j);
            if (i == j || cost == duration) continue;
            return status_fail(err, UCPO_E_UNSUPPORTED,
                               "the travel time from node %d to node %d is %g, its cost is %g: "
                               "format %s has no travel times of their own (use json)",
                               (int)i, (int)j, duration, cost, ability->format);
        }
    }
    return UCPO_OK;
}

/* Coordinates of many nodes as a matrix would be a file nobody wants. */
static ucpo_status refuse_huge_matrix(const ucpo_instance_data *d, const struct io_ability *ability,
                                      ucpo_error *err)
{
    int becomes_matrix = !d->cost && !(ability->carries & IO_CARRY_COORDINATES);
    if (!becomes_matrix || d->n <= MOST_MATRIX_NODES) return UCPO_OK;
    return status_fail(err, UCPO_E_UNSUPPORTED,
                       "format %s holds a matrix: %d nodes would make a file of about %.1f GB (at "
                       "most %d nodes are written so; use json)",
                       ability->format, (int)d->n, 10e-9 * (double)d->n * (double)d->n,
                       MOST_MATRIX_NODES);
}

static ucpo_status warn_losses(const struct io_subject *subject, int has_duration,
                               const ucpo_write_config *options, const struct io_ability *ability,
                               ucpo_error *err)
{
    const ucpo_instance_data *d = subject->data;
    unsigned carries = ability->carries;

    struct {
        int is_lost;
        const char *what;
    } loss[] = {
        {has_duration, "a duration matrix (travel times become the costs)"},
        {d->x && !(carries & IO_CARRY_COORDINATES), "coordinates (the costs are kept as a matrix)"},
        {!isnan(d->best_known) && !(carries & IO_CARRY_BEST_KNOWN), "the best known cost"},
        {d->file->service_in_cost != 0.0 && !(carries & IO_CARRY_SERVICE_SUM),
         "the sum of service times contained in the costs"},
        {d->file->depot != 0 && !(carries & IO_CARRY_NUMBERING),
         "the numbering of the source file (the depot comes first)"},
        {d->id || d->label, "the ids and names of the nodes"},
        {d->clock > 0.0, "that times are times of the day"},
        {!subject->is_derived_unit && !(carries & IO_CARRY_UNIT), "the unit of length"},
        {!subject->is_derived_tolerance && !(carries & IO_CARRY_UNIT), "the tolerance"},
    };

    for (size_t k = 0; k < sizeof loss / sizeof loss[0]; k++) {
        if (!loss[k].is_lost) continue;
        ucpo_status st = io_cannot_carry(options, err, "format %s cannot carry %s", ability->format,
                                         loss[k].what);
        if (st) return st;
    }
    return UCPO_OK;
}

ucpo_status io_subject_open(const ucpo_dataset *set, const ucpo_write_config *options,
                            const struct io_ability *ability, struct io_subject *subject,
                            ucpo_error *err)
{
    const ucpo_instance *inst = ucpo_dataset_at(set, 0);
    *subject = (struct io_subject){.inst = inst, .data = ucpo_instance_view(inst)};
    unsigned kind = inst->ops->needs & PROB_KIND;
    if (ability->needs ? kind != ability->needs : !inst->ops->tsplib[0])
        return status_fail(err, UCPO_E_UNSUPPORTED, "format %s holds no %s instances",
                           ability->format, subject->data->problem);
    ucpo_status st = refuse_other_meaning(subject->data, ability, err);
    if (!st) st = refuse_huge_matrix(subject->data, ability, err);
    if (!st) st = refuse_durations(subject, ability, err);
    if (!st) st = compare_derived(subject, err);
    int has_duration = instance_has_times(subject->data) && !subject->data->due;
    if (!st && options->scale > 0.0) {
        st = make_scaled(subject, options, ability, err);
        /* scaling may have turned rounded lengths into a matrix */
        if (!st) st = refuse_other_meaning(subject->data, ability, err);
    }
    if (!st) st = warn_losses(subject, has_duration, options, ability, err);
    if (st) io_subject_free(subject);
    return st;
}

void io_subject_free(struct io_subject *subject)
{
    ucpo_instance_free(subject->own);
    subject->own = NULL;
}

ucpo_status io_write_one(const struct io_writer *writer, struct io_buffer *out,
                         const ucpo_dataset *set, const ucpo_write_config *options, ucpo_error *err)
{
    struct io_subject subject;
    ucpo_status st = io_subject_open(set, options, &writer->ability, &subject, err);
    if (st) return st;
    st = writer->write(out, &subject, options, err);
    io_subject_free(&subject);
    return st;
}

void io_say_nameless(const ucpo_write_config *options, const char *format, const char *name)
{
    if (name[0])
        hooks_log(&options->hooks, UCPO_LOG_INFO, "format %s has no place for the name '%s'",
                  format, name);
}

ucpo_status io_expect_whole_loads(const ucpo_instance_data *data, const char *format,
                                  ucpo_error *err)
{
    for (int32_t i = 0; i < data->n; i++) {
        int is_demand = data->demand[i] != floor(data->demand[i]);
        if (is_demand || data->limit[i] != floor(data->limit[i]))
            return status_fail(err, UCPO_E_UNSUPPORTED,
                               "%s of node %d is %g: format %s holds whole numbers only",
                               is_demand ? "demand" : "draft limit", (int)i,
                               is_demand ? data->demand[i] : data->limit[i], format);
    }
    return UCPO_OK;
}
