/* PyTorch checkpoints (torch.save: a zip archive with a pickle and one file per storage) as named
 * tensors. Nothing is executed: the pickle is read by a closed list of opcodes and names. */
#ifndef UCPO_IO_CHECKPOINT_H
#define UCPO_IO_CHECKPOINT_H

#include "io/safetensors.h"

struct checkpoint {
    struct io_tensor *tensor; /* data points into the archive, row-major */
    size_t count;
    char *names; /* owned */
};

/* The tensors of the state dictionary: the file's whole content, or what stands under
 * "model_state_dict", "state_dict" or "model". A prefix "module." of names is dropped. */
ucpo_status checkpoint_read(const char *bytes, size_t size, const char *label,
                            struct checkpoint *out, ucpo_error *err);
void checkpoint_free(struct checkpoint *checkpoint);

/* NULL: no such tensor. */
const struct io_tensor *checkpoint_find(const struct checkpoint *checkpoint, const char *name);

#endif
