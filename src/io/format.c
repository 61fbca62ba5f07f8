/* The table of instance formats, and what all readers and writers share. */
#include "io/io.h"

#include "core/text.h"

#include "core/sized.h"
#include "problem/problem.h"

#include "io/far.h"
#include "io/left_out.h"
#include "io/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Asked in this order when detecting. */
static const struct io_format *const formats[] = {
    &io_format_json,  &io_format_npy,   &io_format_tsplib,  &io_format_silva,
    &io_format_rakke, &io_format_plain, &io_format_solomon, &io_format_stops,
};

const char *const io_metrics[] = {"euclid", "manhattan", "maximum", "geo", "att", "haversine"};
const char *const io_roundings[] = {"declared", "none", "nearest", "up", "down", "dimacs", "exact"};
const char *const io_drafts[] = {"load", "unload"};

static const size_t format_count = sizeof formats / sizeof formats[0];

const char *ucpo_format_at(size_t index)
{
    return index < format_count ? formats[index]->name : NULL;
}

void ucpo_read_config_init(ucpo_read_config *config, size_t size)
{
    ucpo_read_config own = {.rounding = UCPO_ROUND_DECLARED, .tolerance = -1.0};
    sized_give(config, size, &own, sizeof own);
}

void ucpo_write_config_init(ucpo_write_config *config, size_t size)
{
    ucpo_write_config own = {0};
    sized_give(config, size, &own, sizeof own);
}

static ucpo_status find_format(const char *name, const struct io_format **out, ucpo_error *err)
{
    char known[128];
    int at = name ? text_find(ucpo_format_at, name) : -1;
    if (at < 0)
        return status_argument(err, "unknown format '%s', expected one of: %s", name ? name : "",
                               text_join(ucpo_format_at, ", ", known, sizeof known));
    *out = formats[at];
    return UCPO_OK;
}

static const struct io_format *look_at(const char *bytes, size_t size)
{
    for (size_t i = 0; i < format_count; i++)
        if (formats[i]->detect(bytes, size)) return formats[i];
    return NULL;
}

/* Whether a text in quotes stands somewhere. */
static int has_word(const char *bytes, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = bytes, *end = bytes + size; (at = memchr(at, '"', (size_t)(end - at)));
         at++)
        if ((size_t)(end - at) > length && memcmp(at + 1, word, length) == 0) return 1;
    return 0;
}

/* Of JSON every object is recognised, so that the reader can say what is wrong with it. */
static int may_be_instance(const char *bytes, size_t size)
{
    if (has_word(bytes, size, "ucpo.instance") || has_word(bytes, size, "ucpo.dataset")) return 1;
    if (has_word(bytes, size, "ucpo.solution")) return 0;
    if (has_word(bytes, size, "ucpo.") || has_word(bytes, size, "problem\"")) return 1;
    return has_word(bytes, size, "jobs\"") || has_word(bytes, size, "distance_matrix\"") ||
           has_word(bytes, size, "time_matrix\"") || has_word(bytes, size, "durations\"") ||
           has_word(bytes, size, "distances\"");
}

const char *ucpo_format_detect(const void *bytes, size_t size)
{
    if (!bytes) return NULL;
    const struct io_format *format = look_at(bytes, size);
    if (format == &io_format_json && !may_be_instance(bytes, size)) return NULL;
    return format ? format->name : NULL;
}

static int begins(const char *bytes, size_t size, const char *magic)
{
    size_t length = strlen(magic);
    return size >= length && memcmp(bytes, magic, length) == 0;
}

/* Whether `part` stands within the first bytes. */
static int mentions(const char *bytes, size_t size, const char *part)
{
    size_t length = strlen(part), most = size < 4096 ? size : 4096;
    for (size_t i = 0; i + length <= most; i++)
        if (memcmp(bytes + i, part, length) == 0) return 1;
    return 0;
}

static const char *describe_binary(const char *bytes, size_t size)
{
    if (begins(bytes, size, "PK\3\4")) {
        if (mentions(bytes, size, "[Content_Types].xml") || mentions(bytes, size, "xl/"))
            return "an Excel workbook: save the sheet as CSV (UTF-8)";
        if (mentions(bytes, size, "opendocument"))
            return "an OpenDocument spreadsheet: save the sheet as CSV (UTF-8)";
        if (mentions(bytes, size, ".kml"))
            return "a KMZ map: make a CSV with the columns id, lat, lon";
        return "a zip archive (npz): unpack the npy files";
    }
    if (begins(bytes, size, "\xD0\xCF\x11\xE0"))
        return "an old Excel workbook: save the sheet as CSV (UTF-8)";
    if (begins(bytes, size, "\x1f\x8b")) return "gzip: unpack it first";
    if (begins(bytes, size, "\xff\xfe") || begins(bytes, size, "\xfe\xff"))
        return "UTF-16 text: save it as UTF-8";
    if (begins(bytes, size, "PAR1")) return "Parquet: save the table as CSV";
    if (begins(bytes, size, "SQLite format 3")) return "an SQLite database: save the table as CSV";
    if (begins(bytes, size, "%PDF")) return "a PDF document";
    if (begins(bytes, size, "\x80\x04") || begins(bytes, size, "\x80\x03") ||
        begins(bytes, size, "\x80\x05"))
        return "a Python pickle: numpy.save the array instead";
    return NULL;
}

/* What people feed to us by mistake, or NULL. */
static const char *describe_content(const char *bytes, size_t size)
{
    const char *binary = describe_binary(bytes, size);
    if (binary) return binary;
    struct io_text text = io_text_open(bytes, size, ""), line;
    while (io_line(&text, &line) && io_left(&line) == 0) continue;
    size_t length = io_left(&line);
    if (length == 0) return "blank lines only";
    if (mentions(bytes, size, "<gpx"))
        return "GPX: make a CSV with the columns id, lat, lon of its waypoints";
    if (mentions(bytes, size, "<kml"))
        return "KML: make a CSV with the columns id, lat, lon of its places";
    if (mentions(bytes, size, "<html") || mentions(bytes, size, "<HTML")) return "a web page";
    if (*line.at == '<') return "XML";
    if (*line.at == '[') return "a JSON array: an object with a schema was expected";
    if (mentions(bytes, size, "XCOORD") || mentions(bytes, size, "CUST NO"))
        return "a Solomon file without its line VEHICLE";
    if (io_table_is_plan(line.at, length)) return "a plan, which comes after its instance";
    if (text_is_letter(*line.at) && io_table_separator(line.at, length))
        return "CSV whose head line names none of the known columns (option 'columns' "
               "lat=HEAD,lon=HEAD "
               "says which "
               "they are)";
    if (io_table_separator(line.at, length))
        return "CSV without a head line: its first line must name the columns (id, lat, lon, ...)";
    return NULL;
}

static ucpo_status detect_format(const struct io_source *source, const struct io_format **out,
                                 ucpo_error *err)
{
    *out = look_at(source->bytes, source->size);
    if (!*out && source->options->columns && source->size > 0) *out = &io_format_stops;
    if (*out) return UCPO_OK;
    if (source->size == 0) return status_format(err, source->label, 0, "file is empty");
    const char *seen = describe_content(source->bytes, source->size);
    return status_format(
        err, source->label, 1,
        "content is none of the known instance formats (json, npy, tsplib, silva, rakke, "
        "plain, solomon, csv)%s%s",
        seen ? "; it looks like " : "", seen ? seen : "");
}

/* Options that only some formats know. Readers of JSON say themselves what becomes of a speed. */
static void warn_about_idle_options(const struct io_source *source, const struct io_format *format)
{
    static const char why[] = "it belongs to a CSV of stops";
    const ucpo_read_config *o = source->options;
    if (format == &io_format_stops) return;
    if (o->matrix) io_no_effect(source, "matrix", why);
    if (o->columns) io_no_effect(source, "columns", why);
    if (o->speed > 0.0 && format != &io_format_json)
        io_no_effect(source, "speed", "the file says how long its legs are");
}

ucpo_status ucpo_read_bytes(const void *bytes, size_t size, const char *label,
                            const ucpo_read_config *config, ucpo_dataset **out, ucpo_error *err)
{
    if ((!bytes && size > 0) || !out) return status_argument(err, "bytes and out must not be NULL");
    ucpo_read_config own = ucpo_read_config_default();
    struct io_left left = {0};
    struct io_source source = {size > 0 ? bytes : "", size, label ? label : "input", &own, &left};
    const struct io_format *format = NULL;
    ucpo_status st = sized_take(&own, sizeof own, config, "ucpo_read_config", err);
    if (!st)
        st = own.format ? find_format(own.format, &format, err)
                        : detect_format(&source, &format, err);
    ucpo_dataset *set = NULL;
    if (!st) st = ucpo_dataset_create(&set, err);
    if (!st) st = format->read(&source, set, err);
    if (!st) warn_about_idle_options(&source, format);
    if (!st && ucpo_dataset_count(set) == 0)
        st = status_format(err, source.label, 0, "file holds no instance");
    io_left_free(&left);
    if (st) {
        ucpo_dataset_free(set);
        return st;
    }
    *out = set;
    return UCPO_OK;
}

ucpo_status ucpo_read(const char *path, const ucpo_read_config *config, ucpo_dataset **out,
                      ucpo_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    if (!out) return status_argument(err, "out must not be NULL");
    ucpo_status st = ucpo_file_read(path, &bytes, &size, err);
    if (st) return st;
    st = ucpo_read_bytes(bytes, size, strcmp(path, "-") == 0 ? "standard input" : path, config, out,
                         err);
    free(bytes);
    return st;
}

/* Only our own format has setups that are paid once per place; without them it would be another instance. */
static ucpo_status refuse_setups(const ucpo_dataset *set, const struct io_format *format,
                                 ucpo_error *err)
{
    for (size_t i = 0; format != &io_format_json && i < ucpo_dataset_count(set); i++)
        if (ucpo_instance_view(ucpo_dataset_at(set, i))->setup)
            return status_fail(
                err, UCPO_E_UNSUPPORTED,
                "format %s has no setup times that are paid once per place (use json)",
                format->name);
    return UCPO_OK;
}

/* Only our own format says that an instance is not what the file was that it came from. */
static ucpo_status keep_left_out(const ucpo_dataset *set, const struct io_format *format,
                                 const ucpo_write_config *options, ucpo_error *err)
{
    if (format == &io_format_json) return UCPO_OK;
    for (size_t i = 0; i < ucpo_dataset_count(set); i++) {
        const ucpo_instance *inst = ucpo_dataset_at(set, i);
        if (ucpo_instance_reading(inst) != UCPO_READ_WHOLE)
            return io_cannot_carry(options, err,
                                   "format %s does not say what was left out when instance %zu was "
                                   "read (%s)",
                                   format->name, i, ucpo_reading_name(ucpo_instance_reading(inst)));
    }
    return UCPO_OK;
}

#define LEAST_SCALE 1e-6
#define MOST_SCALE  1e12

ucpo_status ucpo_write_bytes(const ucpo_dataset *set, const ucpo_write_config *config, char **bytes,
                             size_t *size, ucpo_error *err)
{
    if (!set || !bytes || !size)
        return status_argument(err, "set, bytes and size must not be NULL");
    ucpo_write_config own = ucpo_write_config_default();
    const ucpo_write_config *options = &own;
    const struct io_format *format = NULL;
    ucpo_status st = sized_take(&own, sizeof own, config, "ucpo_write_config", err);
    if (!st) st = find_format(options->format, &format, err);
    if (st) return st;
    size_t count = ucpo_dataset_count(set);
    if (count == 0) return status_argument(err, "there is no instance to write");
    if (count > 1 && !format->holds_many)
        return status_argument(err,
                               "format %s holds one instance, the set has %zu (use json or npy)",
                               format->name, count);
    int has_scale = options->scale != 0.0; /* also if it is NaN */
    if (has_scale && !(options->scale >= LEAST_SCALE && options->scale <= MOST_SCALE))
        return status_argument(err, "scale is %g, expected a number %g .. %g", options->scale,
                               LEAST_SCALE, MOST_SCALE);
    struct io_buffer buf = {0};
    st = refuse_setups(set, format, err);
    if (!st) st = keep_left_out(set, format, options, err);
    if (st) return st;
    st = format->writer ? io_write_one(format->writer, &buf, set, options, err)
                        : format->write(&buf, set, options, err);
    return io_buffer_give(&buf, st, bytes, size, err);
}

ucpo_status ucpo_write(const char *path, const ucpo_dataset *set, const ucpo_write_config *config,
                       ucpo_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    ucpo_status st = ucpo_write_bytes(set, config, &bytes, &size, err);
    if (st) return st;
    st = ucpo_file_write(path, bytes, size, err);
    free(bytes);
    return st;
}

void ucpo_bytes_free(char *bytes)
{
    free(bytes);
}

/* ---- the file's own numbering ---- */

int32_t io_node_at(const ucpo_instance_data *data, int32_t place)
{
    if (place == data->file->depot) return 0;
    return place >= 0 && place < data->file->depot ? place + 1 : place;
}

int32_t io_place_of(const ucpo_instance_data *data, int32_t node)
{
    if (node == 0) return data->file->depot;
    return node > 0 && node <= data->file->depot ? node - 1 : node;
}

enum { NUMBER_BYTES = 12 };

ucpo_status io_number_nodes(struct mem_pool *pool, ucpo_instance_data *data, int first,
                            ucpo_error *err)
{
    const char **id = mem_take(pool, (size_t)data->n, sizeof *id, err);
    char *text = mem_take(pool, (size_t)data->n, NUMBER_BYTES, err);
    if (!id || !text) return UCPO_E_MEMORY;
    for (int32_t k = 0; k < data->n; k++, text += NUMBER_BYTES) {
        snprintf(text, NUMBER_BYTES, "%d", (int)io_place_of(data, k) + first);
        id[k] = text;
    }
    data->id = id;
    return UCPO_OK;
}

/* ---- what readers share ---- */

const char *io_name_of_file(const char *label, char buf[IO_NAME_SIZE])
{
    const char *slash = strrchr(label, '/');
    const char *base = slash ? slash + 1 : label, *dot = strrchr(base, '.');
    size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    if (strcmp(label, "standard input") == 0) return NULL;
    if (length >= IO_NAME_SIZE) length = IO_NAME_SIZE - 1;
    snprintf(buf, IO_NAME_SIZE, "%.*s", (int)length, base);
    return buf;
}

void io_no_effect(const struct io_source *source, const char *option, const char *why)
{
    io_warn(source, 0, "option '%s' has no effect: %s", option, why);
}

/* Options win; a fleet limit makes it the problem with one, its absence the problem without. */
static void settle_fleet(const ucpo_read_config *o, ucpo_instance_data *data)
{
    const struct prob_ops *ops = prob_find(data->problem);
    if (!ops || !(ops->needs & PROB_CAPACITY)) return;
    if (o->capacity > 0.0) data->capacity = o->capacity;
    if (o->vehicles != 0) data->vehicles = o->vehicles > 0 ? o->vehicles : 0;
    const struct prob_ops *asked = o->problem ? prob_find(o->problem) : NULL;
    if (asked && asked == prob_limited(ops, 0)) data->vehicles = 0;
    const struct prob_ops *found = prob_limited(ops, data->vehicles > 0);
    if (found) data->problem = found->info.name; /* else the limit is refused below */
}

/* Decimal degrees, read as TSPLIB's degrees.minutes, are wrong by up to a factor of ten. */
static ucpo_status check_minutes(const struct io_source *source, long line,
                                 const ucpo_instance *inst, ucpo_error *err)
{
    const ucpo_instance_data *d = ucpo_instance_view(inst);
    int32_t count = 0, first = -1;
    if (d->metric != UCPO_METRIC_GEO || d->cost) return UCPO_OK;
    for (int32_t i = 0; i < d->n; i++) {
        double latitude = fabs(d->x[i] - trunc(d->x[i])),
               longitude = fabs(d->y[i] - trunc(d->y[i]));
        if (fmax(latitude, longitude) < 0.6 - 1e-9) continue;
        if (count++ == 0) first = i;
    }
    if (count == 0) return UCPO_OK;
    return io_object_to(IO_UNKNOWN, source, line, err,
                        "%d of %d nodes have 60 minutes or more (node %d: %g %g): the metric geo "
                        "reads degrees.minutes, as TSPLIB does, and gives whole kilometres; for "
                        "decimal degrees it is wrong",
                        (int)count, (int)d->n, (int)first, d->x[first], d->y[first]);
}

/* A file cannot switch its own deadlines off: that takes an option. */
static ucpo_status check_tolerance(const struct io_source *source, long line,
                                   const ucpo_instance *inst, ucpo_error *err)
{
    double tolerance = ucpo_instance_view(inst)->tolerance;
    double most = ucpo_instance_tolerance_cap(inst);
    if (tolerance <= most) return UCPO_OK;
    return status_format(err, source->label, line,
                         "tolerance is %g, expected 0 .. %g in a file (1e-4 of the median travel "
                         "time from the depot); a larger one must be asked for when the file is "
                         "read (option 'tolerance')",
                         tolerance, most);
}

/* Instances of a file whose places are looked at: generated sets are large, and need no such look. */
enum { LOOKED_AT = 100 };

ucpo_status io_add_instance(const struct io_source *source, long line, ucpo_instance_data *data,
                            ucpo_dataset *set, ucpo_error *err)
{
    const ucpo_read_config *o = source->options;
    if (o->rounding != UCPO_ROUND_DECLARED) data->rounding = o->rounding;
    settle_fleet(o, data);
    if (o->problem && strcmp(o->problem, data->problem) != 0)
        return status_fail_at(err, UCPO_E_MISMATCH, source->label, line,
                              "file holds a %s instance, but %s was asked for", data->problem,
                              o->problem);
    if (o->tolerance >= 0.0) data->tolerance = o->tolerance;
    if (source->left && source->left->count > 0) {
        data->left_out = source->left->item;
        data->left_outs = source->left->count;
    }
    ucpo_error inner = {0};
    ucpo_instance *inst = NULL;
    ucpo_status st = ucpo_instance_create(data, &inst, &inner);
    if (st)
        return status_fail_at(err, st == UCPO_E_ARGUMENT ? UCPO_E_FORMAT : st, source->label, line,
                              "%s", inner.text);
    if (o->tolerance < 0.0) st = check_tolerance(source, line, inst, err);
    if (!st) st = check_minutes(source, line, inst, err);
    if (!st && ucpo_dataset_count(set) < LOOKED_AT)
        st = io_warn_about_far_places(source, inst, err);
    if (!st) st = ucpo_dataset_add(set, inst, err);
    if (st) {
        ucpo_instance_free(inst);
        return st;
    }
    io_left_warn(source, inst);
    if (source->left) source->left->count = 0; /* the next instance has its own */
    return UCPO_OK;
}

static void say(const ucpo_hooks *hooks, ucpo_log_level level, const char *label, long line,
                const char *text)
{
    if (line > 0)
        hooks_log(hooks, level, "%s:%ld: %s", label, line, text);
    else
        hooks_log(hooks, level, "%s%s%s", label, label[0] ? ": " : "", text);
}

enum { REMARK = 700 };

void io_warn(const struct io_source *source, long line, const char *format, ...)
{
    char text[REMARK];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say(&source->options->hooks, UCPO_LOG_WARNING, source->label, line, text);
}

void io_note(const struct io_source *source, const char *format, ...)
{
    char text[REMARK];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say(&source->options->hooks, UCPO_LOG_INFO, source->label, 0, text);
}

/* Logs it as a warning, or returns it as an error. */
static ucpo_status warn_or_fail(const ucpo_hooks *hooks, int fail, const char *label, long line,
                                ucpo_status code, ucpo_error *err, const char *text)
{
    if (fail) return status_fail_at(err, code, label, line, "%s", text);
    say(hooks, UCPO_LOG_WARNING, label, line, text);
    return UCPO_OK;
}

enum { OBJECTION = 600 };

/* A part that would change the instance: an error, or left out, which the instance then says. */
static ucpo_status leave_out(const struct io_source *source, long line, ucpo_reading way, int fails,
                             ucpo_status code, const char *text, ucpo_error *err)
{
    char whole[OBJECTION + 64];
    snprintf(whole, sizeof whole, "%s: what is read is %s", text,
             way == UCPO_READ_EITHER ? "easier or harder" : ucpo_reading_name(way));
    if (way == UCPO_READ_COST) snprintf(whole, sizeof whole, "%s: plans cost something else", text);
    ucpo_status st = warn_or_fail(&source->options->hooks, fails, source->label, line, code, err,
                                  fails ? text : whole);
    return st ? st : io_left_add(source, line, way, text, err);
}

ucpo_status io_object_to(enum io_doubt doubt, const struct io_source *source, long line,
                         ucpo_error *err, const char *format, ...)
{
    const ucpo_read_config *o = source->options;
    int fails = doubt == IO_UNKNOWN       ? o->strict
                : doubt == IO_UNSUPPORTED ? !o->ignore_unsupported
                                          : o->strict || !o->ignore_unsupported;
    ucpo_status code = doubt == IO_UNSUPPORTED ? UCPO_E_UNSUPPORTED : UCPO_E_FORMAT;
    char text[OBJECTION];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (doubt == IO_UNKNOWN || doubt == IO_DOUBLE)
        return warn_or_fail(&o->hooks, fails, source->label, line, code, err, text);
    return leave_out(source, line, doubt == IO_MISSPELT ? UCPO_READ_EITHER : UCPO_READ_EASIER,
                     fails, code, text, err);
}

ucpo_status io_leave_out(ucpo_reading way, const struct io_source *source, long line,
                         ucpo_error *err, const char *format, ...)
{
    char text[OBJECTION];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return leave_out(source, line, way, !source->options->ignore_unsupported, UCPO_E_UNSUPPORTED,
                     text, err);
}

ucpo_status io_cannot_carry(const ucpo_write_config *options, ucpo_error *err, const char *format,
                            ...)
{
    char text[OBJECTION];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return warn_or_fail(&options->hooks, options->strict, "", 0, UCPO_E_UNSUPPORTED, err, text);
}
