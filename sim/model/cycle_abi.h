/* The C interface of a simulation model of the cycle core: one Verilated fx_cycle, in a shared object of its own,
   opened with dlopen; mantissa_cycle_model() is its only symbol. */
#ifndef MANTISSA_SIM_CYCLE_ABI_H
#define MANTISSA_SIM_CYCLE_ABI_H

#include <stdint.h>

#include "upset_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MANTISSA_CYCLE_VERSION 2

/* What a verdict saw: cycles so far, the length of D's largest word, and the sum of squares. */
typedef struct {
    uint32_t cycles;
    int32_t exponent;
    uint64_t squares;
} mantissa_verdict;

typedef struct mantissa_cycle_state mantissa_cycle_state;

typedef struct {
    uint32_t version;
    mantissa_cycle_state* (*create)(void);
    void (*destroy)(mantissa_cycle_state*);
    /* By the wire: the registers are as at the start. */
    void (*reset)(mantissa_cycle_state*);
    void (*write_register)(mantissa_cycle_state*, uint32_t address, uint32_t value);
    uint32_t (*read_register)(mantissa_cycle_state*, uint32_t address);
    /* Streams in `count` words of D, tlast with the last one; with `stall` clocks without a word between. */
    void (*load)(mantissa_cycle_state*, const uint64_t* words, uint64_t count, uint32_t stall);
    /* Clocks until no solve is on (0), or `limit` clocks have gone by (1; 0: no limit). seen(at, v) is called for each
       verdict. */
    int (*run)(mantissa_cycle_state*, uint64_t limit, void (*seen)(void* at, const mantissa_verdict*), void* at);
    /* Writes CONTROL.send and takes words of U until tlast, `most` at most; returns how many. */
    uint64_t (*send)(mantissa_cycle_state*, uint64_t* words, uint64_t most, uint32_t stall);
    /* Clocks since create. */
    uint64_t (*clock)(mantissa_cycle_state*);
    /* As in model_abi.h. */
    uint64_t (*upset_places)(const mantissa_upset_place** list);
    void (*arm)(mantissa_cycle_state*, const mantissa_upset*);
} mantissa_cycle_api;

__attribute__((visibility("default"))) const mantissa_cycle_api* mantissa_cycle_model(void);

#ifdef __cplusplus
}
#endif

#endif
