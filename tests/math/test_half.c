/* Halves against their definition: all 65536 of them, and every boundary between two neighbours. */
#include "math/half.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The value of a half by the book. */
static double by_definition(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double sign = half & 0x8000 ? -1.0 : 1.0;
    if (exponent == 31) return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0) return sign * ldexp(fraction, -24);
    return sign * ldexp(1024 + fraction, exponent - 25);
}

static int is_nan(uint16_t half)
{
    return (half & 0x7FFF) > 0x7C00;
}

static void every_half_has_its_value_and_comes_back(void **state)
{
    (void)state;
    for (uint32_t h = 0; h <= 0xFFFF; h++) {
        uint16_t half = (uint16_t)h;
        float value = half_to_float(half);
        if (is_nan(half)) {
            assert_true(isnan(value));
            assert_int_equal(half_from_float(value), half | 0x200); /* sign and payload kept */
            continue;
        }
        assert_true((double)value == by_definition(half));
        assert_int_equal(signbit(value) != 0, half >> 15);
        assert_int_equal(half_from_float(value), half);
    }
}

/* Between neighbours a < b lies a middle, which is a float: it goes to the even one, the floats
 * next to it to the near one. Covers normal numbers, subnormals, the step between them and zero. */
static void many_at_once_are_the_same_as_one_by_one(void **state)
{
    (void)state;

    enum { ALL = 65536 };

    static unsigned char bytes[2 * ALL];
    static float out[ALL];
    for (size_t h = 0; h < ALL; h++) bytes[2 * h] = h & 0xFF, bytes[2 * h + 1] = (h >> 8) & 0xFF;
    half_to_floats(bytes, ALL, out);
    for (size_t h = 0; h < ALL; h++) {
        float one = half_to_float((uint16_t)h);
        if (isnan(one))
            assert_true(isnan(out[h]));
        else
            assert_memory_equal(&one, &out[h], sizeof one);
    }
}

static void between_two_halves_the_nearer_is_taken_and_ties_go_to_even(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 0x7BFF; h++) {
        uint16_t a = (uint16_t)h, b = (uint16_t)(h + 1), even = a & 1 ? b : a;
        double exact = (by_definition(a) + by_definition(b)) / 2.0;
        float middle = (float)exact;
        assert_true((double)middle == exact);
        assert_int_equal(half_from_float(middle), even);
        assert_int_equal(half_from_float(nextafterf(middle, 0.0f)), a);
        assert_int_equal(half_from_float(nextafterf(middle, INFINITY)), b);
        assert_int_equal(half_from_float(-middle), even | 0x8000);
        assert_int_equal(half_from_float(nextafterf(-middle, 0.0f)), a | 0x8000);
    }
}

static void known_cases(void **state)
{
    (void)state;

    static const struct {
        uint32_t bits;
        uint16_t half;
    } cases[] = {
        {0x00000000, 0x0000}, /* 0 */
        {0x80000000, 0x8000}, /* -0 */
        {0x3F800000, 0x3C00}, /* 1 */
        {0xC0000000, 0xC000}, /* -2 */
        {0x3DCCCCCD, 0x2E66}, /* 0.1 */
        {0x477FE000, 0x7BFF}, /* 65504, the largest */
        {0x477FEFFF, 0x7BFF}, /* just below 65520 */
        {0x477FF000, 0x7C00}, /* 65520: tie between 65504 (odd) and infinity */
        {0xC77FF000, 0xFC00}, /* -65520 */
        {0x7F7FFFFF, 0x7C00}, /* the largest float */
        {0x38800000, 0x0400}, /* 2^-14, the smallest normal */
        {0x387FC000, 0x03FF}, /* the largest subnormal */
        {0x387FE000, 0x0400}, /* tie between the two */
        {0x33800000, 0x0001}, /* 2^-24, the smallest subnormal */
        {0x33000000, 0x0000}, /* 2^-25: tie, to even */
        {0x33000001, 0x0001}, /* just above the tie */
        {0xB3000000, 0x8000}, /* -2^-25 */
        {0x32FFFFFF, 0x0000}, /* below the tie */
        {0x00000001, 0x0000}, /* the smallest float */
        {0x807FFFFF, 0x8000}, /* a subnormal float */
        {0x7F800000, 0x7C00}, /* infinity */
        {0xFF800000, 0xFC00}, /* -infinity */
        {0x7FC00000, 0x7E00}, /* NaN */
        {0xFF800001, 0xFE00}, /* NaN whose payload lies below a half's: must not become infinity */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(half_from_float(float_of_bits(cases[i].bits)), cases[i].half);
}

/* A coarse walk over all floats: never away from the value by more than half a step. */
static void floats_everywhere_round_to_the_nearest(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x47800000; bits += 4099) {
        float value = float_of_bits(bits);
        double exact = (double)value;
        uint16_t half = half_from_float(value);
        if (half == 0x7C00) {
            assert_true(exact >= 65520.0);
            continue;
        }
        double error = fabs(by_definition(half) - exact);
        if (half < 0x7BFF) assert_true(error <= fabs(by_definition((uint16_t)(half + 1)) - exact));
        if (half > 0) assert_true(error <= fabs(by_definition((uint16_t)(half - 1)) - exact));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_has_its_value_and_comes_back),
        cmocka_unit_test(many_at_once_are_the_same_as_one_by_one),
        cmocka_unit_test(between_two_halves_the_nearer_is_taken_and_ties_go_to_even),
        cmocka_unit_test(known_cases),
        cmocka_unit_test(floats_everywhere_round_to_the_nearest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
