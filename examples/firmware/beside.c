/* Dhara and the library on the same NAND model and loads: make dhara DHARA=path of a checkout of dlbeer/dhara.
 *
 *     beside SHARE LAPS   logical pages as a share of all in percent; writes that are measured, in times of the logical pages
 *
 * The part of the published figures: 1024 blocks of 64 pages of 2 KiB; read 29, program 220.9, erase 2000 us, a copy is a read and
 * a program. Reads of parts of pages and of spare areas take as long as those of pages. Each device is filled, and overwritten
 * twice before its writes are measured. */
#include "nand.h"
#include <dhara/map.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG2_PAGE 11
#define LOG2_PAGES 6
#define BLOCKS 1024u
#define PAGE (1u << LOG2_PAGE)
#define PAGES (1u << LOG2_PAGES)

/* ---- Dhara's functions on the model ---- */

struct part {
    struct dhara_nand dhara;
    struct nand *nand;
    struct ftl_driver driver;
};

static const struct part *part_of(const struct dhara_nand *dhara)
{
    return (const struct part *)(const void *)dhara;
}

static int failed(dhara_error_t *error, int code)
{
    dhara_set_error(error, code == FTL_NAND_UNCORRECTABLE ? DHARA_E_ECC : DHARA_E_BAD_BLOCK);
    return -1;
}

static int read_page(const struct part *part, dhara_page_t page, uint8_t *data)
{
    uint8_t spare[FTL_SPARE_BYTES];
    return part->driver.read(part->nand, page / PAGES, page % PAGES, data, spare);
}

int dhara_nand_is_bad(const struct dhara_nand *n, dhara_block_t b)
{
    return part_of(n)->driver.is_bad(part_of(n)->nand, b);
}

void dhara_nand_mark_bad(const struct dhara_nand *n, dhara_block_t b)
{
    part_of(n)->driver.mark_bad(part_of(n)->nand, b);
}

int dhara_nand_erase(const struct dhara_nand *n, dhara_block_t b, dhara_error_t *err)
{
    const int done = part_of(n)->driver.erase(part_of(n)->nand, b);
    return done ? failed(err, done) : 0;
}

int dhara_nand_prog(const struct dhara_nand *n, dhara_page_t p, const uint8_t *data, dhara_error_t *err)
{
    static const uint8_t spare[FTL_SPARE_BYTES];
    const int done = part_of(n)->driver.program(part_of(n)->nand, p / PAGES, p % PAGES, data, spare);
    return done ? failed(err, done) : 0;
}

int dhara_nand_is_free(const struct dhara_nand *n, dhara_page_t p)
{
    return read_page(part_of(n), p, NULL) == FTL_NAND_ERASED;
}

int dhara_nand_read(const struct dhara_nand *n, dhara_page_t p, size_t offset, size_t length, uint8_t *data, dhara_error_t *err)
{
    static uint8_t page[PAGE];
    const int done = read_page(part_of(n), p, page);
    if (done == FTL_NAND_ERASED)
        memset(page, 0xff, sizeof page);
    else if (done < 0)
        return failed(err, done);
    memcpy(data, page + offset, length);
    return 0;
}

int dhara_nand_copy(const struct dhara_nand *n, dhara_page_t src, dhara_page_t dst, dhara_error_t *err)
{
    static uint8_t page[PAGE];
    struct ftl_cost *counts = &part_of(n)->nand->counts;
    if (dhara_nand_read(n, src, 0, PAGE, page, err) || dhara_nand_prog(n, dst, page, err))
        return -1;
    /* One operation, as the library's driver has it. */
    counts->reads--;
    counts->programs--;
    counts->copies++;
    return 0;
}

/* ---- either one ---- */

struct device {
    const char *name;
    const struct ftl_scheme *scheme; /* NULL: Dhara, */
    uint8_t gc_ratio;                /* with this ratio, */
    bool syncs;                      /* and a sync after each write */
    struct nand nand;
    struct part part;
    struct dhara_map map;
    struct ftl *ftl;
    void *memory;
    uint64_t ram;
    double bound_us;
    uint32_t most;
};

static int start(struct device *device, uint32_t pages)
{
    if (!nand_init(&device->nand, BLOCKS, PAGES, PAGE))
        return -1;
    device->part = (struct part){{LOG2_PAGE, LOG2_PAGES, BLOCKS}, &device->nand, nand_driver(&device->nand, true)};
    if (!device->scheme) {
        device->memory = malloc(PAGE);
        dhara_map_init(&device->map, &device->part.dhara, device->memory, device->gc_ratio);
        dhara_map_resume(&device->map, NULL);
        device->most = dhara_map_capacity(&device->map);
        device->ram = sizeof device->map + PAGE;
        return 0;
    }
    struct ftl_config config = {
        .scheme = device->scheme, .driver = device->part.driver, .blocks = BLOCKS, .pages_per_block = PAGES, .page_bytes = PAGE,
        .pages = pages, .read_ns = device->nand.times[0], .read_spare_ns = device->nand.times[1],
        .program_ns = device->nand.times[2], .erase_ns = device->nand.times[3],
    };
    size_t bytes;
    struct ftl_bounds bounds;
    int done = ftl_memory_needed(&config, &bytes);
    if (done == FTL_OK)
        done = ftl_bounds(&config, &bounds);
    if (done == FTL_OK && !(device->memory = malloc(bytes)))
        done = FTL_E_MEMORY;
    if (done == FTL_OK)
        done = ftl_format(&config, device->memory, bytes);
    if (done == FTL_OK)
        done = ftl_mount(&config, device->memory, bytes, &device->ftl);
    device->ram = bytes;
    device->bound_us = done == FTL_OK ? (double)bounds.write.time_ns / 1000 : 0;
    device->most = done == FTL_OK ? bounds.pages : 0;
    return done == FTL_OK ? 0 : -1;
}

static int write_one(struct device *device, uint32_t page, const uint8_t *data)
{
    if (device->ftl)
        return ftl_write(device->ftl, page, data);
    dhara_error_t error;
    const int done = dhara_map_write(&device->map, page, data, &error);
    return done || !device->syncs ? done : dhara_map_sync(&device->map, &error);
}

static int read_one(struct device *device, uint32_t page, uint8_t *data)
{
    return device->ftl ? ftl_read(device->ftl, page, data) : dhara_map_read(&device->map, page, data, NULL);
}

static uint64_t random_state;

static uint32_t below(uint32_t most)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % most);
}

static uint64_t operations(const struct ftl_cost *cost)
{
    return cost->reads + cost->spare_reads + cost->programs + cost->copies + cost->erases;
}

static int compare(struct device *device, bool skewed, uint32_t pages, uint32_t laps)
{
    static uint8_t data[PAGE], read[PAGE];
    uint64_t longest_ns = 0, longest_operations = 0, time_ns = 0, flash = 0, erases = 0;
    uint32_t *versions = calloc(pages, sizeof *versions);
    int done = start(device, pages);
    random_state = 1;
    if (done || !versions || device->most < pages) {
        printf("%-26s %-8s exports %" PRIu32 " pages at most\n", device->name, skewed ? "skewed" : "uniform", device->most);
        done = 0;
        goto end;
    }
    const uint64_t before = 3 * (uint64_t)pages, writes = (uint64_t)laps * pages;
    for (uint64_t write = 0; write < before + writes; write++) {
        const uint32_t page = write < pages ? (uint32_t)write : skewed && below(10) ? below(pages / 10) : below(pages);
        memcpy(data, &write, sizeof write);
        nand_counts_reset(&device->nand);
        versions[page] = (uint32_t)write;
        if ((done = write_one(device, page, data)) || device->nand.broken)
            break;
        if (write < before)
            continue;
        const struct ftl_cost *cost = &device->nand.counts;
        time_ns += cost->time_ns;
        flash += cost->programs + cost->copies;
        erases += cost->erases;
        longest_ns = cost->time_ns > longest_ns ? cost->time_ns : longest_ns;
        longest_operations = operations(cost) > longest_operations ? operations(cost) : longest_operations;
    }
    uint64_t lookups = 0;
    const uint32_t reads = 20000;
    for (uint32_t at = 0; !done && at < reads; at++) {
        const uint32_t page = below(pages);
        uint64_t version = 0;
        nand_counts_reset(&device->nand);
        done = read_one(device, page, read);
        memcpy(&version, read, sizeof version);
        lookups += operations(&device->nand.counts);
        if (!done && version != versions[page])
            done = -1;
    }
    if (done || device->nand.broken) {
        printf("%s: failed (%d, %s)\n", device->name, done, device->nand.broken ? device->nand.broken : "");
        done = 1;
        goto end;
    }
    char bound[32] = "none";
    if (device->bound_us > 0)
        snprintf(bound, sizeof bound, "%.1f", device->bound_us);
    printf("%-26s %-8s %6.2f %9" PRIu64 " %9.1f %9.1f %6" PRIu64 " %9s %6.2f %9" PRIu64 "\n", device->name,
           skewed ? "skewed" : "uniform", (double)flash / (double)writes, erases, (double)time_ns / (double)writes / 1000,
           (double)longest_ns / 1000, longest_operations, bound, (double)lookups / reads, device->ram);
end:
    free(versions);
    free(device->memory);
    nand_free(&device->nand);
    device->ftl = NULL;
    return done;
}

int main(int count, char **arguments)
{
    const uint32_t share = count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : 70;
    const uint32_t laps = count > 2 ? (uint32_t)strtoul(arguments[2], NULL, 10) : 4;
    static struct device devices[] = {
        {.name = "Dhara, gc ratio 1", .gc_ratio = 1},
        {.name = "Dhara, gc ratio 4", .gc_ratio = 4},
        {.name = "Dhara, gc ratio 8", .gc_ratio = 8},
        {.name = "Dhara, ratio 8, syncs", .gc_ratio = 8, .syncs = true},
        {.name = "page-level", .scheme = &ftl_scheme_page_level},
        {.name = "fsr", .scheme = &ftl_scheme_fsr},
        {.name = "lazy-rtgc", .scheme = &ftl_scheme_lazy_rtgc},
        {.name = "lazy-rtgc-on-demand", .scheme = &ftl_scheme_lazy_rtgc_on_demand},
        {.name = "gftl", .scheme = &ftl_scheme_gftl},
    };
    const uint32_t pages = (uint32_t)((uint64_t)BLOCKS * PAGES * share / 100);
    int worst = 0;
    printf("%" PRIu32 " %% of %u pages exported, %" PRIu32 " laps measured\n", share, BLOCKS * PAGES, laps);
    printf("                           load        WAF    erases   mean us   longest    ops     bound  reads     RAM B\n");
    for (int skewed = 0; skewed < 2; skewed++)
        for (size_t at = 0; at < sizeof devices / sizeof *devices; at++) {
            const int done = compare(&devices[at], skewed, pages, laps);
            worst = done ? 1 : worst;
        }
    return worst;
}
