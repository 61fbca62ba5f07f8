/* What the five text instance formats share: words and numbers between comments, arrays that are
 * only allocated if the file can hold them, names, and what every writer has to check first. */
#ifndef UCPO_IO_TEXT_COMMON_H
#define UCPO_IO_TEXT_COMMON_H

#include "core/text.h"
#include "io/io.h"
#include "problem/problem.h"

/* ---- words and numbers ---- */

/* Like io_token, but a word that starts with '#' is a comment up to the end of its line. */
size_t io_word(struct io_text *text, const char **word);

/* Like io_line, but skips blank lines and lines that start with '#'. */
int io_content_line(struct io_text *text, struct io_text *line);

/* How much of a word of the file is shown in a message. */
static inline int io_shown(size_t length)
{
    return (int)(length < 40 ? length : 40);
}

/* ASCII, upper and lower case are equal. */
int io_word_is(const char *word, size_t length, const char *expected);

/* The same for all that is left of a text, and for what it begins with. */
int io_is(const struct io_text *text, const char *expected);
int io_begins(const struct io_text *text, const char *expected);

/* First place of `part` (ASCII, any case) in the text, or NULL. */
const char *io_find_part(const char *text, size_t length, const char *part);

/* Next number. `what` names the field and is formatted only if there is something to complain
 * about, so that reading a matrix does not print a million names. */
ucpo_status io_value(struct io_text *text, double *out, ucpo_error *err, const char *what, ...)
    __attribute__((format(printf, 4, 5)));
ucpo_status io_whole(struct io_text *text, long low, long high, long *out, ucpo_error *err,
                     const char *what, ...) __attribute__((format(printf, 6, 7)));

/* Fails if the rest of the text is too short for `count` numbers: a file of a few bytes must not
 * make us allocate for the size it claims. */
ucpo_status io_expect_numbers(const struct io_text *text, size_t count, const char *what,
                              ucpo_error *err);

/* Anything but comments left: unknown content. */
ucpo_status io_expect_end(const struct io_source *source, struct io_text *text, ucpo_error *err);

/* At most IO_NAME_SIZE - 1 bytes (whole UTF-8 characters), control characters become blanks, no
 * blanks at the ends. Returns 1 if the name is what it was. */
int io_clean_name(char out[IO_NAME_SIZE], const char *name, size_t length);

/* What the 2n numbers behind the matrix of a `plain` or `rakke` file can be, which look alike. */
struct io_tail {
    int fits_windows; /* n pairs earliest <= latest */
    int fits_loads;   /* n demands with 0 for the depot, n limits; all whole and >= 0 */
};

/* `text` stands at the beginning of the file. Both 0 if numbers are missing. */
struct io_tail io_judge_tail(struct io_text text);

/* The head of the rows of the Solomon family, CUST NO. XCOORD. YCOORD. DEMAND READY TIME DUE DATE
 * SERVICE TIME: another order of columns would be misread. Case, blanks, dots and brackets do not
 * matter; NO, TIME and DATE may be missing. */
ucpo_status io_expect_row_head(struct io_text line, ucpo_error *err);

/* ---- arrays of an instance being read ---- */

enum io_field {
    IO_X,
    IO_Y,
    IO_COST, /* n x n */
    IO_READY,
    IO_DUE,
    IO_SERVICE,
    IO_DEMAND,
    IO_LIMIT,
    IO_SHOWN_X, /* coordinates for display only */
    IO_SHOWN_Y,
    IO_FIELD_COUNT
};

struct io_arrays {
    size_t n;
    double *of[IO_FIELD_COUNT];
};

/* Adds one array, zeroed. */
ucpo_status io_arrays_add(struct io_arrays *arrays, enum io_field field, ucpo_error *err);

/* Reads n x n numbers into the cost, >= 0 off the diagonal. `noun` names a node in messages. */
ucpo_status io_read_matrix(struct io_text *text, struct io_arrays *arrays, const char *noun,
                           ucpo_error *err);
void io_arrays_free(struct io_arrays *arrays);

/* Points `data` at the arrays (the display coordinates are left out). */
void io_arrays_lend(const struct io_arrays *arrays, ucpo_instance_data *data);

/* Node `depot` becomes node 0, the others keep their order; of n values (NULL: none), or of n x n. */
void io_move_depot(double *values, size_t n, size_t depot, int is_square);
void io_arrays_move_depot(struct io_arrays *arrays, size_t depot);
void io_arrays_transpose(struct io_arrays *arrays);

/* Service at the depot is warned about and dropped; service that is 0 everywhere is no service. */
void io_settle_service(const struct io_source *source, struct io_arrays *arrays);

/* The row `id x y demand ready due service` of the Solomon family, read from one line. `id` is the
 * number the row must have; the arrays get the row `index`. */
struct io_row {
    double value[7];
    long line;
};

ucpo_status io_row_parse(struct io_text line, struct io_row *row, ucpo_error *err);
ucpo_status io_row_store(const struct io_source *source, const struct io_row *row, size_t index,
                         struct io_arrays *arrays, ucpo_error *err);
void io_row_write(struct io_buffer *out, const ucpo_instance_data *data, int32_t node, int32_t id);

/* ---- writers ---- */

/* What a format can hold; bits of io_ability.carries. */
enum io_carry {
    IO_CARRY_COORDINATES = 1,
    IO_CARRY_MATRIX = 2,
    IO_CARRY_METRIC = 4, /* metric and rounding of coordinate distances */
    IO_CARRY_BEST_KNOWN = 8,
    IO_CARRY_UNIT = 16, /* unit and tolerance other than the derived ones */
    IO_CARRY_SERVICE_SUM = 32,
    IO_CARRY_NUMBERING = 64 /* ids of a file whose depot was not its first node */
};

struct io_ability {
    const char *format;
    unsigned needs; /* enum prob_need: exactly these arrays; 0: what has a TYPE of TSPLIB */
    unsigned carries;
};

/* The instance a writer shall write: the first of the set, scaled if asked for. */
struct io_subject {
    const ucpo_instance *inst;
    const ucpo_instance_data *data;
    int is_derived_unit, is_derived_tolerance; /* what ucpo_instance_create would derive anyway */
    ucpo_instance *own;                        /* the scaled copy or NULL */
};

/* Refuses what would be another instance in this format (wrong problem, infinite due, a matrix the
 * format has no room for) and warns about what gets lost. On success the caller ends with
 * io_subject_free. */
ucpo_status io_subject_open(const ucpo_dataset *set, const ucpo_write_config *options,
                            const struct io_ability *ability, struct io_subject *subject,
                            ucpo_error *err);
void io_subject_free(struct io_subject *subject);

/* What a format whose files hold one instance writes of it. */
struct io_writer {
    struct io_ability ability;
    ucpo_status (*write)(struct io_buffer *out, const struct io_subject *subject,
                         const ucpo_write_config *options, ucpo_error *err);
};

/* A format without a place for names says so. */
void io_say_nameless(const ucpo_write_config *options, const char *format, const char *name);

/* UCPO_E_UNSUPPORTED unless all demands and limits are whole numbers. */
ucpo_status io_expect_whole_loads(const ucpo_instance_data *data, const char *format,
                                  ucpo_error *err);

#endif
