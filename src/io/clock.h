/* Times of the day and dates, as people write them. */
#ifndef UCPO_IO_CLOCK_H
#define UCPO_IO_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* A time in a cell: 8:30, 08:30:15, 24:00, 2026-03-01T08:30, 2026-03-01 08:30:15+01:00; 08h30, 8h; 8:30 AM, 8 pm,
 * 8 p.m.; 8 Uhr, 8:30 Uhr. */
struct io_time {
    double seconds; /* since midnight */
    int32_t day;    /* days since 1970-01-01, if has_date */
    int has_date, has_zone;
    int zone; /* minutes east of Greenwich, if has_zone; Z is 0 */
};

/* 1: the whole text is such a time. */
int io_parse_time(const char *text, size_t length, struct io_time *out);

/* 08.30: neither a number that people write nor a time that we read. */
int io_looks_like_time(const char *text, size_t length);

/* 1: the whole text is a date YYYY-MM-DD that exists. */
int io_parse_date(const char *text, size_t length, int32_t *day);

enum { IO_DATE_SIZE = 24 };

/* "2026-03-01"; returns buf. */
const char *io_date_text(int32_t day, char buf[IO_DATE_SIZE]);

#endif
