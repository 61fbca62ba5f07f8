/* Reading a checkpoint's tensors into a model, for model_import.c and model_import_am.c. */
#ifndef UCPO_API_IMPORT_H
#define UCPO_API_IMPORT_H

#include "api/model.h"
#include "io/checkpoint.h"

/* The published networks' clip; a checkpoint does not tell it. */
#define IMPORT_CLIP 10.0

struct import {
    struct checkpoint file;
    const char *label;
    ucpo_error *err;
};

/* Extent `axis` of a tensor, 0 if there is none. */
int import_extent(const struct import *in, const char *name, int axis);

/* Whether the tensor is there, has this shape and is of weights. */
ucpo_status import_check(const struct import *in, const char *name, int rank, const int *shape);

ucpo_status import_unexpected(const struct import *in, const char *name);

/* A tensor that import_check has seen. */
ucpo_status import_read(const struct import *in, const char *name, real *to);

/* The AM family (model_import_am.c): another encoder norm, other names and layouts. */
int import_is_am(const struct import *in);
ucpo_status import_am_config(const struct import *in, struct nn_config *out);

/* Fills the parameters of an outline with that configuration. */
ucpo_status import_am_fill(const struct import *in, ucpo_model *model);

#endif
