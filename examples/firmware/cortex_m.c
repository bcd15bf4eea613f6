/* What a program needs to start on a Cortex-M that QEMU emulates: the vector table. QEMU loads code and data to their places. */
#include <stdint.h>

extern void _start(void);

void fault(void);
void fault(void)
{
    for (;;) {
    }
}

/* The stack's end, where it starts, and what the faults call. */
extern void *const VECTORS[];
__attribute__((section(".vectors"))) void *const VECTORS[] = {
    (void *)(uintptr_t)0x20400000, (void *)_start, (void *)fault, (void *)fault, (void *)fault, (void *)fault, (void *)fault};
