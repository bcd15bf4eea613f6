/* ftlkit: flash translation layers for firmware. docs/firmware.md is the guide.
 *
 * An instance is a scheme on an array of NAND, behind a driver of yours, in memory of yours. All memory is taken by ftl_format and
 * ftl_mount. What comes after takes none, and each call makes at most the operations of the driver that ftl_bounds says.
 *
 * The functions of one instance are not re-entrant: one call at a time. Different instances are independent, with one exception:
 * one ftl_format, ftl_mount or ftl_shutdown at a time in the whole program (FTL_E_BUSY tells).
 */
#ifndef FTLKIT_H
#define FTLKIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the functions of a driver return besides 0 and counts of bits. */
#define FTL_NAND_ERASED (-1)        /* a read: the page is erased */
#define FTL_NAND_UNCORRECTABLE (-2) /* a read or copy: more bit errors than ECC corrects, or a torn page */
#define FTL_NAND_FAILED (-3)        /* a program, copy or erase: the part reported that it failed */
#define FTL_NAND_STOP (-4)          /* any: nothing can be done any more; the instance ends */

/* Bytes of each page's spare area that are the library's. */
#define FTL_SPARE_BYTES 16

/* What the functions of the library return. ftl_error_text has the texts. */
#define FTL_OK 0
#define FTL_MORE 1
#define FTL_E_ARGUMENT (-1)
#define FTL_E_SHAPE (-2)
#define FTL_E_TIMES (-3)
#define FTL_E_BLOCKS (-4)
#define FTL_E_PAGES (-5)
#define FTL_E_SPARE (-6)
#define FTL_E_MEMORY (-7)
#define FTL_E_BUSY (-8)
#define FTL_E_RANGE (-9)
#define FTL_E_UNREADABLE (-10)
#define FTL_E_FULL (-11)
#define FTL_E_FORMAT (-12)
#define FTL_E_STOPPED (-13)
#define FTL_E_DRIVER (-14)
#define FTL_E_LOST_TRACK (-15)
#define FTL_E_HANDLE (-16)

/* What becomes of the spare area of a page that the driver copies: pass it on to ftl_restamp. */
struct ftl_stamp {
    uint32_t from;
    uint32_t to;
    uint64_t seq;
    uint32_t limits[3];
};

/* A driver. Each function gets `context`.
 *
 * read      Reads page `page` of block `block`: its bytes to `data` (NULL: they are not needed), the first FTL_SPARE_BYTES of its
 *           spare area to `spare`. Returns the number of bits that ECC corrected, or FTL_NAND_ERASED, FTL_NAND_UNCORRECTABLE,
 *           FTL_NAND_STOP. A page that was never programmed since the erase of its block is erased; so is one whose spare area
 *           reads as all ones.
 * program   Programs the page from `data` (NULL: any bytes), and its spare area from `spare`. Returns 0, FTL_NAND_FAILED or
 *           FTL_NAND_STOP. The library programs the pages of a block in order, each once after an erase of the block.
 * erase     Erases the block. Returns 0, FTL_NAND_FAILED or FTL_NAND_STOP.
 * copy      May be NULL: then a copy is a read and a program. Otherwise: reads the page to the part's register and its spare area
 *           to `spare`; calls ftl_restamp(stamp, spare), and returns what that returns if it is not 0; programs the register, with
 *           `spare` as its spare area, at the other page. Returns the number of bits that ECC corrected, or
 *           FTL_NAND_UNCORRECTABLE (the read), FTL_NAND_FAILED (the program), FTL_NAND_STOP.
 * is_bad    Returns 1 if the block is marked bad, by the factory or by mark_bad; 0 if not; or FTL_NAND_STOP. Asked once per
 *           block and mount.
 * mark_bad  Marks the block bad for good. Returns 0, FTL_NAND_FAILED (no mark could be written) or FTL_NAND_STOP.
 */
struct ftl_driver {
    void *context;
    int (*read)(void *context, uint32_t block, uint32_t page, uint8_t *data, uint8_t *spare);
    int (*program)(void *context, uint32_t block, uint32_t page, const uint8_t *data, const uint8_t *spare);
    int (*erase)(void *context, uint32_t block);
    int (*copy)(void *context, uint32_t from_block, uint32_t from_page, uint32_t to_block, uint32_t to_page,
                const struct ftl_stamp *stamp, uint8_t *spare);
    int (*is_bad)(void *context, uint32_t block);
    int (*mark_bad)(void *context, uint32_t block);
};

/* The schemes. A program links those that it names. */
struct ftl_scheme;
extern const struct ftl_scheme ftl_scheme_page_level;
extern const struct ftl_scheme ftl_scheme_fsr;
extern const struct ftl_scheme ftl_scheme_lazy_rtgc;
extern const struct ftl_scheme ftl_scheme_lazy_rtgc_on_demand;
extern const struct ftl_scheme ftl_scheme_gftl;

/* An array, and how it is used. Mount with the configuration of the format. */
struct ftl_config {
    const struct ftl_scheme *scheme;
    struct ftl_driver driver;
    uint32_t blocks;          /* 3 or more */
    uint32_t pages_per_block; /* 2 to 1048576 */
    uint32_t page_bytes;      /* 2 to 1048576, without the spare area */
    uint32_t spare_blocks;    /* set aside to replace bad blocks */
    uint32_t pages;           /* logical pages; 0: as many as the bound allows */
    uint32_t read_ns;         /* longest times, with the transfer: read of a page, */
    uint32_t read_spare_ns;   /* read of a spare area, */
    uint32_t program_ns;      /* program of a page, */
    uint32_t erase_ns;        /* erase of a block */
    uint32_t refresh_bits;    /* a page that ftl_read reads with so many corrected bits is written again by ftl_idle; 0: never */
};

/* Operations of the driver, and their time by the times of the configuration. */
struct ftl_cost {
    uint64_t reads;
    uint64_t spare_reads;
    uint64_t programs;
    uint64_t copies;
    uint64_t erases;
    uint64_t time_ns;
};

/* What each call costs at most, while no program and no erase fails. Each count is a bound of its own, time_ns that of all. */
struct ftl_bounds {
    uint32_t pages;     /* logical pages */
    uint32_t real_time; /* 1: the bound of a write does not depend on what was written before */
    struct ftl_cost read;
    struct ftl_cost write;
    struct ftl_cost trim;
    struct ftl_cost sync;
    struct ftl_cost idle_step;
    struct ftl_cost mount;       /* after a power cut */
    struct ftl_cost clean_mount; /* after ftl_shutdown */
};

/* What happened since the mount. */
struct ftl_stats {
    uint64_t reads;
    uint64_t writes;
    uint64_t trims;
    struct ftl_cost total;
    struct ftl_cost mount;
    struct ftl_cost worst_read; /* the most of each in one call */
    struct ftl_cost worst_write;
    struct ftl_cost worst_trim;
    struct ftl_cost worst_sync;
    struct ftl_cost worst_idle_step;
    uint64_t corrected_bits;
    uint64_t refreshed;       /* pages that ftl_idle wrote again */
    uint64_t refresh_waiting; /* pages that wait for it: 16 at most, another one is noted at its next read */
    uint64_t free_pages;
    uint64_t lost_pages;
    uint64_t retired_blocks;
    uint64_t arena_kept; /* bytes of the arena in use from its start on: what is behind is free again */
    uint64_t arena_peak; /* bytes of the arena that the mount used */
};

/* A mounted instance. */
struct ftl;

/* The text of what a function returned. */
const char *ftl_error_text(int code);

/* Bytes of an arena for ftl_format and ftl_mount, of any alignment. */
int ftl_memory_needed(const struct ftl_config *config, size_t *bytes);

/* Bytes of scratch memory for ftl_shutdown; 0 where it needs none. */
int ftl_shutdown_memory(const struct ftl_config *config, size_t *bytes);

/* What each call costs at most. */
int ftl_bounds(const struct ftl_config *config, struct ftl_bounds *bounds);

/* Erases all that is written. The arena is free again afterwards. */
int ftl_format(const struct ftl_config *config, void *arena, size_t bytes);

/* Mounts an array, after ftl_shutdown or a power cut. The arena is the instance's until its end. */
int ftl_mount(const struct ftl_config *config, void *arena, size_t bytes, struct ftl **out);

/* Logical pages of an instance, each of the configuration's page_bytes. */
uint32_t ftl_pages(const struct ftl *ftl);

/* Reads a page. One that was never written, or was trimmed, reads as zeros; after a mount a trimmed page may have its old bytes. */
int ftl_read(struct ftl *ftl, uint32_t page, void *data);

/* Writes a page. */
int ftl_write(struct ftl *ftl, uint32_t page, const void *data);

/* Forgets a page, so that it costs no copies. */
int ftl_trim(struct ftl *ftl, uint32_t page);

/* Makes what was written durable. Of ftl_scheme_gftl only: with the others a write is durable when it returns. */
int ftl_sync(struct ftl *ftl);

/* Collects in idle time, in steps, for at most `budget_ns` by the times of the configuration, and first writes the pages again that
 * wait for it. Returns FTL_MORE if the next step may not fit, FTL_OK if there is nothing to do. */
int ftl_idle(struct ftl *ftl, uint64_t budget_ns);

/* Makes all durable and ends the instance. With scratch memory ftl_scheme_gftl writes its maps, which makes the next mount short. */
int ftl_shutdown(struct ftl *ftl, void *scratch, size_t bytes);

/* What happened since the mount. */
int ftl_stats(const struct ftl *ftl, struct ftl_stats *stats);

/* For a driver's copy: turns the spare area of the original into that of the copy. Returns 0 or FTL_NAND_UNCORRECTABLE. */
int ftl_restamp(const struct ftl_stamp *stamp, uint8_t *spare);

#ifdef __cplusplus
}
#endif

#endif
