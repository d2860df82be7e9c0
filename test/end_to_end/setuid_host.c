/*
 * A program that a job might start with more rights than its user has: setuid_host LIBCUDA uses the
 * driver and launches a kernel. It names the driver by its path, since the loader trusts no
 * variable in such a program. Prints "secure" if the kernel says that it runs with rights that are
 * not its user's.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>

int main(int argc, char** argv) {
  void* driver = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (driver == NULL) return 2;
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
  int (*launch)(const char*, uint64_t) = (int (*)(const char*, uint64_t))dlsym(driver, "fakeDriverLaunch");
  if (init == NULL || launch == NULL || init(0) != 0 || launch("kernel", 1000) != 0) return 3;
  puts(getauxval(AT_SECURE) != 0 ? "secure" : "plain");
  return 0;
}
