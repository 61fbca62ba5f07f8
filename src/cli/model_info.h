/* What ucpo info says about a model file. */
#ifndef UCPO_CLI_MODEL_INFO_H
#define UCPO_CLI_MODEL_INFO_H

#include <stdio.h>

#include "cli/cli.h"

/* Does the content look like a safetensors file? */
int model_looks_like(const char *bytes, size_t size);

/* format: text, json (one object) or csv, which has no place for models: an error. Returns the exit
 * code. */
int model_info_print(FILE *out, const char *format, const char *label, const char *bytes,
                     size_t size, int is_first_file);

#endif
