#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* printf and strtod obey the locale's decimal point; this is it. */
static void decimal_point(char point[8])
{
    char probe[16];
    snprintf(probe, sizeof probe, "%.1f", 0.5); /* "0", the point, "5" */
    size_t length = strlen(probe) - 2;
    if (length > 7) length = 7;
    memcpy(point, probe + 1, length);
    point[length] = '\0';
}

static int is_number_character(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e' || c == 'E';
}

int number_read(const char *text, size_t length, double *out)
{
    char copy[80], point[8];
    if (length == 0 || length > 63) return 0;
    size_t sign = text[0] == '-' || text[0] == '+';
    if (length - sign == 3 && memcmp(text + sign, "inf", 3) == 0) {
        *out = text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
        return 1;
    }
    decimal_point(point);
    size_t used = 0;
    int has_point = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' && !has_point) {
            has_point = 1;
            memcpy(copy + used, point, strlen(point));
            used += strlen(point);
        } else if (is_number_character(text[i])) {
            copy[used++] = text[i];
        } else {
            return 0;
        }
    }
    copy[used] = '\0';
    char *stop;
    double value = strtod(copy, &stop);
    if (stop == copy || *stop != '\0' || !isfinite(value)) return 0;
    *out = value;
    return 1;
}

/* One decimal form with '.' whatever the locale says. */
static void write_digits(char buf[NUMBER_SIZE], int digits, double value)
{
    char local[NUMBER_SIZE + 8], point[8];
    snprintf(local, sizeof local, "%.*g", digits, value);
    decimal_point(point);
    const char *at = strstr(local, point);
    size_t before = at ? (size_t)(at - local) : strlen(local);
    snprintf(buf, NUMBER_SIZE, "%.*s%s%s", (int)before, local, at ? "." : "",
             at ? at + strlen(point) : "");
}

const char *number_write(char buf[NUMBER_SIZE], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        write_digits(buf, digits, value);
        if (!isfinite(value) || (number_read(buf, strlen(buf), &back) && back == value)) break;
    }
    return buf;
}
