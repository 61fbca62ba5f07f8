#include "io/zip.h"

#include "io/io.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sizes of the fixed parts, and where their fields stand. */
enum {
    END_SIZE = 22,
    END_COUNT = 10,
    END_LENGTH = 12,
    END_PLACE = 16,
    END_COMMENT = 20,
    DIRECTORY_SIZE = 46,
    LOCAL_SIZE = 30,
    MAX_COMMENT = 65535
};

struct archive {
    const unsigned char *bytes;
    size_t size;
    const char *label;
    ucpo_error *err;
};

static ucpo_status damaged(const struct archive *a, const char *what)
{
    return status_format(a->err, a->label, 0, "zip archive: %s", what);
}

static ucpo_status unsupported(const struct archive *a, const char *what)
{
    return status_fail_at(a->err, UCPO_E_UNSUPPORTED, a->label, 0, "zip archive: %s", what);
}

static uint32_t number(const unsigned char *at, size_t bytes)
{
    return (uint32_t)io_little(at, bytes);
}

static int is_mark(const unsigned char *at, unsigned char third, unsigned char fourth)
{
    return at[0] == 'P' && at[1] == 'K' && at[2] == third && at[3] == fourth;
}

static int zip_detect(const char *bytes, size_t size)
{
    return size >= 4 && bytes && is_mark((const unsigned char *)bytes, 3, 4);
}

/* ---- checksums ---- */

static void fill_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
}

static uint32_t crc(const uint32_t table[256], const unsigned char *at, size_t size)
{
    uint32_t c = 0xffffffffu;
    for (size_t i = 0; i < size; i++) c = table[(c ^ at[i]) & 0xff] ^ (c >> 8);
    return ~c;
}

/* ---- reading ---- */

/* The record at the end that says where the directory is; a comment may follow it. */
static const unsigned char *find_end(const struct archive *a)
{
    if (a->size < END_SIZE) return NULL;
    size_t lowest = a->size > END_SIZE + MAX_COMMENT ? a->size - END_SIZE - MAX_COMMENT : 0;
    for (size_t at = a->size - END_SIZE + 1; at-- > lowest;) {
        const unsigned char *end = a->bytes + at;
        if (is_mark(end, 5, 6) && number(end + END_COMMENT, 2) == a->size - at - END_SIZE)
            return end;
    }
    return NULL;
}

/* Where the content of a file begins: behind its own header, which has a name and extra bytes. */
static ucpo_status find_content(const struct archive *a, size_t place, struct zip_entry *entry)
{
    if (place > a->size || a->size - place < LOCAL_SIZE) return damaged(a, "a file is cut short");
    const unsigned char *local = a->bytes + place;
    if (!is_mark(local, 3, 4)) return damaged(a, "a file is not where the directory says");
    size_t skip = LOCAL_SIZE + (size_t)number(local + 26, 2) + number(local + 28, 2);
    if (a->size - place < skip || a->size - place - skip < entry->size)
        return damaged(a, "a file is cut short");
    entry->data = (const char *)local + skip;
    return UCPO_OK;
}

static ucpo_status read_entry(const struct archive *a, const unsigned char *at,
                              const uint32_t table[256], struct zip_entry *entry)
{
    uint32_t packed = number(at + 20, 4), size = number(at + 24, 4), place = number(at + 42, 4);
    if (number(at + 8, 2) & 1) return unsupported(a, "it is encrypted");
    if (number(at + 10, 2) != 0) return unsupported(a, "it is compressed, expected stored files");
    if (size == UINT32_MAX || place == UINT32_MAX) return unsupported(a, "it is larger than 4 GB");
    if (packed != size) return damaged(a, "a stored file has two sizes");
    entry->size = size;
    ucpo_status st = find_content(a, place, entry);
    if (st) return st;
    if (crc(table, (const unsigned char *)entry->data, entry->size) != number(at + 16, 4))
        return damaged(a, "a checksum does not fit: the file is damaged");
    return UCPO_OK;
}

/* `room`: bytes of the directory. */
static ucpo_status read_directory(const struct archive *a, const unsigned char *at, size_t room,
                                  struct zip *zip)
{
    uint32_t table[256];
    size_t total = 0; /* files may not overlap: together they are not larger than the archive */
    fill_table(table);
    for (size_t i = 0; i < zip->count; i++) {
        if (room < DIRECTORY_SIZE || !is_mark(at, 1, 2))
            return damaged(a, "the directory is cut short");
        struct zip_entry *entry = &zip->entry[i];
        size_t whole =
            DIRECTORY_SIZE + (size_t)number(at + 28, 2) + number(at + 30, 2) + number(at + 32, 2);
        if (room < whole) return damaged(a, "the directory is cut short");
        if (number(at + 20, 4) > a->size - total) return damaged(a, "files overlap");
        total += number(at + 20, 4);
        entry->name = (const char *)at + DIRECTORY_SIZE;
        entry->name_length = number(at + 28, 2);
        ucpo_status st = read_entry(a, at, table, entry);
        if (st) return st;
        at += whole;
        room -= whole;
    }
    return UCPO_OK;
}

ucpo_status zip_read(const char *bytes, size_t size, const char *label, struct zip *out,
                     ucpo_error *err)
{
    struct archive a = {(const unsigned char *)bytes, size, label, err};
    const unsigned char *end = zip_detect(bytes, size) ? find_end(&a) : NULL;
    if (!end) return damaged(&a, "its end is missing: the file is cut short or no archive");
    struct zip zip = {.count = number(end + END_COUNT, 2)};
    size_t length = number(end + END_LENGTH, 4), place = number(end + END_PLACE, 4);
    if (zip.count == 65535 || place == UINT32_MAX) return unsupported(&a, "it is larger than 4 GB");
    size_t before = (size_t)(end - a.bytes);
    if (place > before || before - place < length) return damaged(&a, "the directory is cut short");
    zip.entry = calloc(zip.count ? zip.count : 1, sizeof *zip.entry);
    if (!zip.entry) return status_no_memory(err, zip.count * sizeof *zip.entry);
    ucpo_status st = read_directory(&a, a.bytes + place, length, &zip);
    if (st) {
        zip_free(&zip);
        return st;
    }
    *out = zip;
    return UCPO_OK;
}

void zip_free(struct zip *zip)
{
    free(zip->entry);
    *zip = (struct zip){0};
}

const struct zip_entry *zip_find(const struct zip *zip, const char *folder, size_t folder_length,
                                 const char *name, size_t name_length)
{
    for (size_t i = 0; i < zip->count; i++) {
        const struct zip_entry *e = &zip->entry[i];
        if (e->name_length == folder_length + name_length &&
            memcmp(e->name, folder, folder_length) == 0 &&
            memcmp(e->name + folder_length, name, name_length) == 0)
            return e;
    }
    return NULL;
}
