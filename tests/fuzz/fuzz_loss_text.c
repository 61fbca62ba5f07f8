/* Settings of the loss as text: never a crash, and what is read comes back the same. */
#include "ucpo.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1), first[1024], second[1024];
    ucpo_loss_config config, again;
    ucpo_error err = {0};
    if (!text) return 0;
    if (size > 0) memcpy(text, bytes, size);
    text[size] = '\0';
    if (ucpo_loss_parse(text, &config, &err) == UCPO_OK) {
        if (ucpo_loss_config_text(&config, first, sizeof first) >= sizeof first) abort();
        if (ucpo_loss_parse(first, &again, &err) != UCPO_OK) abort();
        ucpo_loss_config_text(&again, second, sizeof second);
        if (strcmp(first, second) != 0) abort();
    } else if (err.text[0] == '\0') {
        abort(); /* refused without a word */
    }
    free(text);
    return 0;
}
