/* Last step of the TSPLIB reader: the parts of the file become one instance, or an error that says
 * which part is missing or does not belong. */
#include "io/tsplib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ucpo_status fail(const struct io_tsplib *file, enum io_tsplib_key key, ucpo_status code,
                        const char *text, ucpo_error *err)
{
    return status_fail_at(err, code, file->text.label, key < KEY_COUNT ? file->seen[key] : 0, "%s",
                          text);
}

/* ---- which problem, and do the parts belong to it ---- */

static ucpo_status settle_problem(struct io_tsplib *file, ucpo_error *err)
{
    if (file->arrays.n == 0)
        return fail(file, KEY_COUNT, UCPO_E_FORMAT, "DIMENSION is missing", err);
    const char *asked = file->source->options->problem;
    if (!file->ops && asked) file->ops = prob_find(asked);
    if (file->ops && file->ops->tsplib[0]) return UCPO_OK;
    char types[128];
    return status_format(err, file->text.label, 0,
                         "TYPE is missing, expected %s (or pass option 'problem')",
                         prob_types(types, sizeof types));
}

/* Which keys a problem needs and which would be ignored, i.e. relax the instance. */
static const struct {
    enum io_tsplib_key key;
    const char *name;
    unsigned needed_by, allowed_in; /* enum prob_need */
} belongs[] = {
    {KEY_WINDOWS, "TIME_WINDOW_SECTION", PROB_WINDOWS, PROB_WINDOWS},
    {KEY_DEMAND, "DEMAND_SECTION", PROB_DEMAND, PROB_DEMAND},
    {KEY_LIMIT, "DRAFT_LIMIT_SECTION", PROB_LIMIT, PROB_LIMIT},
    {KEY_CAPACITY, "CAPACITY", 0, PROB_CAPACITY},
    {KEY_SERVICE_TIME, "SERVICE_TIME", 0, PROB_WINDOWS},
    {KEY_SERVICE, "SERVICE_TIME_SECTION", 0, PROB_WINDOWS},
    {KEY_VEHICLES, "VEHICLES", 0, PROB_FLEET},
};

static void drop_part(struct io_tsplib *file, enum io_tsplib_key key)
{
    static const struct {
        enum io_tsplib_key key;
        enum io_field field[2];
    } arrays[] = {{KEY_WINDOWS, {IO_READY, IO_DUE}},
                  {KEY_DEMAND, {IO_DEMAND, IO_DEMAND}},
                  {KEY_LIMIT, {IO_LIMIT, IO_LIMIT}},
                  {KEY_SERVICE, {IO_SERVICE, IO_SERVICE}}};

    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        for (int c = 0; arrays[k].key == key && c < 2; c++) {
            free(file->arrays.of[arrays[k].field[c]]);
            file->arrays.of[arrays[k].field[c]] = NULL;
        }
    }
    if (key == KEY_VEHICLES) file->vehicles = 0;
    if (key == KEY_CAPACITY) file->capacity = 0.0;
    file->seen[key] = 0;
}

/* One tour needs one vehicle; the user may drop a limit. */
static int is_harmless(const struct io_tsplib *file, enum io_tsplib_key key)
{
    if (key != KEY_VEHICLES) return 0;
    return file->ops->max_vehicles == 1 ? file->vehicles == 1 : file->source->options->vehicles < 0;
}

static ucpo_status check_parts(struct io_tsplib *file, ucpo_error *err)
{
    const char *problem = file->ops->info.name;
    unsigned kind = file->ops->needs | (prob_limited(file->ops, 1) ? PROB_FLEET : 0u);
    for (size_t k = 0; k < sizeof belongs / sizeof belongs[0]; k++) {
        long line = file->seen[belongs[k].key];
        if (!line && (belongs[k].needed_by & kind))
            return status_format(err, file->text.label, 0, "%s is missing, a %s instance needs it",
                                 belongs[k].name, problem);
        if (!line || (belongs[k].allowed_in & kind)) continue;
        ucpo_status st =
            is_harmless(file, belongs[k].key)
                ? UCPO_OK
                : io_object_to(IO_UNSUPPORTED, file->source, line, err,
                               "%s does not belong to a %s instance: the instance would "
                               "be relaxed",
                               belongs[k].name, problem);
        if (st) return st;
        drop_part(file, belongs[k].key);
    }
    int has_capacity = file->seen[KEY_CAPACITY] || file->source->options->capacity > 0.0;
    if ((kind & PROB_CAPACITY) && !has_capacity)
        return fail(file, KEY_COUNT, UCPO_E_FORMAT,
                    "CAPACITY is missing (or pass option 'capacity')", err);
    return UCPO_OK;
}

/* ---- distances ---- */

/* Matrix or coordinates, as EDGE_WEIGHT_TYPE says; coordinates beside a matrix are kept. */
static ucpo_status settle_weights(struct io_tsplib *file, ucpo_error *err)
{
    double **of = file->arrays.of;
    if (!file->weight && !file->seen[KEY_WEIGHTS])
        return fail(file, KEY_COUNT, UCPO_E_FORMAT, "EDGE_WEIGHT_TYPE is missing", err);
    if (!file->weight) file->weight = &io_tsplib_weights[0]; /* a matrix can only be EXPLICIT */
    if (!file->weight->is_explicit) {
        if (of[IO_COST])
            return fail(file, KEY_WEIGHTS, UCPO_E_FORMAT,
                        "EDGE_WEIGHT_SECTION is given, but EDGE_WEIGHT_TYPE is not EXPLICIT", err);
        if (!of[IO_X])
            return fail(file, KEY_WEIGHT_TYPE, UCPO_E_FORMAT,
                        "NODE_COORD_SECTION is missing, EDGE_WEIGHT_TYPE needs it", err);
        return UCPO_OK;
    }
    if (!of[IO_COST])
        return fail(file, KEY_WEIGHT_TYPE, UCPO_E_FORMAT,
                    "EDGE_WEIGHT_SECTION is missing, EDGE_WEIGHT_TYPE is EXPLICIT", err);
    if (!of[IO_X]) {
        of[IO_X] = of[IO_SHOWN_X];
        of[IO_Y] = of[IO_SHOWN_Y];
        of[IO_SHOWN_X] = of[IO_SHOWN_Y] = NULL;
    }
    return UCPO_OK;
}

/* EUC_2D is the nearest integer in TSPLIB and LKH, but the exact distance in other readers. */
static void settle_rounding(struct io_tsplib *file, ucpo_instance_data *data)
{
    const struct io_tsplib_weight *weight = file->weight;
    const ucpo_read_config *options = file->source->options;
    data->metric = weight->metric;
    data->rounding = weight->rounding;
    if (weight->is_explicit && file->note.metric >= 0)
        data->metric = (ucpo_metric)file->note.metric;
    if (file->note.rounding > 0) data->rounding = (ucpo_rounding)file->note.rounding;
    int is_free = !weight->is_explicit && weight->metric != UCPO_METRIC_GEO &&
                  weight->metric != UCPO_METRIC_ATT;
    if (!is_free) return;
    int is_option = options->rounding != UCPO_ROUND_DECLARED;
    ucpo_rounding used = is_option ? options->rounding : data->rounding;
    if ((unsigned)used > UCPO_ROUND_EXACT) return; /* ucpo_instance_create will refuse it */
    io_note(file->source, "%s distances are used with rounding '%s' (%s)", weight->name,
            io_roundings[used],
            is_option                 ? "as asked for"
            : file->note.rounding > 0 ? "as the file's COMMENT says"
                                      : "the TSPLIB and LKH meaning; other readers may differ");
}

/* ---- LKH's scale ---- */

static void multiply(double *v, size_t count, double factor, int is_whole)
{
    for (size_t i = 0; v && i < count; i++) v[i] = is_whole ? round(factor * v[i]) : factor * v[i];
}

/* LKH multiplies lengths by SCALE before it rounds them, and windows and service times with them,
 * which become whole numbers. EXACT_2D is EUC_2D with SCALE 1000. Costs of its tours are scaled. */
static ucpo_status settle_scale(struct io_tsplib *file, ucpo_error *err)
{
    long scale = file->scale;
    if (scale == 0 && strcmp(file->weight->name, "EXACT_2D") == 0) scale = 1000;
    if (scale <= 1) return UCPO_OK;
    if (file->weight->metric == UCPO_METRIC_GEO || file->weight->metric == UCPO_METRIC_ATT)
        return status_fail_at(err, UCPO_E_UNSUPPORTED, file->text.label, file->seen[KEY_SCALE],
                              "SCALE is %ld, which is not supported with EDGE_WEIGHT_TYPE %s",
                              scale, file->weight->name);
    double **of = file->arrays.of, factor = (double)scale;
    size_t n = file->arrays.n;
    multiply(of[IO_X], n, factor, 0);
    multiply(of[IO_Y], n, factor, 0);
    multiply(of[IO_READY], n, factor, 1);
    multiply(of[IO_DUE], n, factor, 1);
    multiply(of[IO_SERVICE], n, factor, 1);
    multiply(of[IO_COST], n * n, factor, 1);
    io_note(file->source,
            "coordinates, lengths, windows and service times are multiplied by %ld, as LKH "
            "does",
            scale);
    return UCPO_OK;
}

/* ---- the rest ---- */

static ucpo_status settle_service(struct io_tsplib *file, ucpo_error *err)
{
    struct io_arrays *arrays = &file->arrays;
    if (file->seen[KEY_SERVICE_TIME] && file->seen[KEY_SERVICE])
        io_warn(file->source, file->seen[KEY_SERVICE_TIME],
                "SERVICE_TIME is ignored, SERVICE_TIME_SECTION replaces it");
    if (file->seen[KEY_SERVICE_TIME] && !file->seen[KEY_SERVICE]) {
        ucpo_status st = io_arrays_add(arrays, IO_SERVICE, err);
        if (st) return st;
        for (size_t i = 0; i < arrays->n; i++) arrays->of[IO_SERVICE][i] = file->service_time;
        size_t depot = file->depot > 0 ? (size_t)file->depot - 1 : 0;
        arrays->of[IO_SERVICE][depot] = 0.0;
    }
    return UCPO_OK;
}

static ucpo_status check_whole(const struct io_tsplib *file, enum io_field field, const char *what,
                               enum io_tsplib_key key, ucpo_error *err)
{
    const double *v = file->arrays.of[field];
    for (size_t i = 0; i < file->arrays.n; i++)
        if (v[i] != floor(v[i]))
            return status_format(err, file->text.label, file->seen[key],
                                 "%s of node %zu is %g, expected a whole number (TYPE %s)", what,
                                 i + 1, v[i], file->ops->tsplib[0]);
    return UCPO_OK;
}

static void settle_depot(struct io_tsplib *file)
{
    if (file->depot <= 1) return;
    file->notes.depot = (int32_t)(file->depot - 1);
    io_warn(file->source, file->seen[KEY_DEPOT],
            "the depot is node %ld of the file: it becomes node 0, the nodes before it "
            "move up by one (tours of LKH are translated)",
            file->depot);
    io_arrays_move_depot(&file->arrays, (size_t)file->depot - 1);
}

static void settle_note(struct io_tsplib *file, ucpo_instance_data *data)
{
    const struct io_tsplib_note *note = &file->note;
    if (note->unit > 0.0) data->unit = note->unit;
    if (note->tolerance >= 0.0) data->tolerance = note->tolerance;
    if (note->service_in_cost >= 0.0) file->notes.service_in_cost = note->service_in_cost;
    data->file = &file->notes;
    data->best_known = note->best_known;
    if (note->scale >= 0.0)
        io_note(file->source,
                "lengths and times are %g times the original ones (COMMENT says scale)",
                note->scale);
    if (!(file->ops->needs & PROB_LIMIT)) return;
    data->draft = UCPO_DRAFT_UNLOAD;
    if (note->draft == UCPO_DRAFT_LOAD) {
        /* the file holds the mirror image, which other readers rightly take as unloading */
        data->draft = UCPO_DRAFT_LOAD;
        io_arrays_transpose(&file->arrays);
    }
}

ucpo_status io_tsplib_assemble(struct io_tsplib *file, ucpo_dataset *set, ucpo_error *err)
{
    ucpo_instance_data data = ucpo_instance_data_default();
    ucpo_status st = settle_problem(file, err);
    if (!st) st = check_parts(file, err);
    if (!st) st = settle_weights(file, err);
    if (!st) st = settle_service(file, err);
    if (!st) st = settle_scale(file, err);
    int has_drafts = !st && (file->ops->needs & PROB_LIMIT);
    if (has_drafts) st = check_whole(file, IO_DEMAND, "demand", KEY_DEMAND, err);
    if (has_drafts && !st) st = check_whole(file, IO_LIMIT, "draft limit", KEY_LIMIT, err);
    if (st) return st;
    settle_depot(file);
    io_settle_service(file->source, &file->arrays);
    if (file->arrays.of[IO_SERVICE] && file->ops->max_vehicles == 1)
        io_warn(file->source, 0, "service times are used, but LKH ignores them for TYPE %s",
                file->ops->tsplib[0]);
    data.problem = file->ops->info.name;
    data.name = file->name;
    data.capacity = file->capacity;
    data.vehicles = (int32_t)file->vehicles;
    settle_rounding(file, &data);
    settle_note(file, &data);
    io_arrays_lend(&file->arrays, &data);
    return io_add_instance(file->source, 0, &data, set, err);
}
