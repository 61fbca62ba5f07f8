/* What the reader and the writer of the TSPLIB family agree on. */
#ifndef UCPO_IO_TSPLIB_H
#define UCPO_IO_TSPLIB_H

#include "io/text_common.h"

/* EDGE_WEIGHT_TYPE: metric and the rounding TSPLIB and LKH mean by it. */
struct io_tsplib_weight {
    const char *name;
    int is_explicit;
    ucpo_metric metric;
    ucpo_rounding rounding;
};

extern const struct io_tsplib_weight io_tsplib_weights[];
extern const size_t io_tsplib_weight_count;

ucpo_status io_tsplib_read(const struct io_source *source, ucpo_dataset *set, ucpo_error *err);
extern const struct io_writer io_tsplib_writer;

/* ---- between the parts of the reader ---- */

/* What a `COMMENT : ucpo key=value ...` of ours says; values that were not given are negative,
 * NaN for best_known. */
struct io_tsplib_note {
    int rounding, metric, draft;
    double unit, tolerance, service_in_cost, best_known;
    double scale; /* what the lengths were multiplied by before writing; never undone */
};

/* Numbers of the keys that may be given once. */
enum io_tsplib_key {
    KEY_NAME,
    KEY_TYPE,
    KEY_DIMENSION,
    KEY_CAPACITY,
    KEY_VEHICLES,
    KEY_SERVICE_TIME,
    KEY_SCALE,
    KEY_WEIGHT_TYPE,
    KEY_WEIGHT_FORMAT,
    KEY_COORD_TYPE,
    KEY_DISPLAY_TYPE,
    KEY_COORDS, /* sections from here on */
    KEY_DISPLAY,
    KEY_WINDOWS,
    KEY_SERVICE,
    KEY_DEMAND,
    KEY_LIMIT,
    KEY_WEIGHTS,
    KEY_DEPOT,
    KEY_COUNT,
    KEY_COMMENT, /* may repeat */
    KEY_CONSTRAINT,
    KEY_UNKNOWN
};

struct io_tsplib {
    const struct io_source *source;
    struct io_text text;
    long seen[KEY_COUNT]; /* line of its first occurrence, 0: not there */
    struct io_arrays arrays;
    char name[IO_NAME_SIZE];
    const struct prob_ops *ops; /* from TYPE */
    const struct io_tsplib_weight *weight;
    int weight_format; /* index + 1 of the table in tsplib_section.c */
    double capacity, service_time;
    long vehicles;
    long scale; /* of LKH, 0: none given */
    long depot; /* id, 0: none given */
    struct io_tsplib_note note;
    ucpo_file_notes notes; /* what the instance keeps */
};

/* Index + 1 of an EDGE_WEIGHT_FORMAT, 0: unknown. */
int io_tsplib_find_weight_format(const char *word, size_t length);

/* Reads the data of section `key`; the text stands right behind the section's name. */
ucpo_status io_tsplib_section(struct io_tsplib *file, enum io_tsplib_key key, ucpo_error *err);

/* Takes the tokens of a COMMENT line; comments of others are looked through for an optimum. */
ucpo_status io_tsplib_comment(struct io_tsplib *file, const char *value, size_t length, long line,
                              ucpo_error *err);

/* Checks that the parts make an instance and adds it to the set. */
ucpo_status io_tsplib_assemble(struct io_tsplib *file, ucpo_dataset *set, ucpo_error *err);

#endif
