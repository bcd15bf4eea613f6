/* On the pages: each file has two copies, each of a header page and its data pages. A write goes to the copy that is not the newest:
 * data, sync, header, sync. The header has a check of itself and of the data, so that a copy that was not finished is none.
 *
 * header: magic 4 | generation 4 | length 4 | check of the data 4 | name 16 | check of all before 4, little-endian
 */
#include "files.h"
#include <string.h>

#define MAGIC 0x31464c46u /* "FLF1" */
#define HEADER 36
#define REMOVED 0xffffffffu

struct header {
    uint32_t generation, length, check;
    char name[FILES_NAME];
};

static uint32_t crc(uint32_t seed, const uint8_t *bytes, size_t count)
{
    uint32_t value = ~seed;
    while (count--) {
        value ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (0xedb88320u & (0u - (value & 1)));
    }
    return ~value;
}

static void put(uint8_t *to, uint32_t value)
{
    for (int at = 0; at < 4; at++)
        to[at] = (uint8_t)(value >> 8 * at);
}

static uint32_t get(const uint8_t *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static uint32_t pages_of(const struct files *files, uint32_t length)
{
    return length / files->page_bytes + (length % files->page_bytes > 0);
}

/* First page of a copy of a file. */
static uint32_t place(const struct files *files, uint32_t file, uint32_t copy)
{
    return (2 * file + copy) * (1 + pages_of(files, files->most_bytes));
}

int files_init(struct files *files, struct ftl *ftl, uint32_t page_bytes, uint32_t most_bytes, uint8_t *page)
{
    if (!files || !ftl || !page || most_bytes == 0)
        return FTL_E_ARGUMENT;
    if (page_bytes < 64)
        return FTL_E_SHAPE;
    files->ftl = ftl;
    files->page_bytes = page_bytes;
    files->most_bytes = most_bytes;
    files->page = page;
    files->count = ftl_pages(ftl) / (2 * (1 + pages_of(files, most_bytes)));
    return files->count > 0 ? FTL_OK : FTL_E_PAGES;
}

/* Reads a header: FTL_OK with generation 0 where there is none. */
static int read_header(struct files *files, uint32_t file, uint32_t copy, struct header *header)
{
    memset(header, 0, sizeof *header);
    const int done = ftl_read(files->ftl, place(files, file, copy), files->page);
    if (done != FTL_OK)
        return done;
    const uint8_t *page = files->page;
    if (get(page) != MAGIC || get(page + 32) != crc(0, page, 32))
        return FTL_OK;
    header->generation = get(page + 4);
    header->length = get(page + 8);
    header->check = get(page + 12);
    memcpy(header->name, page + 16, FILES_NAME);
    return FTL_OK;
}

/* The newest copy of a file: its number, or -1 where there is none; negative below that: a code. */
static int newest(struct files *files, uint32_t file, struct header *header)
{
    struct header copies[2];
    for (uint32_t copy = 0; copy < 2; copy++) {
        const int done = read_header(files, file, copy, &copies[copy]);
        if (done != FTL_OK)
            return done - 1;
    }
    const int which = copies[1].generation > copies[0].generation;
    *header = copies[which];
    return header->generation > 0 ? which : -1;
}

/* Finds a file, or a free place for it. Returns FTL_OK and whether it is there. */
static int find(struct files *files, const char *name, uint32_t *file, int *copy, struct header *header)
{
    uint32_t free_place = files->count;
    if (strlen(name) >= FILES_NAME)
        return FTL_E_RANGE;
    for (*file = 0; *file < files->count; ++*file) {
        *copy = newest(files, *file, header);
        if (*copy < -1)
            return *copy + 1;
        if (*copy >= 0 && header->length != REMOVED && strncmp(header->name, name, FILES_NAME) == 0)
            return FTL_OK;
        if (free_place == files->count && (*copy < 0 || header->length == REMOVED))
            free_place = *file;
    }
    *file = free_place;
    if (free_place == files->count)
        return FTL_E_FULL;
    /* A place that was used before goes on with its generations. */
    *copy = newest(files, *file, header);
    if (*copy < -1)
        return *copy + 1;
    header->length = REMOVED;
    return FTL_OK;
}

static int write_header(struct files *files, uint32_t first, const struct header *header)
{
    uint8_t *page = files->page;
    memset(page, 0, files->page_bytes);
    put(page, MAGIC);
    put(page + 4, header->generation);
    put(page + 8, header->length);
    put(page + 12, header->check);
    memcpy(page + 16, header->name, FILES_NAME);
    put(page + 32, crc(0, page, 32));
    const int done = ftl_write(files->ftl, first, page);
    return done == FTL_OK ? ftl_sync(files->ftl) : done;
}

int files_write(struct files *files, const char *name, const void *bytes, uint32_t length)
{
    struct header header;
    uint32_t file;
    int copy;
    if (length > files->most_bytes)
        return FTL_E_RANGE;
    int done = find(files, name, &file, &copy, &header);
    if (done != FTL_OK)
        return done;
    const uint32_t first = place(files, file, copy == 0 ? 1 : 0);
    const uint8_t *from = bytes;
    for (uint32_t at = 0; at < pages_of(files, length); at++) {
        const uint32_t offset = at * files->page_bytes;
        const uint32_t rest = length - offset < files->page_bytes ? length - offset : files->page_bytes;
        memset(files->page, 0, files->page_bytes);
        memcpy(files->page, from + offset, rest);
        done = ftl_write(files->ftl, first + 1 + at, files->page);
        if (done != FTL_OK)
            return done;
    }
    done = ftl_sync(files->ftl);
    if (done != FTL_OK)
        return done;
    header.generation++;
    header.length = length;
    header.check = crc(0, from, length);
    memset(header.name, 0, FILES_NAME);
    memcpy(header.name, name, strlen(name));
    return write_header(files, first, &header);
}

int files_read(struct files *files, const char *name, void *bytes, uint32_t *length)
{
    struct header header;
    uint32_t file;
    int copy;
    int done = find(files, name, &file, &copy, &header);
    if (done != FTL_OK)
        return done == FTL_E_FULL ? FTL_E_RANGE : done;
    if (copy < 0 || header.length == REMOVED || header.length > *length)
        return FTL_E_RANGE;
    const uint32_t first = place(files, file, (uint32_t)copy);
    uint8_t *to = bytes;
    for (uint32_t at = 0; at < pages_of(files, header.length); at++) {
        const uint32_t offset = at * files->page_bytes;
        const uint32_t rest = header.length - offset < files->page_bytes ? header.length - offset : files->page_bytes;
        done = ftl_read(files->ftl, first + 1 + at, files->page);
        if (done != FTL_OK)
            return done;
        memcpy(to + offset, files->page, rest);
    }
    *length = header.length;
    return crc(0, to, header.length) == header.check ? FTL_OK : FTL_E_UNREADABLE;
}

int files_remove(struct files *files, const char *name)
{
    struct header header;
    uint32_t file;
    int copy;
    const int done = find(files, name, &file, &copy, &header);
    if (done != FTL_OK)
        return done == FTL_E_FULL ? FTL_OK : done;
    if (copy < 0 || header.length == REMOVED)
        return FTL_OK;
    header.generation++;
    header.length = REMOVED;
    return write_header(files, place(files, file, copy == 0 ? 1 : 0), &header);
}
