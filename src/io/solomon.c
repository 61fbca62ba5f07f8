/* CVRPTW of Solomon and of Gehring and Homberger: name, VEHICLE with fleet limit and capacity,
 * CUSTOMER with rows `id x y demand ready due service`. Also the bare rows without any header,
 * which know neither capacity nor fleet. Distances are not rounded. */
#include "io/text_common.h"

#include <string.h>

static int is_bare_row(struct io_text line)
{
    const char *word;
    size_t size;
    double value;
    int count = 0;
    while ((size = io_token(&line, &word)) > 0) {
        if (!io_parse_number(word, size, &value)) return 0;
        count++;
    }
    return count == 7;
}

/* The name as it can stand on the first line; what would be taken for something else there is
 * dropped. Returns 1 if it is what it was. */
static int settle_name(char out[IO_NAME_SIZE], const char *name, size_t length)
{
    int is_same = io_clean_name(out, name, length);
    struct io_text line = {"", out, out + strlen(out), 1};
    int is_mistakable = io_is(&line, "VEHICLE") || out[0] == '#' ||
                        strncmp(out, "\xEF\xBB\xBF", 3) == 0 || is_bare_row(line);
    if (!is_mistakable) return is_same;
    out[0] = '\0';
    return 0;
}

static int detect(const char *bytes, size_t size)
{
    struct io_text text = io_text_open(bytes, size, ""), line;
    if (!io_content_line(&text, &line)) return 0;
    if (is_bare_row(line) || io_is(&line, "VEHICLE")) return 1;
    return io_content_line(&text, &line) && io_is(&line, "VEHICLE");
}

/* ---- header ---- */

struct head {
    char name[IO_NAME_SIZE];
    long vehicles; /* 0: no header */
    double capacity;
};

static ucpo_status expect_line(struct io_text *text, const char *start, ucpo_error *err)
{
    struct io_text line;
    int is_there = io_content_line(text, &line);
    if (is_there && io_begins(&line, start)) return UCPO_OK;
    return status_format(err, text->label, line.line, "%s '%.*s', expected the line '%s'",
                         is_there ? "line is" : "file ends", io_shown(io_left(&line)), line.at,
                         start);
}

/* Name (may be missing), VEHICLE, its header, the two numbers, CUSTOMER, its header. */
static ucpo_status read_head(struct io_text *text, struct head *head, ucpo_error *err)
{
    struct io_text start = *text, line;
    if (!io_content_line(text, &line))
        return status_format(err, text->label, line.line, "file is empty");
    if (is_bare_row(line)) {
        *text = start;
        return UCPO_OK;
    }
    if (io_is(&line, "VEHICLE"))
        *text = start;
    else
        settle_name(head->name, line.at, io_left(&line));
    ucpo_status st = expect_line(text, "VEHICLE", err);
    if (!st) st = expect_line(text, "NUMBER", err);
    if (!st) st = io_whole(text, 1, INT32_MAX, &head->vehicles, err, "NUMBER of vehicles");
    if (!st) st = io_value(text, &head->capacity, err, "CAPACITY");
    if (!st && head->capacity <= 0.0)
        st = status_format(err, text->label, text->line, "CAPACITY is %g, expected a number > 0",
                           head->capacity);
    if (!st) st = expect_line(text, "CUSTOMER", err);
    if (st) return st;
    if (!io_content_line(text, &line))
        return status_format(err, text->label, line.line,
                             "file ends '', expected the line 'CUST NO. ...'");
    return io_expect_row_head(line, err);
}

/* ---- rows ---- */

/* Lines of the rest that start with a number. */
static size_t count_rows(struct io_text text)
{
    struct io_text line;
    size_t count = 0;
    while (io_content_line(&text, &line)) count += (size_t)text_begins_number(*line.at);
    return count;
}

static ucpo_status read_rows(const struct io_source *source, struct io_text *text,
                             struct io_arrays *arrays, ucpo_error *err)
{
    struct io_text line;
    double base = 0.0;
    for (size_t i = 0; i < arrays->n; i++) {
        io_content_line(text, &line);
        struct io_row row;
        ucpo_status st = io_row_parse(line, &row, err);
        if (st) return st;
        double id = row.value[0];
        if (i == 0 && (id == 0.0 || id == 1.0)) base = id;
        if (id != base + (double)i)
            return status_format(err, source->label, line.line,
                                 "id is %g, expected %g (ids run from 0 or 1 without gaps)", id,
                                 base + (double)i);
        st = io_row_store(source, &row, i, arrays, err);
        if (st) return st;
    }
    return io_expect_end(source, text, err);
}

static ucpo_status add_arrays(const struct io_source *source, const struct io_text *text,
                              struct io_arrays *arrays, ucpo_error *err)
{
    static const enum io_field fields[] = {IO_X, IO_Y, IO_READY, IO_DUE, IO_SERVICE, IO_DEMAND};

    arrays->n = count_rows(*text);
    if (arrays->n < 2 || arrays->n > IO_MAX_NODES)
        return status_format(err, source->label, text->line,
                             "file has %zu rows, expected 2 .. %d (the depot and the customers)",
                             arrays->n, IO_MAX_NODES);
    ucpo_status st = UCPO_OK;
    for (size_t f = 0; !st && f < sizeof fields / sizeof fields[0]; f++)
        st = io_arrays_add(arrays, fields[f], err);
    return st;
}

static ucpo_status read(const struct io_source *source, ucpo_dataset *set, ucpo_error *err)
{
    struct io_text text = io_text_open(source->bytes, source->size, source->label);
    struct io_arrays arrays = {0};
    struct head head = {0};
    ucpo_instance_data data = ucpo_instance_data_default();
    ucpo_status st = read_head(&text, &head, err);
    if (!st && head.vehicles == 0 && !(source->options->capacity > 0.0))
        st = status_format(err, source->label, 1,
                           "rows without a header do not state the vehicle capacity: pass it "
                           "with option 'capacity'");
    if (!st) st = add_arrays(source, &text, &arrays, err);
    if (!st) st = read_rows(source, &text, &arrays, err);
    if (!st) {
        io_settle_service(source, &arrays);
        data.problem = prob_name_with(PROB_TIMED_FLEET);
        data.name = head.name;
        data.capacity = head.capacity;
        data.vehicles = (int32_t)head.vehicles;
        io_arrays_lend(&arrays, &data);
        st = io_add_instance(source, 0, &data, set, err);
    }
    io_arrays_free(&arrays);
    return st;
}

/* ---- writing ---- */

static ucpo_status write_name(struct io_buffer *out, const char *given,
                              const ucpo_write_config *options, ucpo_error *err)
{
    char name[IO_NAME_SIZE];
    int is_same = settle_name(name, given, strlen(given));
    io_printf(out, "%s\n\n", name);
    return is_same
               ? UCPO_OK
               : io_cannot_carry(options, err, "format solomon cannot carry the name '%s'", given);
}

static ucpo_status write_fleet(struct io_buffer *out, const ucpo_instance_data *d,
                               const ucpo_write_config *options, ucpo_error *err)
{
    int is_limited = d->vehicles > 0;
    int32_t vehicles = is_limited ? d->vehicles : d->n - 1;
    io_printf(out, "VEHICLE\nNUMBER     CAPACITY\n%5d      ", (int)vehicles);
    io_put_number(out, d->capacity);
    io_put(out, "\n\n", 2);
    return is_limited ? UCPO_OK
                      : io_cannot_carry(options, err,
                                        "format solomon always states a fleet limit: NUMBER is "
                                        "written as %d, one vehicle per customer",
                                        (int)vehicles);
}

static ucpo_status write(struct io_buffer *out, const struct io_subject *subject,
                         const ucpo_write_config *options, ucpo_error *err)
{
    const ucpo_instance_data *d = subject->data;
    ucpo_status st = write_name(out, d->name, options, err);
    if (!st) st = write_fleet(out, d, options, err);
    io_printf(out, "CUSTOMER\nCUST NO.  XCOORD.  YCOORD.  DEMAND  READY TIME  DUE DATE  "
                   "SERVICE TIME\n\n");
    for (int32_t i = 0; i < d->n; i++) io_row_write(out, d, i, i);
    return st;
}

static const struct io_writer writer = {{"solomon", PROB_TIMED_FLEET, IO_CARRY_COORDINATES}, write};

const struct io_format io_format_solomon = {"solomon", 0, detect, read, NULL, &writer};
