/* Axes with ticks at 1, 2 or 5 times a power of ten. Labels are made from whole numbers, so that
 * they are exact and know no locale. */
#include "plot/plot.h"

#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The step for about `ticks` ticks over `span` > 0, in units of 1. */
static void choose_step(struct plot_axis *axis, double span, int ticks)
{
    double rough = span / ticks;
    axis->exponent = (int)floor(log10(rough));
    double digit = rough / pow(10.0, axis->exponent);
    axis->step = digit <= 1.0 ? 1 : digit <= 2.0 ? 2 : digit <= 5.0 ? 5 : 10;
    if (axis->step == 10) {
        axis->step = 1;
        axis->exponent++;
    }
}

static double step_of(const struct plot_axis *axis)
{
    return axis->step * pow(10.0, axis->exponent) * axis->unit;
}

double plot_axis_tick(const struct plot_axis *axis, long k)
{
    return (double)k * step_of(axis);
}

/* Widens an empty range. */
static void widen(double *low, double *high)
{
    double size = fmax(fabs(*low), fabs(*high));
    if (*high - *low > 1e-6 * size) return;
    double pad = size > 0.0 ? 0.05 * size : 1.0;
    *low -= *low == 0.0 ? 0.0 : pad;
    *high += pad;
}

static struct plot_axis fit(double low, double high, int ticks, int is_rounded, double unit)
{
    struct plot_axis axis = {.unit = unit, .suffix = ""};
    if (low >= 0.0 && low < 0.4 * high) low = 0.0;
    widen(&low, &high);
    choose_step(&axis, (high - low) / unit, ticks);
    double step = step_of(&axis);
    if (is_rounded) {
        low = floor(low / step + 1e-9) * step;
        high = ceil(high / step - 1e-9) * step;
    }
    axis.low = low;
    axis.high = high;
    axis.first = (long)ceil(low / step - 1e-6);
    axis.last = (long)floor(high / step + 1e-6);
    double size = fmax(fabs(low), fabs(high)) / unit;
    axis.thousands = size >= 1e9 ? 3 : size >= 1e6 ? 2 : size >= 1e4 ? 1 : 0;
    return axis;
}

struct plot_axis plot_axis_fit(double low, double high, int ticks, int is_rounded)
{
    return fit(low, high, ticks, is_rounded, 1.0);
}

struct plot_axis plot_axis_time(double low, double high, int ticks, const char **unit_name)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1.0}, {"min", 60.0}, {"h", 3600.0}, {"d", 86400.0}};

    size_t u = 0;
    while (u < 3 && high >= 2.0 * units[u + 1].seconds) u++;
    *unit_name = units[u].name;
    return fit(low, high, ticks, 0, units[u].seconds);
}

/* number x 10^exponent with all digits. */
static void put_decimal(long number, int exponent, char *buf, size_t size)
{
    long power = 1;
    for (int i = 0; i < -exponent; i++) power *= 10;
    for (int i = 0; i < exponent; i++) number *= 10;
    const char *sign = number < 0 ? "-" : "";
    long whole = labs(number) / power, rest = labs(number) % power;
    if (exponent < 0)
        snprintf(buf, size, "%s%ld.%0*ld", sign, whole, -exponent, rest);
    else
        snprintf(buf, size, "%s%ld", sign, whole);
}

const char *plot_axis_label(const struct plot_axis *axis, long k, char *buf, size_t size)
{
    static const char *const prefixes[] = {"", "k", "M", "G"};
    int exponent = axis->exponent - 3 * axis->thousands;
    long number = k * axis->step;
    if (k == 0) {
        snprintf(buf, size, "0%s", axis->suffix);
        return buf;
    }
    int is_huge = fmax(fabs(axis->low), fabs(axis->high)) / axis->unit >= 1e15;
    if (exponent < -5 || is_huge) { /* 15e-8 */
        snprintf(buf, size, "%lde%d%s", number, axis->exponent, axis->suffix);
        return buf;
    }
    put_decimal(number, exponent, buf, size);
    text_append(buf, size, "", "%s%s", prefixes[axis->thousands], axis->suffix);
    return buf;
}
