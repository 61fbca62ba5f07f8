/* Settings that may grow: their structs begin with the size that the caller's compiler knew. */
#ifndef UCPO_CORE_SIZED_H
#define UCPO_CORE_SIZED_H

#include "core/status.h"

/* Copies the caller's settings over `own`, a struct of `room` bytes with the defaults in it; given NULL: they
 * stay. Members that the caller's version lacks stay as they are; one that only the caller's version has must
 * be 0, otherwise UCPO_E_UNSUPPORTED. `name` is the type's, for messages. */
ucpo_status sized_take(void *own, size_t room, const void *given, const char *name,
                       ucpo_error *err);

/* The other direction: `own` into the caller's struct of `size` bytes, zeros behind what is known here. */
void sized_give(void *out, size_t size, const void *own, size_t room);

#endif
