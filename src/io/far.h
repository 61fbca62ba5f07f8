/* A place far off all others is rather a mistake in the file. */
#ifndef UCPO_IO_FAR_H
#define UCPO_IO_FAR_H

#include "io/io.h"

/* Names the place that is farthest off, if one or few are, and what may have happened. */
ucpo_status io_warn_about_far_places(const struct io_source *source, const ucpo_instance *inst,
                                     ucpo_error *err);

#endif
