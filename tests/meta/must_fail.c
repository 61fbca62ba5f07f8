/* Fails on purpose. CTest expects that; if this ever passes, no other test can be trusted. */
#include "support/support.h"

static void two_and_two_is_five(void **state)
{
    (void)state;
    assert_close(2.0 + 2.0, 5.0, 0.0, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_and_two_is_five)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
