/* What a simulation model that was built for upsets adds to its interface: its state by name, and one bit of it to turn
   over at a clock. In other models the list is empty. */
#ifndef MANTISSA_SIM_UPSET_ABI_H
#define MANTISSA_SIM_UPSET_ABI_H

#include <stdint.h>

/* A register, or a memory of `words` words, of which `bits` bits each are state. */
typedef struct {
    const char *name; /* as Verilator has it */
    uint32_t bits;
    uint64_t words;
} mantissa_upset_place;

/* After the edge number `clock` (counted since create) bit `bit` of word `word` of the place is turned over. */
typedef struct {
    uint32_t place;
    uint32_t bit;
    uint64_t word;
    uint64_t clock;
} mantissa_upset;

#endif
