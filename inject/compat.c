/*
 * Keeps the injected library loadable by the glibc 2.28 of older containers, although it is built
 * against a newer one.
 *
 * glibc 2.34 moved pthread_*, sem_* and dl* into libc.so.6 under new symbol versions, 2.33 gave
 * stat() and its kin their first versions, later releases added functions that libstdc++.a picks
 * up. Each symbol below is defined here, hidden, before the linker looks at libc: references from
 * our objects and from libstdc++.a and libzstd.a alike end here, and here they jump to the old
 * version of the same function. A `.symver` in our own sources could not reach the references
 * inside those archives.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#define JUMP_TO(target) "endbr64\n jmp *" target "@GOTPCREL(%rip)\n"
#elif defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#define JUMP_TO(target) "adrp x16, :got:" target "\n ldr x16, [x16, :got_lo12:" target "]\n br x16\n"
#else
#error "no trampolines for this processor"
#endif

#define TRAMPOLINE(name, version)                                  \
  __asm__(".symver dp_old_" #name "," #name "@" version "\n"       \
          ".text\n .p2align 4\n"                                   \
          ".globl " #name "\n .hidden " #name "\n"                 \
          ".type " #name ",%function\n" #name ":\n"                \
          JUMP_TO("dp_old_" #name)                                 \
          ".size " #name ", .-" #name "\n")

TRAMPOLINE(pthread_create, OLDEST);
TRAMPOLINE(pthread_attr_setstacksize, OLDEST);
TRAMPOLINE(pthread_join, OLDEST);
TRAMPOLINE(pthread_detach, OLDEST);
TRAMPOLINE(pthread_once, OLDEST);
TRAMPOLINE(pthread_key_create, OLDEST);
TRAMPOLINE(pthread_key_delete, OLDEST);
TRAMPOLINE(pthread_getspecific, OLDEST);
TRAMPOLINE(pthread_setspecific, OLDEST);
TRAMPOLINE(pthread_rwlock_rdlock, OLDEST);
TRAMPOLINE(pthread_rwlock_wrlock, OLDEST);
TRAMPOLINE(pthread_rwlock_unlock, OLDEST);
TRAMPOLINE(pthread_mutex_trylock, OLDEST);
TRAMPOLINE(pthread_sigmask, OLDEST);
TRAMPOLINE(dlopen, OLDEST);
TRAMPOLINE(dlsym, OLDEST);
TRAMPOLINE(dlclose, OLDEST);
TRAMPOLINE(dlerror, OLDEST);
TRAMPOLINE(dladdr, OLDEST);
#if defined(__x86_64__)
TRAMPOLINE(pthread_setname_np, "GLIBC_2.12");
#else
TRAMPOLINE(pthread_setname_np, OLDEST);
#endif

#define HIDDEN __attribute__((visibility("hidden")))

/* libstdc++ asks it before it leaves out atomic operations; "no" is always right. */
HIDDEN char __libc_single_threaded = 0;

/* Before 2.33 stat() was an inline call of these, whose first argument is the struct's layout. */
#if defined(__x86_64__)
#define STAT_LAYOUT 1
#else
#define STAT_LAYOUT 0
#endif
extern int __xstat(int layout, const char* path, struct stat* info);
extern int __lxstat(int layout, const char* path, struct stat* info);
extern int __fxstat(int layout, int file, struct stat* info);
extern int __fxstatat(int layout, int folder, const char* path, struct stat* info, int flags);
__asm__(".symver __xstat,__xstat@" OLDEST "\n.symver __lxstat,__lxstat@" OLDEST
        "\n.symver __fxstat,__fxstat@" OLDEST "\n");
#if defined(__x86_64__)
__asm__(".symver __fxstatat,__fxstatat@GLIBC_2.4\n");
#else
__asm__(".symver __fxstatat,__fxstatat@" OLDEST "\n");
#endif

HIDDEN int stat(const char* restrict path, struct stat* restrict info) { return __xstat(STAT_LAYOUT, path, info); }
HIDDEN int lstat(const char* restrict path, struct stat* restrict info) {
  return __lxstat(STAT_LAYOUT, path, info);
}
HIDDEN int fstat(int file, struct stat* info) { return __fxstat(STAT_LAYOUT, file, info); }
HIDDEN int fstatat(int folder, const char* restrict path, struct stat* restrict info, int flags) {
  return __fxstatat(STAT_LAYOUT, folder, path, info, flags);
}

/*
 * zstd calls these hooks if the process defines them. A framework with a tracing zstd of its own
 * would then be told of our compressions: ours are here, and say that tracing is off.
 */
HIDDEN unsigned long long ZSTD_trace_compress_begin(const void* context) {
  (void)context;
  return 0;
}
HIDDEN void ZSTD_trace_compress_end(unsigned long long context, const void* trace) {
  (void)context;
  (void)trace;
}
HIDDEN unsigned long long ZSTD_trace_decompress_begin(const void* context) {
  (void)context;
  return 0;
}
HIDDEN void ZSTD_trace_decompress_end(unsigned long long context, const void* trace) {
  (void)context;
  (void)trace;
}
