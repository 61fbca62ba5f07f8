/* The files inside a zip archive that are stored as they are (PyTorch's checkpoints). */
#ifndef UCPO_IO_ZIP_H
#define UCPO_IO_ZIP_H

#include "core/status.h"

#include <stddef.h>

struct zip_entry {
    const char *name; /* into the archive, not NUL-terminated */
    size_t name_length;
    const char *data; /* into the archive */
    size_t size;
};

struct zip {
    struct zip_entry *entry;
    size_t count;
};

/* Checks places, sizes and checksums. Compressed, encrypted and 64-bit archives are
 * UCPO_E_UNSUPPORTED. `bytes` must outlive `out`. Release with zip_free. */
ucpo_status zip_read(const char *bytes, size_t size, const char *label, struct zip *out,
                     ucpo_error *err);
void zip_free(struct zip *zip);

/* The first entry whose name is folder, then name; NULL: none. */
const struct zip_entry *zip_find(const struct zip *zip, const char *folder, size_t folder_length,
                                 const char *name, size_t name_length);

#endif
