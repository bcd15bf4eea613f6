/* A NAND part in RAM that enforces the rules: pages in order, once, after an erase. It fails and loses its power on request. */
#ifndef NAND_H
#define NAND_H

#include <ftlkit.h>
#include <stdbool.h>

struct nand {
    uint32_t blocks, pages_per_block, page_bytes;
    uint8_t *data;     /* bytes of all pages */
    uint8_t *spare;    /* spare areas of all pages */
    uint8_t *torn;     /* 1: the page cannot be read */
    uint32_t *next;    /* next page of each block that may be programmed */
    uint8_t *bad;      /* 1: the block is marked bad */
    /* Operations since the last nand_counts_reset. */
    struct ftl_cost counts;
    uint32_t times[4]; /* ns: read, read of a spare area, program, erase */
    /* Power: programs, copies and erases until it is cut; UINT64_MAX: never. */
    uint64_t until_cut;
    bool tears;        /* the operation that the cut hits leaves half of its work */
    bool off;
    /* Operations that changed the array since the start. */
    uint64_t changes;
    /* Failures: one in so many operations at random; 0: never. */
    uint32_t fail_one_in, unreadable_one_in;
    /* Fuzzing only: one in so many calls returns a value that no driver may return. */
    uint32_t lies_one_in;
    uint64_t random;
    /* Buffers of pages must be aligned to 16 bytes, as some DMA needs. */
    bool aligned;
    /* A rule of NAND that a caller broke; NULL: none. */
    const char *broken;
};

/* Takes memory for an array; false if there is none. */
bool nand_init(struct nand *nand, uint32_t blocks, uint32_t pages_per_block, uint32_t page_bytes);
void nand_free(struct nand *nand);
/* The array and its state, without its counts, as a copy of another of the same shape. */
void nand_copy(struct nand *to, const struct nand *from);
void nand_counts_reset(struct nand *nand);
void nand_power_on(struct nand *nand);
/* The driver's functions, with or without a copy within the part. */
struct ftl_driver nand_driver(struct nand *nand, bool copies);

#endif
