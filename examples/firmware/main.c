/* The library on a NAND model in RAM.
 *
 *     firmware demo             files on each scheme, and what they cost
 *     firmware cuts RUNS        a power cut at every change of the array of RUNS workloads, clean and torn
 *     firmware soak WRITES      every call beside its bound: WRITES writes of each scheme and load
 *     firmware fuzz CALLS SEED  random calls on random arrays whose drivers fail, lie and lose their power
 *     firmware memory           bytes of arenas: asked for, used by mounts, kept
 *     firmware preempt          calls of instances whose part fails within mounts of others
 *     firmware stack            bytes of stack that each call needs, with the model's driver
 *     firmware ram              bytes of arenas for arrays of 16 MiB to 8 GiB
 */
#define _XOPEN_SOURCE 700
#include "files.h"
#include "nand.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef BARE
#include <ucontext.h>
#endif

struct named {
    const char *name;
    const struct ftl_scheme *scheme;
};

static const struct named SCHEMES[] = {
    {"page-level", &ftl_scheme_page_level},
    {"fsr", &ftl_scheme_fsr},
    {"lazy-rtgc", &ftl_scheme_lazy_rtgc},
    {"lazy-rtgc-on-demand", &ftl_scheme_lazy_rtgc_on_demand},
    {"gftl", &ftl_scheme_gftl},
};
#define SCHEMES_COUNT (sizeof SCHEMES / sizeof *SCHEMES)
#define GFTL 4

static uint64_t random_state = 1;

static uint32_t below(uint32_t most)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % most);
}

static struct ftl_config config_of(struct nand *nand, const struct ftl_scheme *scheme, bool copies, uint32_t spare_blocks)
{
    const struct ftl_config config = {
        .scheme = scheme,
        .driver = nand_driver(nand, copies),
        .blocks = nand->blocks,
        .pages_per_block = nand->pages_per_block,
        .page_bytes = nand->page_bytes,
        .spare_blocks = spare_blocks,
        .read_ns = nand->times[0],
        .read_spare_ns = nand->times[1],
        .program_ns = nand->times[2],
        .erase_ns = nand->times[3],
    };
    return config;
}

static int failed(const char *what, int code)
{
    fprintf(stderr, "%s: %s (%d)\n", what, ftl_error_text(code), code);
    return 1;
}

/* An array with an arena of exactly as many bytes as are asked for. */
struct device {
    struct nand nand;
    struct ftl_config config;
    void *arena;
    size_t bytes;
    struct ftl *ftl;
};

static int device_init(struct device *device, const struct ftl_scheme *scheme, const uint32_t shape[3], bool copies,
                       uint32_t spare_blocks)
{
    memset(device, 0, sizeof *device);
    if (!nand_init(&device->nand, shape[0], shape[1], shape[2]))
        return FTL_E_MEMORY;
    device->config = config_of(&device->nand, scheme, copies, spare_blocks);
    device->config.refresh_bits = 2; /* a third of the model's pages are read so */
    int done = ftl_memory_needed(&device->config, &device->bytes);
    if (done == FTL_OK && !(device->arena = malloc(device->bytes)))
        done = FTL_E_MEMORY;
    if (done == FTL_OK)
        done = ftl_format(&device->config, device->arena, device->bytes);
    return done == FTL_OK ? ftl_mount(&device->config, device->arena, device->bytes, &device->ftl) : done;
}

static void device_free(struct device *device)
{
    free(device->arena);
    nand_free(&device->nand);
}

static bool within(const struct ftl_cost *cost, const struct ftl_cost *bound)
{
    return cost->reads <= bound->reads && cost->spare_reads <= bound->spare_reads && cost->programs <= bound->programs &&
           cost->copies <= bound->copies && cost->erases <= bound->erases && cost->time_ns <= bound->time_ns;
}

/* Shuts down, and mounts again: both within their bounds. */
static int restart(struct device *device, bool saves)
{
    struct ftl_bounds bounds;
    size_t bytes = 0;
    uint32_t sealed = 2;
    int done = ftl_bounds(&device->config, &bounds);
    if (done == FTL_OK)
        done = ftl_shutdown_memory(&device->config, &bytes);
    void *scratch = saves ? malloc(bytes ? bytes : 1) : NULL;
    nand_counts_reset(&device->nand);
    if (done == FTL_OK)
        done = ftl_shutdown(device->ftl, scratch, bytes, &sealed);
    free(scratch);
    if (done != FTL_OK)
        return done;
    const bool shut = within(&device->nand.counts, &bounds.shutdown);
    nand_counts_reset(&device->nand);
    done = ftl_mount(&device->config, device->arena, device->bytes, &device->ftl);
    if (done == FTL_OK && (!shut || sealed > 1 || !within(&device->nand.counts, sealed ? &bounds.clean_mount : &bounds.mount))) {
        fprintf(stderr, "a shutdown or the mount after it beyond its bound\n");
        return FTL_E_DRIVER;
    }
    return done;
}

/* Mounts with a configuration that differs in one thing, which must be refused, and change nothing, where there is something. */
static bool is_refused(struct device *device, uint32_t pages, uint32_t what)
{
    const struct ftl_config *right = &device->config;
    struct ftl_config wrong = *right;
    struct nand *nand = &device->nand;
    struct ftl *ftl;
    switch (what % 8) {
    case 0: wrong.pages_per_block--; break;
    case 1: wrong.pages_per_block /= 2; break;
    case 2: wrong.spare_blocks++; break;
    case 3: wrong.spare_blocks--; break;
    case 4: wrong.page_bytes /= 2; break;
    case 5: wrong.blocks--; break;
    case 6: wrong.pages = pages > 1 ? pages - 1 : 2; break; /* 0 is the most */
    default: wrong.scheme = SCHEMES[what / 8 % SCHEMES_COUNT].scheme; break;
    }
    /* Blocks beyond the configuration are nobody's. */
    bool has_pages = false;
    for (uint32_t block = 0; block < wrong.blocks; block++)
        has_pages |= !nand->bad[block] && nand->next[block] > 0 && !nand->torn[(size_t)block * nand->pages_per_block];
    size_t bytes = 0;
    if (!has_pages || (what % 8 == 7 && wrong.scheme == right->scheme) || ftl_memory_needed(&wrong, &bytes) != FTL_OK)
        return true;
    const uint64_t changes = nand->changes;
    void *arena = malloc(bytes);
    const int done = ftl_mount(&wrong, arena, bytes, &ftl);
    free(arena);
    return done == FTL_E_FORMAT && nand->changes == changes;
}

/* ---- files ---- */

static int demo(void)
{
    static const uint32_t shape[3] = {64, 16, 512};
    for (size_t at = 0; at < SCHEMES_COUNT; at++) {
        struct device device;
        _Alignas(16) uint8_t page[512];
        uint8_t text[2000];
        struct files files;
        int done = device_init(&device, SCHEMES[at].scheme, shape, false, 2);
        device.nand.aligned = true;
        if (done == FTL_OK)
            done = files_init(&files, device.ftl, 512, sizeof text, page);
        for (uint32_t round = 0; done == FTL_OK && round < 400; round++) {
            char name[FILES_NAME];
            snprintf(name, sizeof name, "log-%" PRIu32, round % 20);
            memset(text, 'a' + (int)(round % 26), sizeof text);
            done = files_write(&files, name, text, 1 + round * 37 % sizeof text);
        }
        uint32_t length = sizeof text;
        if (done == FTL_OK)
            done = files_read(&files, "log-19", text, &length);
        if (done == FTL_OK && (length != 1 + 399 * 37 % sizeof text || text[length - 1] != 'a' + 399 % 26))
            done = FTL_E_UNREADABLE;
        if (done == FTL_OK)
            done = files_remove(&files, "log-19");
        length = sizeof text;
        if (done == FTL_OK && files_read(&files, "log-19", text, &length) != FTL_E_RANGE)
            done = FTL_E_RANGE;
        struct ftl_stats stats;
        struct ftl_bounds bounds;
        if (done == FTL_OK)
            done = ftl_stats(device.ftl, &stats);
        if (done == FTL_OK)
            done = ftl_bounds(&device.config, &bounds);
        if (done != FTL_OK)
            return failed(SCHEMES[at].name, done);
        printf("%-20s %5" PRIu64 " page writes, longest %8.1f us of at most %8.1f us; %" PRIu64 " erases\n",
               SCHEMES[at].name, stats.writes, (double)stats.worst_write.time_ns / 1000,
               (double)bounds.write.time_ns / 1000, stats.total.erases);
        device_free(&device);
    }
    return 0;
}

/* ---- power cuts ---- */

#define CUT_FILES 6
#define CUT_BYTES 300

static const uint32_t CUT_SHAPE[3] = {32, 8, 128};

/* Versions of the files: the last that a write made durable, and the last that one began. */
struct versions {
    uint32_t durable[CUT_FILES], begun[CUT_FILES];
};

static uint32_t content(uint32_t file, uint32_t version, uint8_t *bytes)
{
    const uint32_t length = 1 + (file * 131 + version * 57) % CUT_BYTES;
    for (uint32_t at = 0; at < length; at++)
        bytes[at] = (uint8_t)(file * 7 + version * 13 + at);
    return length;
}

static void name_of(uint32_t file, char *name)
{
    snprintf(name, FILES_NAME, "file-%" PRIu32, file);
}

static int write_file(struct files *files, struct versions *versions, uint32_t file)
{
    uint8_t bytes[CUT_BYTES];
    char name[FILES_NAME];
    const uint32_t length = content(file, ++versions->begun[file], bytes);
    name_of(file, name);
    const int done = files_write(files, name, bytes, length);
    if (done == FTL_OK)
        versions->durable[file] = versions->begun[file];
    return done;
}

/* Every file is what its last finished write made it, or what one that began later made of it. */
static int check_files(struct files *files, struct versions *versions)
{
    for (uint32_t file = 0; file < CUT_FILES; file++) {
        uint8_t bytes[CUT_BYTES], wanted[CUT_BYTES];
        char name[FILES_NAME];
        uint32_t length = sizeof bytes;
        name_of(file, name);
        const int done = files_read(files, name, bytes, &length);
        if (done == FTL_E_RANGE && versions->durable[file] == 0)
            continue;
        if (done != FTL_OK)
            return done;
        uint32_t version = versions->durable[file];
        while (version <= versions->begun[file] &&
               (content(file, version, wanted) != length || memcmp(bytes, wanted, length) != 0))
            version++;
        if (version > versions->begun[file] || version == 0)
            return FTL_E_UNREADABLE;
        versions->durable[file] = version;
    }
    return FTL_OK;
}

static int mount_files(struct device *device, struct files *files, uint8_t *page)
{
    const int done = ftl_mount(&device->config, device->arena, device->bytes, &device->ftl);
    return done == FTL_OK ? files_init(files, device->ftl, CUT_SHAPE[2], CUT_BYTES, page) : done;
}

/* The workload of a run: files, trims of pages beyond them, idle time, shutdowns. */
static int work(struct device *device, struct files *files, struct versions *versions, uint64_t seed, uint8_t *page)
{
    int done = FTL_OK;
    random_state = seed;
    for (uint32_t step = 0; done == FTL_OK && step < 12; step++) {
        const uint32_t what = below(16);
        if (what == 0) {
            done = ftl_idle(device->ftl, 20000000);
            done = done == FTL_MORE ? FTL_OK : done;
        } else if (what == 1) {
            done = restart(device, true);
            if (done == FTL_OK)
                done = files_init(files, device->ftl, CUT_SHAPE[2], CUT_BYTES, page);
        } else {
            done = write_file(files, versions, below(CUT_FILES));
        }
    }
    return done;
}

static int cuts(uint32_t runs)
{
    uint64_t mounts = 0, all = 0, in_mounts = 0;
    for (size_t at = 0; at < SCHEMES_COUNT; at++) {
        struct nand before;
        struct ftl_bounds bounds;
        uint64_t of_scheme = 0;
        if (!nand_init(&before, CUT_SHAPE[0], CUT_SHAPE[1], CUT_SHAPE[2]))
            return failed("memory", FTL_E_MEMORY);
        for (uint32_t run = 0; run < runs; run++) {
            struct device device;
            struct files files;
            struct versions start = {0};
            uint8_t page[128];
            int done = device_init(&device, SCHEMES[at].scheme, CUT_SHAPE, run % 2 == 0, 2);
            if (done == FTL_OK)
                done = files_init(&files, device.ftl, CUT_SHAPE[2], CUT_BYTES, page);
            if (done == FTL_OK)
                done = ftl_bounds(&device.config, &bounds);
            /* An array in use: each run begins at another point of it. */
            for (uint32_t write = 0; done == FTL_OK && write < 20 + run; write++)
                done = write_file(&files, &start, write % CUT_FILES);
            if (done != FTL_OK)
                return failed(SCHEMES[at].name, done);
            nand_copy(&before, &device.nand);
            for (uint32_t cut = 0;; cut++) {
                bool was_cut = false;
                for (int tears = 0; tears < 2; tears++) {
                    struct versions versions = start;
                    nand_copy(&device.nand, &before);
                    nand_power_on(&device.nand);
                    done = mount_files(&device, &files, page);
                    device.nand.until_cut = cut;
                    device.nand.tears = tears;
                    if (done == FTL_OK)
                        done = work(&device, &files, &versions, run * 977 + 5, page);
                    was_cut = device.nand.off;
                    if (was_cut ? done != FTL_E_STOPPED : done != FTL_OK)
                        return failed("the workload", done);
                    /* The power comes back. */
                    nand_power_on(&device.nand);
                    if (!is_refused(&device, bounds.pages, cut * 2 + (uint32_t)tears + run)) {
                        fprintf(stderr, "%s: a mount of another configuration\n", SCHEMES[at].name);
                        return 1;
                    }
                    /* It goes again in the mount, at the changes of what that recovers, if it makes any. */
                    for (uint32_t again = 0; was_cut && again < 3; again++) {
                        device.nand.until_cut = (cut + again) % 4;
                        done = mount_files(&device, &files, page);
                        if (done != (device.nand.off ? FTL_E_STOPPED : FTL_OK))
                            return failed("a mount that was cut", done);
                        in_mounts += device.nand.off;
                        nand_power_on(&device.nand);
                    }
                    nand_counts_reset(&device.nand);
                    done = mount_files(&device, &files, page);
                    const struct ftl_cost cost = device.nand.counts;
                    if (done == FTL_OK && !within(&cost, &bounds.mount)) {
                        fprintf(stderr, "%s: a mount beyond its bound: %" PRIu64 " reads, %" PRIu64 " of spare areas, %" PRIu64
                                " programs, %" PRIu64 " copies, %" PRIu64 " erases\n", SCHEMES[at].name, cost.reads,
                                cost.spare_reads, cost.programs, cost.copies, cost.erases);
                        return 1;
                    }
                    if (done == FTL_OK)
                        done = check_files(&files, &versions);
                    for (uint32_t file = 0; done == FTL_OK && file < CUT_FILES; file++)
                        done = write_file(&files, &versions, file);
                    if (done == FTL_OK)
                        done = check_files(&files, &versions);
                    if (done != FTL_OK || device.nand.broken) {
                        fprintf(stderr, "%s, run %" PRIu32 ", cut %" PRIu32 ", %s: %s\n", SCHEMES[at].name, run, cut,
                                tears ? "torn" : "clean", device.nand.broken ? device.nand.broken : ftl_error_text(done));
                        return 1;
                    }
                    mounts++;
                    of_scheme += was_cut;
                }
                if (!was_cut)
                    break;
            }
            device_free(&device);
        }
        nand_free(&before);
        printf("%-20s %" PRIu64 " power cuts: nothing lost\n", SCHEMES[at].name, of_scheme);
        all += of_scheme;
    }
    printf("%" PRIu64 " power cuts of %" PRIu32 " runs, %" PRIu64 " more in mounts, %" PRIu64 " mounts: 0 failed\n", all, runs,
           in_mounts, mounts);
    return 0;
}

/* ---- every call beside its bound ---- */

static void cover(struct ftl_cost *most, const struct ftl_cost *cost)
{
#define LARGER(field) most->field = cost->field > most->field ? cost->field : most->field
    LARGER(reads);
    LARGER(spare_reads);
    LARGER(programs);
    LARGER(copies);
    LARGER(erases);
    LARGER(time_ns);
#undef LARGER
}

static const char *const LOADS[] = {"uniform", "skewed", "adversarial"};

/* The next page of a load. */
static uint32_t next_page(int load, uint64_t write, uint32_t pages, uint32_t pages_per_block)
{
    if (load == 0)
        return below(pages);
    if (load == 1) /* 90 % to a tenth */
        return below(10) ? below(pages / 10 + 1) : below(pages);
    /* Rounds: each block of the fill loses a page in turn, so that all victims are as full as can be; then one page alone is
     * written again and again; then pages in the order of their writes. */
    const uint64_t length = pages, phase = write / length % 4, at = write % length;
    const uint64_t blocks = pages / pages_per_block + 1;
    if (phase == 0 || phase == 2)
        return (uint32_t)((at % blocks * pages_per_block + at / blocks * (phase + 1)) % pages);
    return phase == 1 ? (uint32_t)(write / length * 7 % pages) : (uint32_t)at;
}

static int soak(uint64_t writes)
{
    static const uint32_t shape[3] = {256, 64, 64};
    uint64_t above = 0;
    printf("scheme               load             writes  longest write us   bound us  programs   copies   erases  above\n");
    for (size_t at = 0; at < SCHEMES_COUNT; at++) {
        for (int load = 0; load < 3; load++) {
            struct device device;
            struct ftl_bounds bounds;
            struct ftl_cost most = {0};
            uint64_t beyond = 0, counted = 0, longest = 0;
            uint8_t page[64] = {0}, read[64];
            /* With and without a copy of the driver's. */
            const bool copies = load != 1;
            int done = device_init(&device, SCHEMES[at].scheme, shape, copies, 4);
            if (done == FTL_OK)
                done = ftl_bounds(&device.config, &bounds);
            uint64_t *versions = calloc(bounds.pages, sizeof *versions);
            if (done != FTL_OK || !versions)
                return failed(SCHEMES[at].name, done);
            random_state = 1;
            for (uint64_t write = 0; write < writes; write++) {
                const uint32_t pages = bounds.pages;
                const uint32_t lpn =
                    write < pages ? (uint32_t)write : next_page(load, write - pages, pages, shape[1]);
                memcpy(page, &write, sizeof write);
                memcpy(page + 8, &lpn, sizeof lpn);
                nand_counts_reset(&device.nand);
                done = ftl_write(device.ftl, lpn, page);
                versions[lpn] = write + 1;
                cover(&most, &device.nand.counts);
                beyond += !within(&device.nand.counts, &bounds.write);
                const uint32_t what = below(64);
                if (done == FTL_OK && what < 16) {
                    const uint32_t other = below(pages);
                    nand_counts_reset(&device.nand);
                    done = ftl_read(device.ftl, other, read);
                    beyond += !within(&device.nand.counts, &bounds.read);
                    uint64_t found;
                    memcpy(&found, read, sizeof found);
                    if (done == FTL_OK && versions[other] > 0 && found + 1 != versions[other])
                        done = FTL_E_UNREADABLE;
                } else if (done == FTL_OK && what == 16 && load == 2) {
                    const uint32_t other = below(pages);
                    nand_counts_reset(&device.nand);
                    done = ftl_trim(device.ftl, other);
                    versions[other] = 0;
                    beyond += !within(&device.nand.counts, &bounds.trim);
                } else if (done == FTL_OK && what == 17 && load == 2) {
                    nand_counts_reset(&device.nand);
                    done = ftl_idle(device.ftl, bounds.idle_step.time_ns);
                    done = done == FTL_MORE ? FTL_OK : done;
                    beyond += device.nand.counts.time_ns > bounds.idle_step.time_ns;
                } else if (done == FTL_OK && what == 18 && below(256) == 0) {
                    nand_counts_reset(&device.nand);
                    done = ftl_sync(device.ftl);
                    beyond += !within(&device.nand.counts, &bounds.sync);
                } else if (done == FTL_OK && what == 19 && below(256) == 0) {
                    struct ftl_stats before;
                    ftl_stats(device.ftl, &before);
                    counted += before.writes;
                    longest = before.worst_write.time_ns > longest ? before.worst_write.time_ns : longest;
                    done = restart(&device, true);

                }
                if (done != FTL_OK || device.nand.broken)
                    return failed(device.nand.broken ? device.nand.broken : SCHEMES[at].name, done);
            }
            struct ftl_stats stats;
            ftl_stats(device.ftl, &stats);
            /* What the library counts is what the driver saw. */
            longest = stats.worst_write.time_ns > longest ? stats.worst_write.time_ns : longest;
            if (longest != most.time_ns || counted + stats.writes != writes)
                return failed("the library counts otherwise than the driver", FTL_E_DRIVER);
            printf("%-20s %-11s %11" PRIu64 " %17.1f %10.1f %4" PRIu64 "/%-4" PRIu64 " %4" PRIu64 "/%-4" PRIu64 " %4" PRIu64
                   "/%-4" PRIu64 " %4" PRIu64 "\n", SCHEMES[at].name, LOADS[load], writes, (double)most.time_ns / 1000,
                   (double)bounds.write.time_ns / 1000, most.programs, bounds.write.programs, most.copies,
                   bounds.write.copies, most.erases, bounds.write.erases, beyond);
            above += beyond;
            free(versions);
            device_free(&device);
        }
    }
    printf("%" PRIu64 " above their bounds\n", above);
    return above > 0;
}

/* ---- random calls ---- */

static int fuzz(uint64_t calls, uint64_t seed)
{
    uint64_t done_calls = 0, arrays = 0, mounted = 0, refused = 0, refreshed = 0, codes[20] = {0};
    while (done_calls < calls) {
        random_state = seed * 1000003 + arrays * 7919 + 1;
        below(2);
        const uint32_t shape[3] = {3 + below(40), 2 + below(15), 2 + below(48)};
        struct device device;
        const size_t which = below(SCHEMES_COUNT);
        const uint32_t spare = below(4);
        memset(&device, 0, sizeof device);
        arrays++;
        if (!nand_init(&device.nand, shape[0], shape[1], shape[2]))
            return failed("memory", FTL_E_MEMORY);
        device.nand.random = random_state;
        device.config = config_of(&device.nand, SCHEMES[which].scheme, below(2), spare);
        device.config.refresh_bits = below(3);
        if (below(8) == 0)
            device.config.pages = 1 + below(shape[0] * shape[1]);
        /* A field that is anything. */
        if (below(16) == 0) {
            uint32_t *const fields[] = {&device.config.blocks, &device.config.pages_per_block, &device.config.page_bytes,
                                        &device.config.read_ns, &device.config.program_ns, &device.config.erase_ns,
                                        &device.config.spare_blocks, &device.config.pages};
            uint32_t *const field = fields[below(8)];
            if (field == &device.config.blocks || field == &device.config.pages_per_block ||
                field == &device.config.page_bytes)
                *field = below(2); /* a driver has one shape: others are refused, or beyond the model's array */
            else
                *field = below(2) ? below(1000) : below(UINT32_MAX);
        }
        for (uint32_t block = 0; block < shape[0]; block++)
            device.nand.bad[block] = below(20) == 0;
        const uint32_t trouble = below(8);
        const bool loses = trouble >= 4, lies = trouble == 7;
        int code = ftl_memory_needed(&device.config, &device.bytes);
        device.arena = code == FTL_OK && device.bytes < 64u << 20 ? malloc(device.bytes) : NULL;
        if (device.arena)
            code = ftl_format(&device.config, device.arena, device.bytes);
        done_calls += 2;
        if (!device.arena || code != FTL_OK) {
            codes[-code < 20 && code <= 0 ? -code : 19]++;
            refused++;
            device_free(&device);
            continue;
        }
        uint32_t pages = 0;
        uint64_t *versions = NULL;
        uint8_t page[64] = {0}, read[64];
        bool lost = false; /* nothing is known of the contents any more */
        for (uint32_t life = 0; life < 6; life++) {
            nand_power_on(&device.nand);
            device.nand.unreadable_one_in = device.nand.lies_one_in = 0;
            if (versions && !is_refused(&device, pages, below(64))) {
                fprintf(stderr, "%s, array %" PRIu64 ": a mount of another configuration\n", SCHEMES[which].name, arrays);
                return 1;
            }
            device.nand.fail_one_in = trouble & 1 ? 30 + below(300) : 0;
            device.nand.unreadable_one_in = loses ? 100 + below(1000) : 0;
            device.nand.lies_one_in = lies ? 100 + below(1000) : 0;
            device.nand.tears = below(2);
            if (below(2))
                device.nand.until_cut = below(300);
            code = ftl_mount(&device.config, device.arena, device.bytes, &device.ftl);
            done_calls++;
            codes[-code < 20 && code <= 0 ? -code : 19]++;
            if (code != FTL_OK)
                continue;
            mounted++;
            if (!versions) {
                pages = ftl_pages(device.ftl);
                versions = calloc(pages, sizeof *versions);
                if (!versions)
                    return failed("memory", FTL_E_MEMORY);
            }
            /* What gftl holds in RAM alone is lost with the power, and a page of which a write failed may be either. */
            const bool knows = !lost && !loses;
            const uint32_t steps = below(1500);
            for (uint32_t step = 0; step < steps; step++) {
                const uint32_t lpn = below(50) ? below(pages) : below(UINT32_MAX);
                const uint32_t what = below(100);
                done_calls++;
                if (what < 55) {
                    const uint64_t version = done_calls;
                    memset(page, (int)(version * 31 + lpn), sizeof page);
                    code = ftl_write(device.ftl, lpn, page);
                    if (lpn < pages)
                        versions[lpn] = code == FTL_OK ? (uint64_t)(uint8_t)(version * 31 + lpn) + 1 : 0;
                } else if (what < 80) {
                    code = ftl_read(device.ftl, lpn, read);
                    if (code == FTL_OK && lpn < pages && knows && versions[lpn] > 0)
                        for (uint32_t at = 0; at < shape[2]; at++)
                            if (read[at] != (uint8_t)(versions[lpn] - 1)) {
                                fprintf(stderr, "%s, array %" PRIu64 ": page %" PRIu32 " has wrong bytes\n",
                                        SCHEMES[which].name, arrays, lpn);
                                return 1;
                            }
                    if (code == FTL_E_UNREADABLE && knows && versions[lpn] > 0) {
                        fprintf(stderr, "%s, array %" PRIu64 ": page %" PRIu32 " is lost\n", SCHEMES[which].name, arrays, lpn);
                        return 1;
                    }
                } else if (what < 88) {
                    code = ftl_trim(device.ftl, lpn);
                    if (lpn < pages)
                        versions[lpn] = 0;
                } else if (what < 92) {
                    code = ftl_sync(device.ftl);
                } else if (what < 96) {
                    code = ftl_idle(device.ftl, below(8000000));
                } else if (what == 96) {
                    code = ftl_write(device.ftl, lpn, NULL);
                } else if (what == 97) {
                    code = ftl_read(NULL, lpn, read);
                } else if (what == 98) {
                    struct ftl_stats stats;
                    struct ftl_bounds bounds;
                    code = ftl_stats(device.ftl, &stats);
                    refreshed += code == FTL_OK && stats.refreshed > 0;
                    ftl_bounds(&device.config, &bounds);
                } else if (below(40) == 0) {
                    size_t bytes = 0;
                    ftl_shutdown_memory(&device.config, &bytes);
                    void *scratch = below(2) ? malloc(bytes ? bytes : 1) : NULL;
                    uint32_t sealed;
                    code = ftl_shutdown(device.ftl, scratch, bytes, below(2) ? &sealed : NULL);
                    free(scratch);
                    codes[-code < 20 && code <= 0 ? -code : 19]++;
                    if (ftl_write(device.ftl, 0, page) == FTL_OK || ftl_sync(device.ftl) == FTL_OK)
                        return failed("a call after the shutdown", FTL_E_HANDLE);
                    break;
                }
                codes[-code < 20 && code <= 0 ? -code : 19]++;
            }
            /* A mount goes on from what is on flash: what was in RAM alone is unknown, and so is the page of the last write. */
            if (which == GFTL && versions)
                memset(versions, 0, pages * sizeof *versions);
            lost |= lies;
            if (device.nand.broken && !lies) {
                fprintf(stderr, "%s, array %" PRIu64 ", failures 1 in %" PRIu32 ", unreadable 1 in %" PRIu32 ": %s\n",
                        SCHEMES[which].name, arrays, device.nand.fail_one_in, device.nand.unreadable_one_in, device.nand.broken);
                return 1;
            }
        }
        free(versions);
        device_free(&device);
    }
    printf("%" PRIu64 " calls on %" PRIu64 " arrays (%" PRIu64 " refused), %" PRIu64 " mounts: no crash, no wrong byte\n", done_calls,
           arrays, refused, mounted);
    if (!refreshed)
        return failed("no page was refreshed", FTL_E_DRIVER);
    for (int code = 0; code < 20; code++)
        if (codes[code])
            printf("%12" PRIu64 " %s\n", codes[code], ftl_error_text(code == 19 ? 1 : -code));
    return 0;
}

/* ---- memory ---- */

/* An arena that pointers do not reach is refused by each function that takes the configuration. */
static bool is_too_large(const struct ftl_scheme *scheme)
{
    static struct nand nothing;
    nothing.blocks = UINT32_C(1) << 28;
    nothing.pages_per_block = 8;
    nothing.page_bytes = 4096;
    struct ftl_config config = config_of(&nothing, scheme, false, 4);
    config.read_ns = config.read_spare_ns = 29000;
    config.program_ns = 220900;
    config.erase_ns = 2000000;
    struct ftl_bounds bounds;
    struct ftl *ftl;
    size_t bytes;
    const int wanted = sizeof bytes > 4 ? FTL_OK : FTL_E_TOO_LARGE;
    const int small = sizeof bytes > 4 ? FTL_E_MEMORY : FTL_E_TOO_LARGE;
    return ftl_memory_needed(&config, &bytes) == wanted && ftl_shutdown_memory(&config, &bytes) == wanted &&
           ftl_bounds(&config, &bounds) == wanted && ftl_format(&config, &bounds, sizeof bounds) == small &&
           ftl_mount(&config, &bounds, sizeof bounds, &ftl) == small;
}

static int memory(void)
{
    static const uint32_t blocks[] = {4, 32, 63, 100, 256, 1024};
    printf("scheme               blocks pages bytes/page      asked       peak       kept\n");
    for (size_t at = 0; at < SCHEMES_COUNT; at++) {
        if (!is_too_large(SCHEMES[at].scheme))
            return failed("an arena that is too large", FTL_E_MEMORY);
        for (size_t size = 0; size < sizeof blocks / sizeof *blocks; size++) {
            static const uint32_t small[3] = {8, 64, 128};
            for (size_t kind = 0; kind < 3; kind++) {
                const uint32_t shape[3] = {blocks[size], small[kind], kind == 2 ? 2048 : 256};
                struct device device;
                struct ftl_stats stats;
                uint8_t page[2048] = {0};
                if (shape[0] == 1024 && kind > 1)
                    continue;
                int done = device_init(&device, SCHEMES[at].scheme, shape, true, shape[0] > 60 ? 4 : 0);
                if (done == FTL_E_BLOCKS) {
                    device_free(&device);
                    continue;
                }
                const uint32_t pages = done == FTL_OK ? ftl_pages(device.ftl) : 0;
                for (uint32_t write = 0; done == FTL_OK && write < 2 * pages; write++)
                    done = ftl_write(device.ftl, write < pages ? write : below(pages), page);
                /* After a power cut, and after a shutdown. */
                uint64_t peak = 0;
                for (int clean = 0; done == FTL_OK && clean < 2; clean++) {
                    nand_counts_reset(&device.nand);
                    done = clean ? restart(&device, true)
                                 : ftl_mount(&device.config, device.arena, device.bytes, &device.ftl);
                    if (done == FTL_OK)
                        done = ftl_stats(device.ftl, &stats);
                    peak = stats.arena_peak > peak ? stats.arena_peak : peak;
                    struct ftl_bounds bounds;
                    ftl_bounds(&device.config, &bounds);
                    const struct ftl_cost *bound = clean ? &bounds.clean_mount : &bounds.mount;
                    if (done == FTL_OK && !within(&device.nand.counts, bound)) {
                        fprintf(stderr, "%s, %" PRIu32 " blocks: a %s mount beyond its bound\n", SCHEMES[at].name, shape[0],
                                clean ? "clean" : "dirty");
                        return 1;
                    }
                }
                if (done != FTL_OK)
                    return failed(SCHEMES[at].name, done);
                printf("%-20s %6" PRIu32 " %5" PRIu32 " %10" PRIu32 " %10lu %10" PRIu64 " %10" PRIu64 "\n", SCHEMES[at].name,
                       shape[0], shape[1], shape[2], (unsigned long)device.bytes, peak, stats.arena_kept);
                device_free(&device);
            }
        }
    }
    return 0;
}

/* ---- calls of one instance within a mount of another ---- */

struct preempting {
    struct ftl_driver driver; /* of the instance that is mounted */
    struct device *other;
    uint64_t calls;
    int codes[20];
};

/* Each read of a mount is preempted by a call of another instance, whose part fails. */
static int read_preempted(void *context, uint32_t block, uint32_t page, uint8_t *data, uint8_t *spare)
{
    struct preempting *preempting = context;
    struct device *other = preempting->other;
    static uint8_t bytes[64];
    const uint32_t lpn = below(ftl_pages(other->ftl) | 1);
    int code = FTL_OK;
    switch (below(8)) {
    case 0: code = ftl_read(other->ftl, lpn, bytes); break;
    case 1: code = ftl_trim(other->ftl, lpn); break;
    case 2: code = ftl_idle(other->ftl, 5000000); break;
    case 3: code = ftl_sync(other->ftl); break;
    default: code = ftl_write(other->ftl, lpn, bytes); break;
    }
    preempting->calls++;
    preempting->codes[code <= 0 && code > -20 ? -code : 19]++;
    return preempting->driver.read(preempting->driver.context, block, page, data, spare);
}

static int program_through(void *context, uint32_t block, uint32_t page, const uint8_t *data, const uint8_t *spare)
{
    const struct ftl_driver *driver = &((struct preempting *)context)->driver;
    return driver->program(driver->context, block, page, data, spare);
}

static int erase_through(void *context, uint32_t block)
{
    const struct ftl_driver *driver = &((struct preempting *)context)->driver;
    return driver->erase(driver->context, block);
}

static int is_bad_through(void *context, uint32_t block)
{
    const struct ftl_driver *driver = &((struct preempting *)context)->driver;
    return driver->is_bad(driver->context, block);
}

static int mark_bad_through(void *context, uint32_t block)
{
    const struct ftl_driver *driver = &((struct preempting *)context)->driver;
    return driver->mark_bad(driver->context, block);
}

/* A mount takes as much of its arena with calls of another instance in between as without. */
static int preempt(void)
{
    static const uint32_t shape[3] = {48, 16, 64};
    uint64_t calls = 0, failures = 0;
    for (size_t at = 0; at < SCHEMES_COUNT; at++) {
        for (size_t beside = 0; beside < SCHEMES_COUNT; beside++) {
            for (uint32_t fails = 3; fails < 200; fails = fails * 3 / 2) {
                struct device device, other;
                struct nand before;
                struct ftl_stats alone, preempted;
                uint8_t page[64] = {7};
                random_state = at * 100 + beside * 10 + fails;
                int done = device_init(&device, SCHEMES[at].scheme, shape, false, 4);
                if (done == FTL_OK)
                    done = device_init(&other, SCHEMES[beside].scheme, shape, true, 4);
                const uint32_t pages = done == FTL_OK ? ftl_pages(device.ftl) : 0;
                for (uint32_t write = 0; done == FTL_OK && write < 2 * pages; write++)
                    done = ftl_write(device.ftl, write < pages ? write : below(pages), page);
                if (done == FTL_OK && !nand_init(&before, shape[0], shape[1], shape[2]))
                    done = FTL_E_MEMORY;
                if (done == FTL_OK) {
                    nand_copy(&before, &device.nand);
                    done = ftl_mount(&device.config, device.arena, device.bytes, &device.ftl);
                }
                if (done == FTL_OK)
                    done = ftl_stats(device.ftl, &alone);
                if (done != FTL_OK)
                    return failed(SCHEMES[at].name, done);
                nand_copy(&device.nand, &before);
                nand_free(&before);
                struct preempting preempting = {.driver = device.config.driver, .other = &other};
                const struct ftl_driver driver = {&preempting, read_preempted, program_through, erase_through, NULL,
                                                  is_bad_through, mark_bad_through};
                device.config.driver = driver;
                other.nand.fail_one_in = fails;
                other.nand.unreadable_one_in = 50;
                done = ftl_mount(&device.config, device.arena, device.bytes, &device.ftl);
                if (done == FTL_OK)
                    done = ftl_stats(device.ftl, &preempted);
                if (done != FTL_OK)
                    return failed(SCHEMES[at].name, done);
                if (alone.arena_kept != preempted.arena_kept || alone.arena_peak != preempted.arena_peak) {
                    fprintf(stderr, "%s beside %s: %" PRIu64 " and %" PRIu64 " B of the arena instead of %" PRIu64 " and %" PRIu64
                            "\n", SCHEMES[at].name, SCHEMES[beside].name, preempted.arena_kept, preempted.arena_peak,
                            alone.arena_kept, alone.arena_peak);
                    return 1;
                }
                calls += preempting.calls;
                failures += (uint64_t)(preempting.codes[-FTL_E_FULL] + preempting.codes[-FTL_E_UNREADABLE]);
                device_free(&device);
                device_free(&other);
            }
        }
    }
    printf("%" PRIu64 " calls within mounts of other instances, %" PRIu64 " of which failed: no memory taken\n", calls, failures);
    return failures == 0;
}

/* ---- stack ---- */

#define STACK (256u << 10)

#ifndef BARE
static ucontext_t caller, callee;
#endif
static struct device stacked;
static int stacked_call, stacked_code;

static void on_stack(void)
{
    static uint8_t page[2048];
    struct ftl_bounds bounds;
    switch (stacked_call) {
    case 0:
        stacked_code = ftl_format(&stacked.config, stacked.arena, stacked.bytes);
        break;
    case 1:
        stacked_code = ftl_mount(&stacked.config, stacked.arena, stacked.bytes, &stacked.ftl);
        break;
    case 2:
        for (uint32_t write = 0; stacked_code == FTL_OK && write < 4 * ftl_pages(stacked.ftl); write++)
            stacked_code = ftl_write(stacked.ftl, below(ftl_pages(stacked.ftl)), page);
        break;
    case 3:
        for (uint32_t lpn = 0; stacked_code == FTL_OK && lpn < ftl_pages(stacked.ftl); lpn++)
            stacked_code = ftl_read(stacked.ftl, lpn, page);
        break;
    default:
        stacked_code = ftl_bounds(&stacked.config, &bounds);
        break;
    }
}

/* Bytes of a painted stack that a call has touched. */
#ifdef BARE
static size_t stack_of(int call)
{
    /* Below this function's own frame. */
    uint8_t *const top = (uint8_t *)__builtin_frame_address(0) - 256, *at = top - STACK / 4;
    memset(at, 0xa5, STACK / 4 - 256);
    stacked_call = call;
    on_stack();
    while (at < top && *at == 0xa5)
        at++;
    return (size_t)(top - at) + 256;
}
#else
static size_t stack_of(int call)
{
    uint8_t *stack = malloc(STACK);
    if (!stack)
        return 0;
    memset(stack, 0xa5, STACK);
    stacked_call = call;
    getcontext(&callee);
    callee.uc_stack.ss_sp = stack;
    callee.uc_stack.ss_size = STACK;
    callee.uc_link = &caller;
    makecontext(&callee, on_stack, 0);
    swapcontext(&caller, &callee);
    size_t untouched = 0;
    while (untouched < STACK && stack[untouched] == 0xa5)
        untouched++;
    free(stack);
    return STACK - untouched;
}
#endif

static int stack(void)
{
#ifdef BARE /* 4 MiB of RAM in all */
    static const uint32_t shape[3] = {128, 64, 64};
#else
    static const uint32_t shape[3] = {128, 64, 512};
#endif
    printf("scheme                format   mount   write    read  bounds\n");
    for (size_t at = 0; at < SCHEMES_COUNT; at++) {
        int done = device_init(&stacked, SCHEMES[at].scheme, shape, true, 4);
        if (done != FTL_OK)
            return failed(SCHEMES[at].name, done);
        printf("%-20s", SCHEMES[at].name);
        for (int call = 0; call < 5; call++) {
            /* A mount is measured on an array in use. */
            const size_t bytes = stack_of(call);
            if (call == 2)
                stack_of(1);
            printf(" %7lu", (unsigned long)bytes);
            if (stacked_code != FTL_OK)
                return failed(SCHEMES[at].name, stacked_code);
        }
        printf("\n");
        device_free(&stacked);
    }
    return 0;
}

static int ram(void)
{
    static const uint32_t shapes[][3] = {{128, 64, 2048}, {256, 64, 2048}, {1024, 64, 2048}, {8192, 64, 2048}, {16384, 128, 4096}};
    static const char *const sizes[] = {"16 MiB", "32 MiB", "128 MiB", "1 GiB", "8 GiB"};
    printf("scheme               array      arena B\n");
    for (size_t at = 0; at < SCHEMES_COUNT; at++) {
        for (size_t size = 0; size < sizeof shapes / sizeof *shapes; size++) {
            struct nand nand = {.blocks = shapes[size][0], .pages_per_block = shapes[size][1], .page_bytes = shapes[size][2],
                                .times = {29000, 29000, 220900, 2000000}};
            const struct ftl_config config = config_of(&nand, SCHEMES[at].scheme, true, nand.blocks / 50);
            size_t bytes = 0;
            const int done = ftl_memory_needed(&config, &bytes);
            if (done != FTL_OK)
                return failed(SCHEMES[at].name, done);
            printf("%-20s %-8s %9lu\n", SCHEMES[at].name, sizes[size], (unsigned long)bytes);
        }
    }
    return 0;
}

int main(int count, char **arguments)
{
    const char *command = count > 1 ? arguments[1] : "demo";
    const uint64_t number = count > 2 ? strtoull(arguments[2], NULL, 10) : 0;
    if (strcmp(command, "demo") == 0)
        return demo();
    if (strcmp(command, "cuts") == 0)
        return cuts(number ? (uint32_t)number : 50);
    if (strcmp(command, "soak") == 0)
        return soak(number ? number : 1000000);
    if (strcmp(command, "fuzz") == 0)
        return fuzz(number ? number : 1000000, count > 3 ? strtoull(arguments[3], NULL, 10) : 1);
    if (strcmp(command, "memory") == 0)
        return memory();
    if (strcmp(command, "preempt") == 0)
        return preempt();
    if (strcmp(command, "stack") == 0)
        return stack();
    if (strcmp(command, "ram") == 0)
        return ram();
    fprintf(stderr, "commands: demo, cuts RUNS, soak WRITES, fuzz CALLS SEED, memory, preempt, stack, ram\n");
    return 2;
}
