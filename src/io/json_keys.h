/* Words of the JSON instance format that its reader and its writer must agree on. */
#ifndef UCPO_IO_JSON_KEYS_H
#define UCPO_IO_JSON_KEYS_H

#include "io/io.h"

#define JSON_INSTANCE_SCHEMA "ucpo.instance/1"
#define JSON_DATASET_SCHEMA  "ucpo.dataset/1"

enum { JSON_METRICS = 6, JSON_ROUNDINGS = 6, JSON_DRAFTS = 2 };

extern const char *const json_metric_names[JSON_METRICS];     /* by ucpo_metric */
extern const char *const json_rounding_names[JSON_ROUNDINGS]; /* by ucpo_rounding - 1 */
extern const char *const json_draft_names[JSON_DRAFTS];       /* by ucpo_draft */

ucpo_status json_write(struct io_buffer *out, const ucpo_dataset *set,
                       const ucpo_write_config *options, ucpo_error *err);

#endif
