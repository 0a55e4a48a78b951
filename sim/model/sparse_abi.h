/* The C interface of a simulation model of the sparse core: one Verilated sp_core, the memory that streams its matrix,
   and whole vectors in and out. Models are built for one set of parameters and opened with dlopen;
   mantissa_sparse_model() is the only symbol. */
#ifndef MANTISSA_SIM_SPARSE_ABI_H
#define MANTISSA_SIM_SPARSE_ABI_H

#include <stdint.h>

#include "model_abi.h"
#include "upset_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MANTISSA_SPARSE_VERSION 2

/* What a run took: of the matrix's stream, the only one while a run is on. */
typedef struct {
    uint64_t cycles; /* clocks busy */
    uint64_t passes; /* beats taken that ask for the matrix */
    uint64_t beats;  /* of the matrix */
    uint64_t waited; /* clocks on which the core would have taken a beat and none was there */
} mantissa_sparse_stats;

typedef struct mantissa_sparse_state mantissa_sparse_state;

typedef struct {
    uint32_t version;
    uint32_t has_trace;
    uint32_t row_words;  /* 64-bit words of a beat of the matrix, the lowest first, */
    uint32_t word_words; /* and of a beat of a vector */
    mantissa_sparse_state* (*create)(void);
    void (*destroy)(mantissa_sparse_state*);
    void (*reset)(mantissa_sparse_state*);
    void (*set_memory)(mantissa_sparse_state*, const mantissa_memory*);
    /* The matrix that every pass takes: beats one after another; beat_bytes count for the bandwidth. It stays the
       caller's. */
    void (*set_matrix)(mantissa_sparse_state*, const uint64_t* beats, uint64_t count, uint32_t beat_bytes);
    /* For tests: tlast comes with beat `last_at`, and the stream is dead from beat `ends_at` on (~0: as it should be).
     */
    void (*misbehave)(mantissa_sparse_state*, uint64_t last_at, uint64_t ends_at);
    void (*write_register)(mantissa_sparse_state*, uint32_t address, uint32_t value);
    uint32_t (*read_register)(mantissa_sparse_state*, uint32_t address);
    /* A whole vector in and out (0 u, 1 r, 2 p, 3 q), `count` beats, with the memory's random stalls. Returns the beats
       that moved before nothing did for 10000 clocks; of beats out one more than `count` where more came. */
    uint64_t (*load)(mantissa_sparse_state*, uint32_t vector, const uint64_t* beats, uint64_t count);
    uint64_t (*send)(mantissa_sparse_state*, uint32_t vector, uint64_t* beats, uint64_t count);
    /* Clocks until the core is done (0), nothing has moved for `patience` clocks (1), or `limit` clocks have gone by
       (2; 0: no limit). Adds to stats. */
    int (*run)(mantissa_sparse_state*, uint64_t patience, uint64_t limit, mantissa_sparse_stats* stats);
    /* Writes an FST of clocks first..last (counted since create). Models built with trace only; else 1. */
    int (*trace)(mantissa_sparse_state*, const char* path, uint64_t first, uint64_t last);
    uint64_t (*clock)(mantissa_sparse_state*);
    /* As in model_abi.h. */
    uint64_t (*upset_places)(const mantissa_upset_place** list);
    void (*arm)(mantissa_sparse_state*, const mantissa_upset*);
} mantissa_sparse_api;

__attribute__((visibility("default"))) const mantissa_sparse_api* mantissa_sparse_model(void);

#ifdef __cplusplus
}
#endif

#endif
