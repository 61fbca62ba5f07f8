/* A subset of TOML 1.0, for configuration files: comments, bare keys, [section] and [[section]],
 * strings on one line, numbers (also inf and nan), booleans. What TOML has beyond that is
 * UCPO_E_UNSUPPORTED and named; lists are none of ours. Strings are bytes: they need not be UTF-8,
 * since file names need not be. */
#ifndef UCPO_IO_TOML_H
#define UCPO_IO_TOML_H

#include "io/io.h"

/* A line `[name]`, or the top of the file (name "", line 0). */
struct io_toml_section {
    const char *name;
    size_t index;  /* which of the [[name]] this is, from 0 */
    int is_listed; /* [[name]] */
    long line;
};

struct io_toml_entry {
    size_t section; /* its place in `sections` */
    const char *key;
    const char *value; /* string: decoded; number: without '_' and '+'; "true", "false" */
    long line;
};

/* In the order of the file. Sections without a key are there, too; section 0 is the top. */
struct io_toml {
    struct io_toml_section *sections;
    struct io_toml_entry *entries;
    size_t section_count, entry_count;
    size_t section_room, entry_room; /* allocated */
    char *pool;                      /* all text */
};

/* Reads a whole file; `label` is its name in messages. Errors name line, key, value and what was
 * expected; a key or section given twice is one. At most IO_TOML_LIMIT sections and as many keys. */
#define IO_TOML_LIMIT 4096
ucpo_status io_toml_read(const char *bytes, size_t size, const char *label, struct io_toml *out,
                         ucpo_error *err);
void io_toml_free(struct io_toml *doc);

/* The entry of a key in a section (a place in `sections`), or NULL. */
const struct io_toml_entry *io_toml_find(const struct io_toml *doc, size_t section,
                                         const char *key);

/* A line that reads back to the same text. */
void io_toml_put_string(struct io_buffer *buf, const char *key, const char *text);

#endif
