/* CSV of stops: no input may crash; what was read can be written as JSON and reads back the same. */
#include "round_trip.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void exercise(const uint8_t *data, size_t size, const char *format, double capacity)
{
    ucpo_read_config options = ucpo_read_config_default();
    ucpo_write_config how = ucpo_write_config_default();
    ucpo_dataset *set = NULL, *again = NULL;
    ucpo_error err;
    char *text = NULL;
    size_t length = 0;
    options.format = format;
    options.capacity = capacity;
    if (ucpo_read_bytes(data, size, "fuzz.csv", &options, &set, &err) != UCPO_OK) {
        require(err.text[0] != '\0');
        return;
    }
    how.format = "json";
    require(ucpo_write_bytes(set, &how, &text, &length, &err) == UCPO_OK);
    require(ucpo_read_bytes(text, length, "written", NULL, &again, &err) == UCPO_OK);
    require_same(ucpo_instance_view(ucpo_dataset_at(set, 0)),
                 ucpo_instance_view(ucpo_dataset_at(again, 0)));
    ucpo_bytes_free(text);
    ucpo_dataset_free(set);
    ucpo_dataset_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    exercise(data, size, "csv", 10.0);
    exercise(data, size, NULL, 0.0);
    return 0;
}
