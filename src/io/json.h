/* JSON: what the instance and the solution format share. Reading is jansson's, writing our own
 * (readable layout, numbers that read back to the same bits). */
#ifndef UCPO_IO_JSON_H
#define UCPO_IO_JSON_H

#include "io/io.h"

#include <jansson.h>

#define JSON_INSTANCE_SCHEMA "ucpo.instance/1"
#define JSON_DATASET_SCHEMA  "ucpo.dataset/1"

ucpo_status json_write(struct io_buffer *out, const ucpo_dataset *set,
                       const ucpo_write_config *options, ucpo_error *err);

/* First character that is not white space is '{'. */
int json_begins_object(const char *bytes, size_t size);

/* Parses a whole text whose outermost value is an object. All numbers become reals. */
ucpo_status json_parse(const char *bytes, size_t size, const char *label, json_t **out,
                       ucpo_error *err);

/* A short description of a value for messages: "abc", 12.5, null, an array of 3; NULL: missing. */
const char *json_describe(const json_t *value, char *buf, size_t size);

/* "<path> is <value>, expected <expected>" */
ucpo_status json_wrong(const char *label, const char *path, const json_t *value,
                       const char *expected, ucpo_error *err);

/* Keys of an object that are not among the known ones (words, blanks between): unknown content, or an error if one looks like a
 * known one. Messages say "unknown key '<prefix>name'<where>". */
ucpo_status json_check_keys(const struct io_source *source, const char *prefix, const char *where,
                            const json_t *object, const char *known, ucpo_error *err);

/* A whole number within low .. high, or 0. */
int json_whole(const json_t *value, double low, double high, double *out);

/* Words of an array of `count` texts (or numbers; null is ""). They point into the tree, or are the pool's. */
ucpo_status json_texts(const char *label, const char *path, const json_t *list, size_t count,
                       struct mem_pool *pool, const char *const **out, ucpo_error *err);

/* A number as such a word, into buf of JSON_NUMBER_BYTES; another text as it stands. */
enum { JSON_NUMBER_BYTES = 32 };

const char *json_word(const json_t *value, char *buf);

/* Whether text is UTF-8 throughout. */
int json_is_utf8(const char *text);

/* Text in quotes, escaped; bytes that are not UTF-8 become U+FFFD. */
void json_put_string(struct io_buffer *out, const char *text);

/* [{"way": "easier", "what": "..."}, ...]: what was left out when the instance was read, one in a line. */
void json_put_left_out(struct io_buffer *out, const ucpo_instance_data *data, const char *indent);

/* A number, or null if it is not finite. */
void json_put_number(struct io_buffer *out, double value);

/* Length of `text` cut to at most `most` bytes without cutting a UTF-8 character. */
size_t json_cut(const char *text, size_t most);

#endif
