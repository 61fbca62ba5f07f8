#include "io/clock.h"

#include "core/text.h"
#include "problem/problem.h"

#include <stdio.h>

/* Up to `most` digits at *at; the number of digits, 0 if there are none. */
static int take_digits(const char **at, const char *end, int most, int *value)
{
    int count = 0;
    *value = 0;
    while (*at < end && count < most && **at >= '0' && **at <= '9') {
        *value = 10 * *value + (**at - '0');
        (*at)++;
        count++;
    }
    return count;
}

static int take_char(const char **at, const char *end, char c)
{
    if (*at >= end || **at != c) return 0;
    (*at)++;
    return 1;
}

/* Days since 1970-01-01 in the Gregorian calendar (H. Hinnant, "chrono-compatible low-level date
 * algorithms"). */
static int32_t days_from(int year, int month, int day)
{
    year -= month <= 2;
    int era = year / 400, of_era = year - era * 400;
    int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && is_leap);
}

static int take_date(const char **at, const char *end, int32_t *out)
{
    int year, month, day;
    if (take_digits(at, end, 4, &year) != 4 || !take_char(at, end, '-')) return 0;
    if (take_digits(at, end, 2, &month) != 2 || !take_char(at, end, '-')) return 0;
    if (take_digits(at, end, 2, &day) != 2) return 0;
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return 0;
    *out = days_from(year, month, day);
    return 1;
}

/* Z, +01:00, -0530 or nothing. */
static int take_zone(const char **at, const char *end, struct io_time *out)
{
    if (*at == end) return 1;
    out->has_zone = 1;
    if (take_char(at, end, 'Z')) return 1;
    int sign = **at == '-' ? -1 : 1, hours, minutes;
    if (!take_char(at, end, '+') && !take_char(at, end, '-')) return 0;
    if (take_digits(at, end, 2, &hours) != 2) return 0;
    take_char(at, end, ':');
    if (take_digits(at, end, 2, &minutes) != 2 || hours > 14 || minutes > 59) return 0;
    out->zone = sign * (60 * hours + minutes);
    return 1;
}

/* The next bytes are this word, in capitals or not. */
static int take_word(const char **at, const char *end, const char *word)
{
    const char *p = *at;
    for (; *word; word++, p++)
        if (p >= end || text_lower(*p) != *word) return 0;
    *at = p;
    return 1;
}

/* :30, :30:15, :30:15.5; h, h30 as in French; nothing, if AM, PM or Uhr follows. is_named: something
 * says that this is a time and not a number. */
static int take_minutes(const char **at, const char *end, int *minutes, int *seconds, int *is_named)
{
    int ignored;
    *minutes = *seconds = 0;
    if (take_word(at, end, "h")) {
        *is_named = 1;
        return *at == end || !text_is_digit(**at) || take_digits(at, end, 2, minutes) == 2;
    }
    if (!take_char(at, end, ':')) return 1;
    *is_named = 1;
    if (take_digits(at, end, 2, minutes) != 2) return 0;
    if (!take_char(at, end, ':')) return 1;
    if (take_digits(at, end, 2, seconds) != 2) return 0;
    return !take_char(at, end, '.') || take_digits(at, end, 9, &ignored) > 0;
}

/* AM, PM, a.m., p.m. or Uhr behind a time, after a blank or none: the hour of the day, or -1 if there is no
 * such hour. */
static int take_half(const char **at, const char *end, int hours, int *is_named)
{
    static const char *const am[] = {"am", "a.m."}, *const pm[] = {"pm", "p.m."};
    const char *next = *at;
    while (take_char(&next, end, ' ')) continue;
    for (int k = 0; k < 2; k++) {
        int is_am = take_word(&next, end, am[k]);
        if (!is_am && !take_word(&next, end, pm[k])) continue;
        *at = next;
        *is_named = 1;
        if (hours < 1 || hours > 12) return -1;
        return hours % 12 + (is_am ? 0 : 12);
    }
    if (!take_word(&next, end, "uhr")) return hours;
    *at = next;
    *is_named = 1;
    return hours;
}

int io_parse_time(const char *text, size_t length, struct io_time *out)
{
    const char *at = text, *end = text + length;
    struct io_time t = {0};
    int hours, minutes, seconds, is_named = 0;
    if (length >= 10 && text[4] == '-') {
        if (!take_date(&at, end, &t.day)) return 0;
        if (!take_char(&at, end, 'T') && !take_char(&at, end, ' ')) return 0;
        t.has_date = 1;
    }
    if (!take_digits(&at, end, 2, &hours)) return 0;
    if (!take_minutes(&at, end, &minutes, &seconds, &is_named)) return 0;
    hours = take_half(&at, end, hours, &is_named);
    if (!is_named || !take_zone(&at, end, &t) || at != end) return 0;
    if (hours < 0 || hours > 24 || minutes > 59 || seconds > 59 ||
        (hours == 24 && (minutes || seconds)))
        return 0;
    t.seconds = 3600.0 * hours + 60.0 * minutes + seconds;
    *out = t;
    return 1;
}

int io_looks_like_time(const char *text, size_t length)
{
    return length == 5 && text[0] == '0' && text_is_digit(text[1]) && text[2] == '.' &&
           text[3] >= '0' && text[3] <= '5' && text_is_digit(text[4]);
}

int io_parse_date(const char *text, size_t length, int32_t *day)
{
    const char *at = text, *end = text + length;
    int32_t found;
    if (!take_date(&at, end, &found) || at != end) return 0;
    *day = found;
    return 1;
}

const char *io_date_text(int32_t day, char buf[IO_DATE_SIZE])
{
    long year;
    int month, of_month;
    label_date(day, &year, &month, &of_month);
    snprintf(buf, IO_DATE_SIZE, "%04ld-%02d-%02d", year, month, of_month);
    return buf;
}
