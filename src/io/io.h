/* Bytes to instances and plans, and back. Readers take (bytes, size), never a file name, so that
 * each can be fuzzed; they are bounded by the size and fail loudly on any limit. */
#ifndef UCPO_IO_IO_H
#define UCPO_IO_IO_H

#include "core/mem.h"
#include "core/status.h"

/* ---- growing output (buffer.c) ---- */

struct io_buffer {
    char *bytes;
    size_t size, capacity;
    int failed; /* an allocation failed: further writes do nothing, io_buffer_status says so */
};

void io_put(struct io_buffer *buf, const void *bytes, size_t size);
void io_printf(struct io_buffer *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Shortest decimal form that reads back to the same double. */
void io_put_number(struct io_buffer *buf, double value);

/* Whole numbers as little-endian bytes. */
uint64_t io_little(const void *bytes, size_t count);
void io_store_little(void *to, uint64_t value, size_t count);
void io_put_little(struct io_buffer *buf, uint64_t value, size_t count);

/* The number in `count` little-endian bytes of NumPy's type 'f' (4, 8), 'i', 'u' or 'b' (1 .. 8). */
double io_number_in(const void *bytes, char type, size_t count);
ucpo_status io_buffer_status(const struct io_buffer *buf, ucpo_error *err);
void io_buffer_free(struct io_buffer *buf);

/* The end of a function that makes bytes: hands them over, or frees the buffer if `st` or a write failed. */
ucpo_status io_buffer_give(struct io_buffer *buf, ucpo_status st, char **bytes, size_t *size,
                           ucpo_error *err);

/* ---- text (text.c) ---- */

/* Cursor over text that knows its line. Lines end with LF or CRLF; a UTF-8 BOM is skipped. */
struct io_text {
    const char *label;
    const char *at, *end;
    long line;
};

struct io_text io_text_open(const char *bytes, size_t size, const char *label);

/* Next token separated by white space (crosses lines). Returns its length, 0 at the end. */
size_t io_token(struct io_text *text, const char **token);

/* Bytes from the cursor to the end. */
static inline size_t io_left(const struct io_text *text)
{
    return (size_t)(text->end - text->at);
}

/* Rest of the current line without its end, trimmed, as a text of its own; moves to the next line. 0: no more
 * lines (then it is empty, and has the number of the last). */
int io_line(struct io_text *text, struct io_text *line);

/* A whole token as a finite decimal number, the same under every locale. 0: it is none. */
int io_parse_number(const char *token, size_t length, double *out);

/* Whether two of n texts that are not empty are the same: 1 and the places of the first such pair, else
 * 0; -1 if there is no memory. */
int io_find_duplicate(const char *const *text, size_t n, size_t *first, size_t *second);

/* Whether one of n texts is not empty. */
int io_has_text(const char *const *text, size_t n);

/* ---- UTF-8 (utf8.c) ---- */

/* The first line that is not UTF-8, 0 if there is none. */
long io_utf8_first_bad(const char *bytes, size_t size);

/* Appends the text; bytes that are not UTF-8 are taken for Windows-1252. */
void io_put_as_utf8(struct io_buffer *out, const char *bytes, size_t size);

/* ---- instance formats (format.c) ---- */

struct io_source {
    const char *bytes; /* not NUL-terminated */
    size_t size;
    const char *label;
    const ucpo_read_config *options; /* never NULL */
    struct io_left *left;            /* what was left out so far (left_out.h), or NULL */
};

#define IO_MAX_NODES 65536 /* as ucpo_instance_create, but with the line of the file */

struct io_writer;

struct io_format {
    const char *name;
    int holds_many; /* a file may hold more than one instance */
    /* Looks at content only; 1 = this format. Formats are asked in table order. */
    int (*detect)(const char *bytes, size_t size);
    ucpo_status (*read)(const struct io_source *source, ucpo_dataset *set, ucpo_error *err);
    ucpo_status (*write)(struct io_buffer *out, const ucpo_dataset *set,
                         const ucpo_write_config *options, ucpo_error *err);
    const struct io_writer *writer; /* instead: of the only instance (text_common.h) */
};

extern const struct io_format io_format_json, io_format_npy, io_format_tsplib, io_format_plain,
    io_format_silva, io_format_rakke, io_format_solomon, io_format_stops;

/* Words of files for ucpo_metric, ucpo_rounding and ucpo_draft, by value. */
enum { IO_METRICS = 6, IO_ROUNDINGS = 7, IO_DRAFTS = 2 };

extern const char *const io_metrics[IO_METRICS], *const io_roundings[IO_ROUNDINGS],
                                                     *const io_drafts[IO_DRAFTS];

/* Applies read options (problem, rounding, capacity, vehicles), creates the instance from `data`
 * and appends it. Errors of ucpo_instance_create get the label and `line` (0: none). Every reader
 * ends with this call, so that options mean the same in every format. */
ucpo_status io_add_instance(const struct io_source *source, long line, ucpo_instance_data *data,
                            ucpo_dataset *set, ucpo_error *err);

/* Writes the first instance of a set by a format's `writer` (text_subject.c). */
ucpo_status io_write_one(const struct io_writer *writer, struct io_buffer *out,
                         const ucpo_dataset *set, const ucpo_write_config *options,
                         ucpo_error *err);

/* What a reader objects to in a file. */
enum io_doubt {
    IO_UNKNOWN, /* content that means nothing to us: a warning, an error under options->strict */
    IO_MISSPELT, /* the same, but it looks like a known word, and ignoring it may change the instance: an
                      error, or left out if ignore_unsupported */
    IO_DOUBLE, /* an error, under ignore_unsupported a warning: it changes nothing */
    IO_UNSUPPORTED /* a part that would relax the instance: an error, or left out if ignore_unsupported */
};

ucpo_status io_object_to(enum io_doubt doubt, const struct io_source *source, long line,
                         ucpo_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* IO_UNSUPPORTED for what makes the instance something else than easier when it is left out. */
ucpo_status io_leave_out(ucpo_reading way, const struct io_source *source, long line,
                         ucpo_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The writer's counterpart: something the format cannot carry. A warning, or an error if strict. */
ucpo_status io_cannot_carry(const ucpo_write_config *options, ucpo_error *err, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));

/* The file's own numbering, see ucpo_file_notes in ucpo.h: the node that stands at `place` of the file
 * (from 0), and the place of a node. Numbers outside the instance stay what they are. */
int32_t io_node_at(const ucpo_instance_data *data, int32_t place);
int32_t io_place_of(const ucpo_instance_data *data, int32_t node);

/* Ids that are the numbers of the file's own order, counted from `first`: for files without ids whose
 * depot is not their first node, so that plans can be read beside the file. Sets data->id, from the pool;
 * data->n and file->depot must be there. */
ucpo_status io_number_nodes(struct mem_pool *pool, ucpo_instance_data *data, int first,
                            ucpo_error *err);

enum { IO_NAME_SIZE = 128 };

/* The file's name without folder and ending, for instances that have none; NULL for standard input. */
const char *io_name_of_file(const char *label, char buf[IO_NAME_SIZE]);

/* A warning about a line of the file (0: about the whole), and what is worth knowing. */
void io_warn(const struct io_source *source, long line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void io_note(const struct io_source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Warns that an option changes nothing. */
void io_no_effect(const struct io_source *source, const char *option, const char *why);

/* ---- plan formats (plan_format.c) ---- */

struct io_plan_format {
    const char *name;
    int holds_many;         /* a file may hold more than one plan */
    int marks_placeholders; /* scripts store the identity order here when they found nothing */
    int (*detect)(const char *bytes, size_t size);
    ucpo_status (*read)(const char *bytes, size_t size, const char *label, const ucpo_dataset *set,
                        ucpo_plans *plans, ucpo_error *err);
    ucpo_status (*write)(struct io_buffer *out, const ucpo_dataset *set, const ucpo_plans *plans,
                         ucpo_error *err); /* NULL: read only */
};

/* ---- NumPy arrays (npy.c), shared by instances and plans ---- */

struct io_npy {
    char type;      /* 'f' float, 'i' signed, 'u' unsigned, 'b' bool */
    int item_bytes; /* 1, 2, 4, 8 */
    int rank;
    size_t shape[4];
    int fortran_order;
    const unsigned char *data;
};

/* Parses the header and checks that the data is exactly as long as the shape says. */
ucpo_status io_npy_parse(const char *bytes, size_t size, const char *label, struct io_npy *out,
                         ucpo_error *err);
int io_npy_detect(const char *bytes, size_t size);
double io_npy_at(const struct io_npy *array, const size_t index[4]);
void io_npy_header(struct io_buffer *out, const char *descr, int rank, const size_t *shape);

#endif
