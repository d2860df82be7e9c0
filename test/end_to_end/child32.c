/* A 32-bit program, which a job may start: the 64-bit library cannot be loaded into it. */
#include <stdio.h>

int main(void) {
  printf("%u bits\n", 8 * (unsigned)sizeof(void*));
  return 0;
}
