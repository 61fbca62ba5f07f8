/* Lengths from coordinates, after TSPLIB 95 and the rounding rules of the routing communities. */
#include "problem/problem.h"

#include <math.h>

static double rounded(double d, ucpo_rounding rounding)
{
    switch (rounding) {
    case UCPO_ROUND_NEAREST: return floor(d + 0.5);
    case UCPO_ROUND_UP: return ceil(d);
    case UCPO_ROUND_DOWN: return floor(d);
    case UCPO_ROUND_DIMACS: return floor(10.0 * d) / 10.0;
    case UCPO_ROUND_EXACT: return floor(1000.0 * d + 0.5);
    case UCPO_ROUND_DECLARED:
    case UCPO_ROUND_NONE: break;
    }
    return d;
}

/* TSPLIB's degrees.minutes to radians, with TSPLIB's own value of pi. */
static double geo_radians(double value)
{
    double degrees = trunc(value);
    return 3.141592 * (degrees + 5.0 * (value - degrees) / 3.0) / 180.0;
}

static double geo_length(double xi, double yi, double xj, double yj)
{
    double lat_i = geo_radians(xi), lon_i = geo_radians(yi);
    double lat_j = geo_radians(xj), lon_j = geo_radians(yj);
    double q1 = cos(lon_i - lon_j), q2 = cos(lat_i - lat_j), q3 = cos(lat_i + lat_j);
    double c = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);
    c = c > 1.0 ? 1.0 : c < -1.0 ? -1.0 : c;
    return floor(6378.388 * acos(c) + 1.0);
}

static double att_length(double dx, double dy)
{
    double r = sqrt((dx * dx + dy * dy) / 10.0);
    double t = floor(r + 0.5);
    return t < r ? t + 1.0 : t;
}

/* Degrees to kilometres on the mean sphere of the Earth. */
static const double radian = 0.017453292519943295, earth_radius = 6371.0088;

static double haversine_length(double lat_i, double lon_i, double lat_j, double lon_j)
{
    double a = sin(0.5 * radian * (lat_j - lat_i)), b = sin(0.5 * radian * (lon_j - lon_i));
    double h = a * a + cos(radian * lat_i) * cos(radian * lat_j) * b * b;
    return 2.0 * earth_radius * asin(sqrt(h < 1.0 ? h : 1.0));
}

double geometry_length(const ucpo_instance_data *data, int32_t i, int32_t j)
{
    if (i == j) return 0.0;
    double dx = data->x[i] - data->x[j], dy = data->y[i] - data->y[j];
    switch (data->metric) {
    case UCPO_METRIC_MANHATTAN: return rounded(fabs(dx) + fabs(dy), data->rounding);
    case UCPO_METRIC_MAXIMUM: {
        /* TSPLIB rounds each coordinate difference; for a maximum that is the same thing */
        double ax = fabs(dx), ay = fabs(dy);
        return rounded(ax > ay ? ax : ay, data->rounding);
    }
    case UCPO_METRIC_GEO: return geo_length(data->x[i], data->y[i], data->x[j], data->y[j]);
    case UCPO_METRIC_ATT: return att_length(dx, dy);
    case UCPO_METRIC_HAVERSINE:
        return rounded(haversine_length(data->x[i], data->y[i], data->x[j], data->y[j]),
                       data->rounding);
    case UCPO_METRIC_EUCLID: break;
    }
    return rounded(sqrt(dx * dx + dy * dy), data->rounding);
}

int geometry_is_straight(const ucpo_instance_data *d)
{
    return !d->cost && d->metric == UCPO_METRIC_EUCLID &&
           (d->rounding == UCPO_ROUND_NONE || d->rounding == UCPO_ROUND_DECLARED);
}

void geometry_row(const ucpo_instance *inst, int32_t from, double *row)
{
    const ucpo_instance_data *d = &inst->data;
    if (!geometry_is_straight(d)) {
        for (int32_t j = 0; j < d->n; j++) row[j] = ucpo_instance_cost(inst, from, j);
        return;
    }
    const double *x = d->x, *y = d->y, x0 = x[from], y0 = y[from];
    for (int32_t j = 0; j < d->n; j++) {
        double dx = x0 - x[j], dy = y0 - y[j];
        row[j] = sqrt(dx * dx + dy * dy);
    }
}

double ucpo_instance_cost(const ucpo_instance *inst, int32_t from, int32_t to)
{
    if (!inst || from == to) return 0.0;
    const ucpo_instance_data *d = &inst->data;
    return d->cost ? d->cost[(size_t)from * (size_t)d->n + (size_t)to]
                   : geometry_length(d, from, to);
}

double ucpo_instance_duration(const ucpo_instance *inst, int32_t from, int32_t to)
{
    if (!inst || from == to) return 0.0;
    const ucpo_instance_data *d = &inst->data;
    if (d->duration) return d->duration[(size_t)from * (size_t)d->n + (size_t)to];
    double cost = ucpo_instance_cost(inst, from, to);
    return d->speed > 0.0 ? cost / d->speed : cost;
}

int ucpo_instance_has_way(const ucpo_instance *inst, int32_t from, int32_t to)
{
    if (!inst) return 0;
    return inst->data.no_way <= 0.0 || ucpo_instance_cost(inst, from, to) < inst->data.no_way;
}

static double side(const double *v, int32_t n)
{
    double low = v[0], high = v[0];
    for (int32_t i = 1; i < n; i++) {
        low = fmin(low, v[i]);
        high = fmax(high, v[i]);
    }
    return high - low;
}

/* Coordinates on a plane: latitude and longitude become kilometres north and east. */
struct plane {
    double scale_x, scale_y;
};

static struct plane plane_of(const ucpo_instance_data *data)
{
    if (data->metric != UCPO_METRIC_HAVERSINE) return (struct plane){1.0, 1.0};
    double low = data->x[0], high = data->x[0];
    for (int32_t i = 1; i < data->n; i++) {
        low = fmin(low, data->x[i]);
        high = fmax(high, data->x[i]);
    }
    double degree = radian * earth_radius;
    return (struct plane){degree, degree * cos(0.5 * radian * (low + high))};
}

double geometry_extent(const ucpo_instance_data *data)
{
    struct plane plane = plane_of(data);
    return fmax(plane.scale_x * side(data->x, data->n), plane.scale_y * side(data->y, data->n));
}

static double image_origin(const double *v, int32_t n, double scale, double unit)
{
    double low = v[0], high = v[0];
    for (int32_t i = 1; i < n; i++) {
        low = fmin(low, v[i]);
        high = fmax(high, v[i]);
    }
    return low < 0.0 || high * scale > unit ? low : 0.0;
}

/* Beside a matrix of metres or seconds degrees have a unit of their own. */
static double unit_of_places(const ucpo_instance_data *data)
{
    int is_apart = data->metric == UCPO_METRIC_HAVERSINE && data->cost;
    double extent = is_apart ? geometry_extent(data) : data->unit;
    return extent > 0.0 ? extent : 1.0;
}

void geometry_image(const ucpo_instance_data *data, int image, float *xy)
{
    struct plane plane = plane_of(data);
    double unit = unit_of_places(data);
    double origin_x = image_origin(data->x, data->n, plane.scale_x, unit);
    double origin_y = image_origin(data->y, data->n, plane.scale_y, unit);
    for (int32_t i = 0; i < data->n; i++) {
        float x = (float)(plane.scale_x * (data->x[i] - origin_x) / unit);
        float y = (float)(plane.scale_y * (data->y[i] - origin_y) / unit);
        float u = image & 4 ? y : x, v = image & 4 ? x : y;
        float *point = xy + 2 * (size_t)i;
        point[0] = image & 1 ? 1.0f - u : u;
        point[1] = image & 2 ? 1.0f - v : v;
    }
}

void geometry_fit(const ucpo_instance_data *data, float *xy)
{
    ucpo_instance_data fitted = *data;
    fitted.unit = fmax(data->unit, geometry_extent(data));
    geometry_image(&fitted, 0, xy);
}

void geometry_turn(const float *from, int32_t n, int image, float *xy)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        float x = from[2 * i], y = from[2 * i + 1];
        float u = image & 4 ? y : x, v = image & 4 ? x : y;
        xy[2 * i] = image & 1 ? 1.0f - u : u;
        xy[2 * i + 1] = image & 2 ? 1.0f - v : v;
    }
}
