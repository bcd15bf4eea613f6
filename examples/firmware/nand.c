#include "nand.h"
#include <stdlib.h>
#include <string.h>

enum { READ, READ_SPARE, PROGRAM, ERASE };

bool nand_init(struct nand *nand, uint32_t blocks, uint32_t pages_per_block, uint32_t page_bytes)
{
    const size_t pages = (size_t)blocks * pages_per_block;
    memset(nand, 0, sizeof *nand);
    nand->blocks = blocks;
    nand->pages_per_block = pages_per_block;
    nand->page_bytes = page_bytes;
    nand->until_cut = UINT64_MAX;
    nand->random = 1;
    nand->times[READ] = 29000;
    nand->times[READ_SPARE] = 29000;
    nand->times[PROGRAM] = 220900;
    nand->times[ERASE] = 2000000;
    nand->data = malloc(pages * page_bytes);
    nand->spare = malloc(pages * FTL_SPARE_BYTES);
    nand->torn = calloc(pages, 1);
    nand->next = calloc(blocks, sizeof *nand->next);
    nand->bad = calloc(blocks, 1);
    if (!nand->data || !nand->spare || !nand->torn || !nand->next || !nand->bad) {
        nand_free(nand);
        return false;
    }
    memset(nand->data, 0xff, pages * page_bytes);
    memset(nand->spare, 0xff, pages * FTL_SPARE_BYTES);
    return true;
}

void nand_free(struct nand *nand)
{
    free(nand->data);
    free(nand->spare);
    free(nand->torn);
    free(nand->next);
    free(nand->bad);
    memset(nand, 0, sizeof *nand);
}

void nand_copy(struct nand *to, const struct nand *from)
{
    const size_t pages = (size_t)from->blocks * from->pages_per_block;
    memcpy(to->data, from->data, pages * from->page_bytes);
    memcpy(to->spare, from->spare, pages * FTL_SPARE_BYTES);
    memcpy(to->torn, from->torn, pages);
    memcpy(to->next, from->next, from->blocks * sizeof *from->next);
    memcpy(to->bad, from->bad, from->blocks);
}

void nand_counts_reset(struct nand *nand)
{
    memset(&nand->counts, 0, sizeof nand->counts);
}

void nand_power_on(struct nand *nand)
{
    nand->off = false;
    nand->until_cut = UINT64_MAX;
}

static uint32_t random_below(struct nand *nand, uint32_t below)
{
    nand->random = nand->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((nand->random >> 33) % below);
}

static bool one_in(struct nand *nand, uint32_t many)
{
    return many > 0 && random_below(nand, many) == 0;
}

static int broken(struct nand *nand, const char *rule)
{
    nand->broken = rule;
    return FTL_NAND_STOP;
}

/* True if the power goes at this change of the array. */
static bool is_cut(struct nand *nand)
{
    nand->changes++;
    if (nand->until_cut == UINT64_MAX || nand->until_cut-- > 0)
        return false;
    nand->off = true;
    return true;
}

static size_t at(const struct nand *nand, uint32_t block, uint32_t page)
{
    return (size_t)block * nand->pages_per_block + page;
}

/* The state of a page: 0 if it can be read. */
static int readable(struct nand *nand, uint32_t block, uint32_t page)
{
    if (nand->off)
        return FTL_NAND_STOP;
    if (block >= nand->blocks || page >= nand->pages_per_block)
        return broken(nand, "a read beyond the array");
    if (one_in(nand, nand->lies_one_in))
        return -5 - (int)random_below(nand, 100);
    if (page >= nand->next[block])
        return FTL_NAND_ERASED;
    /* A page that cannot be read stays so until its block is erased, or it can be read the next time. */
    if (one_in(nand, nand->unreadable_one_in)) {
        if (random_below(nand, 2) == 0)
            return FTL_NAND_UNCORRECTABLE;
        nand->torn[at(nand, block, page)] = 1;
    }
    return nand->torn[at(nand, block, page)] ? FTL_NAND_UNCORRECTABLE : 0;
}

static int nand_read(void *context, uint32_t block, uint32_t page, uint8_t *data, uint8_t *spare)
{
    struct nand *nand = context;
    const int state = readable(nand, block, page);
    if (nand->aligned && (uintptr_t)data % 16 != 0)
        return broken(nand, "a buffer that is not aligned");
    if (data) {
        nand->counts.reads++;
        nand->counts.time_ns += nand->times[READ];
    } else {
        nand->counts.spare_reads++;
        nand->counts.time_ns += nand->times[READ_SPARE];
    }
    if (state < 0)
        return state;
    if (data)
        memcpy(data, nand->data + at(nand, block, page) * nand->page_bytes, nand->page_bytes);
    memcpy(spare, nand->spare + at(nand, block, page) * FTL_SPARE_BYTES, FTL_SPARE_BYTES);
    return (int)(at(nand, block, page) % 3); /* corrected bits */
}

static int program(struct nand *nand, uint32_t block, uint32_t page, const uint8_t *data, const uint8_t *spare)
{
    if (nand->off)
        return FTL_NAND_STOP;
    if (block >= nand->blocks || page >= nand->pages_per_block)
        return broken(nand, "a program beyond the array");
    if (nand->bad[block])
        return broken(nand, "a program of a bad block");
    if (nand->aligned && (uintptr_t)data % 16 != 0)
        return broken(nand, "a buffer that is not aligned");
    if (page != nand->next[block])
        return broken(nand, "a program out of order, or twice");
    const bool cut = is_cut(nand);
    if (cut && !nand->tears)
        return FTL_NAND_STOP;
    const size_t place = at(nand, block, page);
    const bool fails = !cut && one_in(nand, nand->fail_one_in);
    nand->next[block] = page + 1;
    nand->torn[place] = cut || fails;
    if (data)
        memcpy(nand->data + place * nand->page_bytes, data, nand->page_bytes);
    memcpy(nand->spare + place * FTL_SPARE_BYTES, spare, FTL_SPARE_BYTES);
    return cut ? FTL_NAND_STOP : fails ? FTL_NAND_FAILED : 0;
}

static int nand_program(void *context, uint32_t block, uint32_t page, const uint8_t *data, const uint8_t *spare)
{
    struct nand *nand = context;
    nand->counts.programs++;
    nand->counts.time_ns += nand->times[PROGRAM];
    if (!nand->off && one_in(nand, nand->lies_one_in))
        return 1 + (int)random_below(nand, 100);
    return program(nand, block, page, data, spare);
}

static int nand_erase(void *context, uint32_t block)
{
    struct nand *nand = context;
    nand->counts.erases++;
    nand->counts.time_ns += nand->times[ERASE];
    if (nand->off)
        return FTL_NAND_STOP;
    if (block >= nand->blocks)
        return broken(nand, "an erase beyond the array");
    if (nand->bad[block])
        return broken(nand, "an erase of a bad block");
    if (one_in(nand, nand->lies_one_in))
        return -5 - (int)random_below(nand, 100);
    const bool cut = is_cut(nand);
    if (cut && !nand->tears)
        return FTL_NAND_STOP;
    if (!cut && one_in(nand, nand->fail_one_in))
        return FTL_NAND_FAILED;
    const uint32_t pages = nand->pages_per_block;
    /* An erase that the cut hits leaves nothing that can be read. */
    nand->next[block] = cut ? pages : 0;
    memset(nand->torn + at(nand, block, 0), cut, pages);
    memset(nand->data + at(nand, block, 0) * nand->page_bytes, 0xff, (size_t)pages * nand->page_bytes);
    memset(nand->spare + at(nand, block, 0) * FTL_SPARE_BYTES, 0xff, (size_t)pages * FTL_SPARE_BYTES);
    return cut ? FTL_NAND_STOP : 0;
}

static int nand_copy_page(void *context, uint32_t from_block, uint32_t from_page, uint32_t to_block, uint32_t to_page,
                          const struct ftl_stamp *stamp, uint8_t *spare)
{
    struct nand *nand = context;
    nand->counts.copies++;
    nand->counts.time_ns += nand->times[READ] + nand->times[PROGRAM];
    const int state = readable(nand, from_block, from_page);
    if (state < 0)
        return state;
    const size_t from = at(nand, from_block, from_page);
    memcpy(spare, nand->spare + from * FTL_SPARE_BYTES, FTL_SPARE_BYTES);
    const int stamped = ftl_restamp(stamp, spare);
    if (stamped)
        return stamped;
    const int done = program(nand, to_block, to_page, nand->data + from * nand->page_bytes, spare);
    return done ? done : (int)(from % 3);
}

static int nand_is_bad(void *context, uint32_t block)
{
    struct nand *nand = context;
    return nand->off ? FTL_NAND_STOP : nand->bad[block];
}

static int nand_mark_bad(void *context, uint32_t block)
{
    struct nand *nand = context;
    if (nand->off)
        return FTL_NAND_STOP;
    if (block >= nand->blocks)
        return broken(nand, "a mark beyond the array");
    if (is_cut(nand))
        return FTL_NAND_STOP;
    nand->bad[block] = 1;
    return 0;
}

struct ftl_driver nand_driver(struct nand *nand, bool copies)
{
    const struct ftl_driver driver = {
        .context = nand,
        .read = nand_read,
        .program = nand_program,
        .erase = nand_erase,
        .copy = copies ? nand_copy_page : NULL,
        .is_bad = nand_is_bad,
        .mark_bad = nand_mark_bad,
    };
    return driver;
}
