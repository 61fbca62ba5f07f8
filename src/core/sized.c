#include "core/sized.h"

#include <string.h>

/* No struct of settings comes near it: a larger size was never set. */
enum { MOST = 4096 };

ucpo_status sized_take(void *own, size_t room, const void *given, const char *name, ucpo_error *err)
{
    if (!given) return UCPO_OK;
    const unsigned char *bytes = given;
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > MOST)
        return status_argument(err, "%s.struct_size is %zu: begin with %s_default()", name, size,
                               name);
    for (size_t k = room; k < size; k++)
        if (bytes[k] != 0)
            return status_fail(err, UCPO_E_UNSUPPORTED,
                               "%s has a setting at byte %zu that this library (%s) does not know: "
                               "it is older than the program",
                               name, k, ucpo_version());
    memcpy(own, given, size < room ? size : room);
    memcpy(own, &room, sizeof room);
    return UCPO_OK;
}

void sized_give(void *out, size_t size, const void *own, size_t room)
{
    if (!out || size < sizeof size) return;
    memset(out, 0, size);
    memcpy(out, own, size < room ? size : room);
    memcpy(out, &size, sizeof size);
}
