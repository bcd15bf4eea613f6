/* ftlkit: flash translation layers for firmware. docs/firmware.md is the guide.
 *
 * Generated from the declarations in crates/embedded/src by its test `the_header_is_that_of_the_declarations`: change those.
 *
 * An instance is a scheme on an array of NAND, behind a driver of yours, in memory of yours. All memory is taken by ftl_format and
 * ftl_mount. What comes after takes none, and each call makes at most the operations of the driver that ftl_bounds says.
 *
 * The functions of one instance are not re-entrant: one call at a time. Different instances are independent, with one exception:
 * one ftl_format, ftl_mount or ftl_shutdown with scratch memory at a time in the whole program (FTL_E_BUSY tells).
 */
#ifndef FTLKIT_H
#define FTLKIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the functions of a driver return besides 0 and counts of bits, and bytes of each spare area. */
#define FTL_NAND_ERASED (-1) /* A read or a copy: the page is erased. */
#define FTL_NAND_UNCORRECTABLE (-2) /* A read or a copy: more bit errors than ECC corrects, or a page that a power cut tore. */
#define FTL_NAND_FAILED (-3) /* A program, a copy or an erase: the part reported that it failed. */
#define FTL_NAND_STOP (-4) /* Any: nothing can be done any more. The instance ends. */
#define FTL_SPARE_BYTES 16 /* Bytes of the spare area of a page that are the library's, wherever in it the driver keeps them. */

/* What the functions of the library return. ftl_error_text has the texts. */
#define FTL_OK 0 /* Done. */
#define FTL_MORE 1 /* Done, and there is more to do: of ftl_idle. */
#define FTL_E_ARGUMENT (-1) /* A pointer is NULL, or a function of the driver that must be there is. */
#define FTL_E_SHAPE (-2) /* The shape of the array is not one. */
#define FTL_E_TIMES (-3) /* A time is 0, or the scheme has no bound with these times. */
#define FTL_E_BLOCKS (-4) /* The scheme needs more blocks. */
#define FTL_E_PAGES (-5) /* More logical pages are asked for than the bound allows. */
#define FTL_E_SPARE (-6) /* A format: more blocks are bad than are spare. A mount: no more blocks are good than are spare. Nothing was erased or programmed, but by a format that found them bad. */
#define FTL_E_MEMORY (-7) /* The arena, or the scratch memory of a shutdown, is too small. An instance goes on. */
#define FTL_E_BUSY (-8) /* Another format, mount or shutdown with scratch memory is under way. */
#define FTL_E_RANGE (-9) /* A logical page beyond ftl_pages. */
#define FTL_E_UNREADABLE (-10) /* The page is lost, until it is written again; a mount may not know it. */
#define FTL_E_FULL (-11) /* No free page is left. */
#define FTL_E_FORMAT (-12) /* The array is of another format, or is not what the scheme writes. Nothing was erased or programmed. */
#define FTL_E_STOPPED (-13) /* A function of the driver stopped the call, and ended the instance if there is one. */
#define FTL_E_DRIVER (-14) /* A function of the driver returned what it must not. */
#define FTL_E_LOST_TRACK (-15) /* A failure took more memory than was set aside for failures. */
#define FTL_E_HANDLE (-16) /* The handle is not one of a mounted instance. */
#define FTL_E_TOO_LARGE (-17) /* The arena would be larger than a pointer of this processor reaches. */
#define FTL_E_NOT_ERASED (-18) /* A block could neither be erased nor be marked bad: of ftl_format. */

/* What becomes of the spare area of a page that the driver copies: pass it on to ftl_restamp. */
struct ftl_stamp {
    /* Page that is copied, and page that is programmed: block x pages per block + page. */
    uint32_t from;
    /* As from. */
    uint32_t to;
    /* Number that the copy carries; all ones: that of the original. */
    uint64_t seq;
    /* Logical pages, and pages of the map, that the array may hold. */
    uint32_t limits[3];
    /* What a mount must have in common with the format. */
    uint32_t format;
};

/* A driver: what its functions do, and return. */
struct ftl_driver {
    /* Passed on to each function. */
    void *context;
    /* Reads a page: its bytes to data (NULL: they are not needed), the library's FTL_SPARE_BYTES bytes of its spare area to
     * spare. Returns the number of bits that ECC corrected, or FTL_NAND_ERASED, FTL_NAND_UNCORRECTABLE, FTL_NAND_STOP. A page
     * that was never programmed since the erase of its block is erased; so is one whose spare area reads as all ones. */
    int (*read)(void *context, uint32_t block, uint32_t page, uint8_t *data, uint8_t *spare);
    /* Programs the page from data (NULL: any bytes), and the library's bytes of its spare area from spare. Returns 0,
     * FTL_NAND_FAILED or FTL_NAND_STOP. The library programs the pages of a block in order, each once after an erase of the
     * block. */
    int (*program)(void *context, uint32_t block, uint32_t page, const uint8_t *data, const uint8_t *spare);
    /* Erases the block. Returns 0, FTL_NAND_FAILED or FTL_NAND_STOP. */
    int (*erase)(void *context, uint32_t block);
    /* May be NULL: then a copy is a read and a program. Otherwise: reads the page to the part's register and its spare area
     * to spare; calls ftl_restamp(stamp, spare), and returns what that returns if it is not 0; programs the register, with
     * spare as its spare area, at the other page. Returns the number of bits that ECC corrected, or FTL_NAND_ERASED,
     * FTL_NAND_UNCORRECTABLE (the read), FTL_NAND_FAILED (the program), FTL_NAND_STOP. */
    int (*copy)(void *context, uint32_t from_block, uint32_t from_page, uint32_t to_block, uint32_t to_page,
            const struct ftl_stamp *stamp, uint8_t *spare);
    /* Returns 1 if the block is marked bad, by the factory or by mark_bad; 0 if not; or FTL_NAND_STOP. Asked once per block
     * and mount. */
    int (*is_bad)(void *context, uint32_t block);
    /* Marks the block bad for good. Returns 0, FTL_NAND_FAILED (no mark could be written) or FTL_NAND_STOP. */
    int (*mark_bad)(void *context, uint32_t block);
};

/* The schemes. A program links those that it names. */
struct ftl_scheme;
/* page-level: exports the most; a write may wait for a whole block. */
extern const struct ftl_scheme ftl_scheme_page_level;
/* fsr: as page-level, with a quarter of the pages kept back, which bounds the valid pages of a victim. */
extern const struct ftl_scheme ftl_scheme_fsr;
/* lazy-rtgc: a write waits for at most one erase. */
extern const struct ftl_scheme ftl_scheme_lazy_rtgc;
/* lazy-rtgc-on-demand: the same, with the map on flash. */
extern const struct ftl_scheme ftl_scheme_lazy_rtgc_on_demand;
/* gftl: a block map and a write queue; a read or a write waits for at most one erase. */
extern const struct ftl_scheme ftl_scheme_gftl;

/* An array, and how it is used. Mount with the configuration of the format. */
struct ftl_config {
    /* One of the schemes. */
    const struct ftl_scheme *scheme;
    /* The driver; copied. */
    struct ftl_driver driver;
    /* Blocks of the array, 3 or more. */
    uint32_t blocks;
    /* Pages of a block, 2 to 1048576. */
    uint32_t pages_per_block;
    /* Bytes of a page without its spare area, 2 to 1048576. */
    uint32_t page_bytes;
    /* Blocks set aside to replace bad ones. */
    uint32_t spare_blocks;
    /* Logical pages; 0: as many as the bound allows, which follows from the times too. A mount must have as many as the
     * format. */
    uint32_t pages;
    /* Longest read of a page, with its transfer, ns. */
    uint32_t read_ns;
    /* Longest read of a spare area, ns. */
    uint32_t read_spare_ns;
    /* Longest program, with its transfer, ns. */
    uint32_t program_ns;
    /* Longest erase, ns. */
    uint32_t erase_ns;
    /* Corrected bits from which on a page that was read is written again in idle time; 0: never. */
    uint32_t refresh_bits;
};

/* Operations of the driver, and their time by the times of the configuration. */
struct ftl_cost {
    /* Pages read with their bytes. */
    uint64_t reads;
    /* Spare areas read alone. */
    uint64_t spare_reads;
    /* Pages programmed. */
    uint64_t programs;
    /* Pages copied by the driver. */
    uint64_t copies;
    /* Blocks erased. */
    uint64_t erases;
    /* Time of all, ns, by the times of the configuration. */
    uint64_t time_ns;
};

/* What each call costs at most, while no program and no erase fails. Each count is a bound of its own, time_ns that of all. */
struct ftl_bounds {
    /* Logical pages exported. */
    uint32_t pages;
    /* 1 if the bound of a write does not depend on how full the device is and what was written before. */
    uint32_t real_time;
    /* ftl_read. */
    struct ftl_cost read;
    /* ftl_write. */
    struct ftl_cost write;
    /* ftl_trim. */
    struct ftl_cost trim;
    /* ftl_sync. */
    struct ftl_cost sync;
    /* One step of ftl_idle. */
    struct ftl_cost idle_step;
    /* ftl_shutdown, with scratch memory or without. */
    struct ftl_cost shutdown;
    /* ftl_mount after a power cut. */
    struct ftl_cost mount;
    /* ftl_mount after an ftl_shutdown that has sealed the array. */
    struct ftl_cost clean_mount;
};

/* What happened since the mount. */
struct ftl_stats {
    /* Calls of ftl_read. */
    uint64_t reads;
    /* Calls of ftl_write. */
    uint64_t writes;
    /* Calls of ftl_trim. */
    uint64_t trims;
    /* Operations of the driver since the mount. */
    struct ftl_cost total;
    /* Operations of the mount itself. */
    struct ftl_cost mount;
    /* The most of each in one read. */
    struct ftl_cost worst_read;
    /* The most of each in one write. */
    struct ftl_cost worst_write;
    /* The most of each in one trim. */
    struct ftl_cost worst_trim;
    /* The most of each in one sync. */
    struct ftl_cost worst_sync;
    /* The most of each in one step in idle time. */
    struct ftl_cost worst_idle_step;
    /* Bits that ECC corrected. */
    uint64_t corrected_bits;
    /* Pages that idle time wrote again. */
    uint64_t refreshed;
    /* Pages that wait for it: 16 at most, another one is noted at its next read. */
    uint64_t refresh_waiting;
    /* Pages that can be programmed without an erase. */
    uint64_t free_pages;
    /* Pages that the mount and collection found lost: their only copy could not be read. Those that ftl_read found are not
     * among them. */
    uint64_t lost_pages;
    /* Calls of ftl_read that returned FTL_E_UNREADABLE. */
    uint64_t unreadable_reads;
    /* Reads and copies of the mount that found a programmed page unreadable, torn ones of power cuts among them; a page may
     * count more than once. 0: none of the pages that the mount looked at was. Otherwise pages may be lost whose logical page
     * is not known. */
    uint64_t mount_unreadable;
    /* Blocks that went bad. */
    uint64_t retired_blocks;
    /* Bytes of the arena that the instance keeps, from its start on. */
    uint64_t arena_kept;
    /* Bytes of the arena that the mount needed at most. */
    uint64_t arena_peak;
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

/* Erases all that is written. The arena is free again afterwards. Returns FTL_E_NOT_ERASED if a block could neither be erased
 * nor be marked bad. */
int ftl_format(const struct ftl_config *config, void *arena, size_t bytes);

/* Mounts an array, after ftl_shutdown or a power cut. The arena is the instance's until its end. FTL_E_FORMAT and FTL_E_SPARE
 * come before anything is programmed or erased, in this order. */
int ftl_mount(const struct ftl_config *config, void *arena, size_t bytes, struct ftl **out);

/* Logical pages of an instance, each of the configuration's page_bytes; 0 if there is none. */
uint32_t ftl_pages(const struct ftl *ftl);

/* Reads a page. One that was never written, or was trimmed, reads as zeros; after a mount a trimmed page may have its old
 * bytes. One that the driver cannot correct is FTL_E_UNREADABLE until it is written; if its spare area cannot be read either,
 * until the next mount. */
int ftl_read(struct ftl *ftl, uint32_t page, void *data);

/* Writes a page. */
int ftl_write(struct ftl *ftl, uint32_t page, const void *data);

/* Forgets a page, so that it costs no copies. */
int ftl_trim(struct ftl *ftl, uint32_t page);

/* Makes what was written durable. Of ftl_scheme_gftl only: with the others a write is durable when it returns. */
int ftl_sync(struct ftl *ftl);

/* Collects in idle time, in steps, for at most budget_ns by the times of the configuration, and first writes the pages again
 * that wait for it. Returns FTL_OK if there is nothing to do, FTL_MORE if the next step may not fit. Whether there is a next
 * step is not known before there is time for it: with a budget below idle_step.time_ns of ftl_bounds it may return FTL_MORE
 * each time. One of as much, again and again, ends with FTL_OK. */
int ftl_idle(struct ftl *ftl, uint64_t budget_ns);

/* Makes all durable and ends the instance. ftl_scheme_lazy_rtgc_on_demand writes its map, and with scratch memory
 * ftl_scheme_gftl does. sealed may be NULL: it is set to 1 if they did, and the next mount is within clean_mount; else to 0.
 * The instance ends whatever is returned, but for FTL_E_MEMORY (bytes below ftl_shutdown_memory) and FTL_E_BUSY: then it goes
 * on. */
int ftl_shutdown(struct ftl *ftl, void *scratch, size_t bytes, uint32_t *sealed);

/* What happened since the mount. */
int ftl_stats(const struct ftl *ftl, struct ftl_stats *stats);

/* For a driver's copy: turns the spare area of the original into that of the copy. Returns 0, FTL_NAND_ERASED or
 * FTL_NAND_UNCORRECTABLE. */
int ftl_restamp(const struct ftl_stamp *stamp, uint8_t *spare);

#ifdef __cplusplus
}
#endif

#endif
