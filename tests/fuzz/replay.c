/* Replays files and folders through a fuzz target without a fuzzer. Exit 1 if nothing was replayed.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return 0;
    struct stat info;
    if (fstat(fileno(f), &info) != 0) return fclose(f), 0;
    size_t size = (size_t)info.st_size;
    uint8_t *data = malloc(size ? size : 1);
    size_t got = data ? fread(data, 1, size, f) : 0;
    fclose(f);
    LLVMFuzzerTestOneInput(data, got);
    /* every prefix up to 4 kB, then a few longer ones: truncated copies must be errors, not hangs
     */
    for (size_t cut = 0; cut < got; cut += got < 4096 ? 1 : got / 64) {
        uint8_t *copy = malloc(cut ? cut : 1); /* exact size so that asan sees an overrun */
        for (size_t i = 0; i < cut; i++) copy[i] = data[i];
        LLVMFuzzerTestOneInput(copy, cut);
        free(copy);
    }
    free(data);
    return 1;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        if (!dir) {
            count += replay_file(argv[i]);
            continue;
        }
        for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
            if (entry->d_name[0] == '.') continue;
            char path[1024];
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            count += replay_file(path);
        }
        closedir(dir);
    }
    printf("replayed %d files with all their prefixes\n", count);
    return count > 0 ? 0 : 1;
}
