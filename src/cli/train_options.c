#include "cli/train.h"

#include <string.h>

static struct opt_spec specs[TRAIN_KEYS], warm_specs[TRAIN_KEYS];

struct opt_group train_groups[TRAIN_GROUPS], warm_groups[TRAIN_GROUPS];

static char letter_of(const char *name)
{
    static const struct {
        const char *name;
        char letter;
    } letters[] = {{"size", 'n'}, {"level", 'l'}, {"seed", 's'}, {"threads", 'j'}};

    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (strcmp(letters[i].name, name) == 0) return letters[i].letter;
    return 0;
}

/* Keys with which a group begins, in the order of the library's table. */
static const char *const first_key[TRAIN_GROUPS] = {"size", "protocol", "network", "seed"};
static const char *const titles[TRAIN_GROUPS] = {"What to learn from", "How to learn", "Network",
                                                 "Run"};

static int is_operand(const char *name)
{
    return strcmp(name, "problem") == 0 || strcmp(name, "start") == 0;
}

static int is_of_model(const char *name)
{
    return strcmp(name, "size") == 0 || strcmp(name, "level") == 0 || strcmp(name, "mask") == 0;
}

static void set_up(struct opt_spec *to, struct opt_group *groups, int is_warm)
{
    int group = -1;
    for (size_t i = 0; i < TRAIN_KEYS; i++) {
        ucpo_train_key key = ucpo_train_key_at(i);
        if (!key.name) break;
        if (is_warm && is_of_model(key.name)) key.preset = "the model's";
        to[i] = (struct opt_spec){.name = key.name,
                                  .kind = OPT_TEXT,
                                  .letter = letter_of(key.name),
                                  .old_letter = letter_of(key.name) == 'j' ? 't' : '\0',
                                  .offset = i * sizeof(char *),
                                  .value = key.words ? "WORD" : "X",
                                  .help = key.help,
                                  .words = key.words,
                                  .preset = key.preset[0] ? key.preset : NULL,
                                  .is_hidden = is_operand(key.name)};
        if (group + 1 < TRAIN_GROUPS && strcmp(key.name, first_key[group + 1]) == 0) {
            group++;
            groups[group] = (struct opt_group){titles[group], &to[i], 0};
        }
        if (group >= 0 && !is_operand(key.name)) groups[group].count++;
    }
}

void train_options_setup(void)
{
    set_up(specs, train_groups, 0);
    set_up(warm_specs, warm_groups, 1);
}

int train_options_apply(const struct command *command, const struct opt_parsed *parsed,
                        const struct train_settings *settings, ucpo_train_config *config)
{
    for (size_t i = 0; i < TRAIN_KEYS && ucpo_train_key_at(i).name; i++) {
        const char *name = ucpo_train_key_at(i).name;
        ucpo_error err = {0};
        if (is_operand(name) || !opt_is_given(parsed, name)) continue;
        if (ucpo_train_config_set(config, name, settings->value[i], &err))
            return usage_error(command, "--%s", err.text);
    }
    return EXIT_DONE;
}
