/* What restricts plans and has no counterpart is never passed over with a warning alone. */
#include "support/text_case.h"

#include <stdio.h>
#include <string.h>

#define HEAD "NAME : x\nTYPE : TSPTW\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\n"
#define BODY                                                                                       \
    "NODE_COORD_SECTION\n1 0 0\n2 1 1\n3 2 2\nTIME_WINDOW_SECTION\n1 0 10\n2 0 10\n3 0 10\nEOF\n"

static void a_key_of_tsplib_that_restricts_was_a_warning_only(void **state)
{
    (void)state;

    static const struct {
        const char *key;
        ucpo_reading way;
    } keys[] = {{"MAX_ROUTE_TIME : 30", UCPO_READ_EASIER},  {"MAX_TRIPS : 2", UCPO_READ_EASIER},
                {"DISTANCE_LIMIT = 4", UCPO_READ_EASIER},   {"RELEASE_TIME : 3", UCPO_READ_EASIER},
                {"VEHICLE_SPEED : 30", UCPO_READ_EITHER},   {"PRIZE : 3", UCPO_READ_HARDER},
                {"MTSP_OBJECTIVE : MINMAX", UCPO_READ_COST}};

    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        char text[512];
        snprintf(text, sizeof text, HEAD "%s\n" BODY, keys[k].key);
        ucpo_read_config options = ucpo_read_config_default();
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        assert_int_equal(ucpo_read_bytes(text, strlen(text), "text", &options, &set, &err),
                         UCPO_E_UNSUPPORTED);
        options.ignore_unsupported = 1;
        set = test_read_text(text, &options);
        assert_int_equal(ucpo_instance_reading(ucpo_dataset_at(set, 0)), keys[k].way);
        ucpo_dataset_free(set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_of_tsplib_that_restricts_was_a_warning_only),
    };
    return cmocka_run_group_tests_name("left_out", tests, NULL, NULL);
}
