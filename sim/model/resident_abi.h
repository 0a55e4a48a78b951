/* The C interface of a simulation model of the resident core: one Verilated fx_resident, in a shared object of its own,
   opened with dlopen; mantissa_resident_model() is its only symbol. */
#ifndef MANTISSA_SIM_RESIDENT_ABI_H
#define MANTISSA_SIM_RESIDENT_ABI_H

#include <stdint.h>

#include "upset_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MANTISSA_RESIDENT_VERSION 3

/* An accepted r: passes and runs of the solve so far, e, and r.r as a word of the scalar format. */
typedef struct {
    uint32_t passes, steps;
    int32_t exponent;
    uint64_t rr;
} mantissa_accepted;

typedef struct mantissa_resident_state mantissa_resident_state;

typedef struct {
    uint32_t version;
    mantissa_resident_state *(*create)(void);
    void (*destroy)(mantissa_resident_state *);
    /* By the wire: the registers are as at the start. */
    void (*reset)(mantissa_resident_state *);
    void (*write_register)(mantissa_resident_state *, uint32_t address, uint32_t value);
    uint32_t (*read_register)(mantissa_resident_state *, uint32_t address);
    /* Streams in `count` words of D, tlast with the last one; with `stall` clocks without a word between. */
    void (*load)(mantissa_resident_state *, const uint64_t *words, uint64_t count, uint32_t stall);
    /* Clocks until no solve is on (0), or `limit` clocks have gone by (1; 0: no limit). accepted(at, r) is called for each
       accepted r; where it returns 0 the clock is stopped there (2). */
    int (*run)(mantissa_resident_state *, uint64_t limit, int (*accepted)(void *at, const mantissa_accepted *), void *at);
    /* Writes CONTROL.send and takes words of V until tlast, `most` at most; returns how many. */
    uint64_t (*send)(mantissa_resident_state *, uint64_t *words, uint64_t most, uint32_t stall);
    /* Clocks since create. */
    uint64_t (*clock)(mantissa_resident_state *);
    /* As in model_abi.h. */
    uint64_t (*upset_places)(const mantissa_upset_place **list);
    void (*arm)(mantissa_resident_state *, const mantissa_upset *);
} mantissa_resident_api;

__attribute__((visibility("default"))) const mantissa_resident_api *mantissa_resident_model(void);

#ifdef __cplusplus
}
#endif

#endif
