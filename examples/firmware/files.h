/* A small file layer over logical pages: whole files, replaced as one. A file is what it was before a power cut, or what it was to
 * become, never a mixture. */
#ifndef FILES_H
#define FILES_H

#include <ftlkit.h>

#define FILES_NAME 16

struct files {
    struct ftl *ftl;
    uint32_t page_bytes;
    uint32_t count;      /* files that there is room for */
    uint32_t most_bytes; /* of one file */
    uint8_t *page;       /* a page of the caller's */
};

/* A file layer on all pages of an instance, for files of at most `most_bytes`. `page` is a buffer of one page. Pages below 64 bytes
 * are refused with FTL_E_SHAPE. */
int files_init(struct files *files, struct ftl *ftl, uint32_t page_bytes, uint32_t most_bytes, uint8_t *page);

/* Replaces a file, or makes it. Durable when it returns FTL_OK. FTL_E_FULL: no room for another file. */
int files_write(struct files *files, const char *name, const void *bytes, uint32_t length);

/* Reads a file: `*length` is the room for it, then its length. FTL_E_RANGE: there is no such file, or it is longer. */
int files_read(struct files *files, const char *name, void *bytes, uint32_t *length);

/* Removes a file. FTL_OK too where there is none. */
int files_remove(struct files *files, const char *name);

#endif
