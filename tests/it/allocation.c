/* Lets one allocation of a parse worker fail: the one of the number in FAIL_AT. Counts them in
   the file that COUNT_INTO names. Loaded by LD_PRELOAD; see allocation.rs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long here;
static atomic_long *made = &here;
static long fail_at;

/* The worker is ended from outside, so the count lies where others see it. */
__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("FAIL_AT");
    const char *path = getenv("COUNT_INTO");
    int file = path ? open(path, O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
    if (file >= 0 && ftruncate(file, sizeof(atomic_long)) == 0) {
        void *shared = mmap(NULL, sizeof(atomic_long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (shared != MAP_FAILED) made = shared;
    }
    fail_at = number ? atol(number) : 0;
}

static int fails(void) {
    if (atomic_fetch_add(made, 1) + 1 != fail_at) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t many, size_t size) { return fails() ? NULL : __libc_calloc(many, size); }
void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }
void *memalign(size_t align, size_t size) { return fails() ? NULL : __libc_memalign(align, size); }
void *aligned_alloc(size_t align, size_t size) { return fails() ? NULL : __libc_memalign(align, size); }

int posix_memalign(void **into, size_t align, size_t size) {
    void *made_here = fails() ? NULL : __libc_memalign(align, size);
    if (!made_here) return ENOMEM;
    *into = made_here;
    return 0;
}
