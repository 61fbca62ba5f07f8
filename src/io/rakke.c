#include "io/io.h"

static int detect(const char *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return 0;
}

const struct io_format io_format_rakke = {"rakke", 0, detect, 0, 0};
