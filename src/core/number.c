#include "core/number.h"

#include "core/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_number_character(char c)
{
    return text_begins_number(c) || c == 'e' || c == 'E';
}

/* strtod obeys the locale's decimal point. If it stopped at our '.', that is another one, maybe of
 * several bytes: put it in. */
static double read_in_locale(char copy[80], char **stop)
{
    double value = strtod(copy, stop);
    if (**stop != '.') return value;
    char probe[16];
    snprintf(probe, sizeof probe, "%.1f", 0.5); /* "0", the point, "5" */
    size_t point = strlen(probe) - 2;
    if (point > 8) return value;
    memmove(*stop + point, *stop + 1, strlen(*stop));
    memcpy(*stop, probe + 1, point);
    return strtod(copy, stop);
}

int number_read(const char *text, size_t length, double *out)
{
    char copy[80], *stop;
    if (length == 0 || length > 63) return 0;
    size_t sign = text[0] == '-' || text[0] == '+';
    if (length - sign == 3 && memcmp(text + sign, "inf", 3) == 0) {
        *out = text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
        return 1;
    }
    for (size_t i = 0; i < length; i++)
        if (!is_number_character(text[i])) return 0;
    memcpy(copy, text, length);
    copy[length] = '\0';
    double value = read_in_locale(copy, &stop);
    if (stop == copy || *stop != '\0' || !isfinite(value)) return 0;
    *out = value;
    return 1;
}

int number_read_time(const char *text, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1.0}, {"s", 1.0}, {"ms", 1e-3}, {"m", 60.0}, {"h", 3600.0}};

    size_t digits = strspn(text, "0123456789.");
    double value;
    if (!number_read(text, digits, &value)) return 0;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(text + digits, units[i].unit) != 0) continue;
        *seconds = value * units[i].seconds;
        return 1;
    }
    return 0;
}

int number_read_seed(const char *text, uint64_t *out)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!text_is_digit(*text) || *end || errno) return 0;
    *out = (uint64_t)value;
    return 1;
}

/* printf, too, writes the locale's decimal point: put '.' there. */
static void use_plain_point(char *text)
{
    size_t digits = strspn(text, "+-0123456789");
    if (text[digits] == '\0' || strchr(".ein", text[digits])) return; /* no foreign point */
    char *rest = text + digits + 1;
    rest += strcspn(rest, "0123456789");
    text[digits] = '.';
    memmove(text + digits + 1, rest, strlen(rest) + 1);
}

const char *number_write(char buf[NUMBER_SIZE], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        snprintf(buf, NUMBER_SIZE, "%.*g", digits, value);
        use_plain_point(buf);
        if (!isfinite(value) || (number_read(buf, strlen(buf), &back) && back == value)) break;
    }
    return buf;
}
