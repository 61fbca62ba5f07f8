/* JSON of other programs: VROOM problems, OR-Tools data dictionaries, OSRM and openrouteservice matrices. */
#ifndef UCPO_IO_JSON_FOREIGN_H
#define UCPO_IO_JSON_FOREIGN_H

#include "io/json.h"

/* An object without our schema: read by what its keys look like, or an error that says what it is. */
ucpo_status json_read_foreign(const struct io_source *source, const json_t *root, ucpo_dataset *set,
                              ucpo_error *err);

ucpo_status json_read_vroom(const struct io_source *source, const json_t *root, ucpo_dataset *set,
                            ucpo_error *err);
ucpo_status json_read_dictionary(const struct io_source *source, const json_t *root,
                                 ucpo_dataset *set, ucpo_error *err);
ucpo_status json_read_table(const struct io_source *source, const json_t *root, ucpo_dataset *set,
                            ucpo_error *err);

/* UCPO_E_FORMAT with the service's own words if the object is its message of a failure. */
ucpo_status json_service_error(const char *label, const json_t *root, ucpo_error *err);

/* n rows of n numbers; null: no way, which is +infinity. path names it in messages. is_own: of our format, where
 * they are taken as they stand; others' are not negative, and 0 on the diagonal. */
ucpo_status json_matrix(const char *label, const char *path, const json_t *value, size_t n,
                        int is_own, struct mem_pool *pool, double **out, ucpo_error *err);

/* Says which nodes cannot be reached or left at all. `id` may be NULL. */
void json_warn_about_islands(const struct io_source *source, const double *matrix, size_t n,
                             const char *const *id);

/* Matrices of a file of their own, for instances that come without; all of the caller's pool. */
struct io_matrices {
    size_t n;
    double *cost, *duration; /* duration may be NULL: the costs */
    double *lat, *lon;       /* of the places, if the file says where they are; else NULL */
    int is_osrm;             /* metres and seconds (without distances: seconds alone) */
    int is_time_only;        /* the cost is a time */
    int is_length_only;      /* the file has no times */
};

/* Reads the answer of a table service (or any object with `durations`, `distances`, or with our `cost`,
 * `duration`) of n places. */
ucpo_status json_matrices_load(const char *path, size_t n, struct mem_pool *pool,
                               struct io_matrices *out, ucpo_error *err);
void json_matrices_scale(struct io_matrices *m, double length, double time);

/* Place `depot` becomes place 0, the others keep their order (but for lat and lon). */
void json_matrices_move(struct io_matrices *m, size_t depot);

#endif
