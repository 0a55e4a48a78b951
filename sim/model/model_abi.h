/* The C interface of a simulation model: one Verilated core with its memory, in a shared object of its own, or several
   cores with a slab of the vectors each. Models are built for one set of core parameters and opened with dlopen;
   mantissa_model() is the only symbol. Where a model is built with the interfaces' rules as assertions, calls throw
   std::runtime_error when one does not hold. */
#ifndef MANTISSA_SIM_MODEL_ABI_H
#define MANTISSA_SIM_MODEL_ABI_H

#include <stdint.h>

#include "upset_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MANTISSA_MODEL_VERSION 5

/* Streams: 0..3 u r p q in, 4..12 coefficients in (bands; the integer core's weights and row sums, 4 or 5 of the nine),
   13..16 u r p q out. */
enum { MANTISSA_IN = 13, MANTISSA_OUT = 4, MANTISSA_STREAMS = 17 };

/* The memory that the streams come from and go to; each core has such a port to it. */
typedef struct {
    double bytes_per_cycle; /* shared by all streams, both ways; 0: unlimited */
    uint32_t latency;       /* clocks from a request to its data, and from a write to when it can be read */
    uint32_t fifo_beats;    /* buffer of each stream, in beats */
    double stall;           /* probability that a stream begins a stall of 1 to 16 clocks, each clock */
    uint64_t seed;
} mantissa_memory;

/* A stream that misbehaves, for tests. kind 0: none; 1: tlast at beat `beat`; 2: no tlast; 3: ends before `beat`, and a
   stream of the core's own stays dead between runs. Stream MANTISSA_STREAMS is that of the pass beats. */
typedef struct {
    uint32_t stream;
    uint32_t kind;
    uint64_t beat;
    uint32_t core;
} mantissa_misbehaviour;

typedef struct {
    uint64_t cycles;                      /* clocks busy; of streams, those of any core */
    uint64_t passes;                      /* pass beats taken */
    uint64_t streaming;                   /* clocks on which at least one stream moved */
    uint64_t stall_command;               /* clocks waiting for the memory to take a pass beat */
    uint64_t stall[MANTISSA_STREAMS];     /* clocks on which the pipeline waited for this stream (several may share one) */
    uint64_t stalled;                     /* clocks on which it waited for any stream */
    uint64_t bytes_read, bytes_written;
} mantissa_stats;

/* A vector is its beats one after another. A beat is the core's tdata, the element of lane 0 lowest, in as many 64-bit
   words as it takes, the lowest first, with zeros above; lanes of the last beat without an element hold anything. */
typedef struct {
    uint64_t size; /* elements that a pass reads */
    uint64_t halo_first, halo_last; /* of them at either end those that it does not write; whole beats */
    uint64_t *vectors[2][4]; /* [bank][u r p q], from the first element that is read */
    const uint64_t *bands[9];
    uint32_t element_bytes[MANTISSA_IN]; /* as stored, for the bandwidth */
} mantissa_buffers;

/* One clock with the streams in the caller's hands: what it drives, and what it gets back. Data: the element of lane l of
   stream s at s * lanes + l. */
typedef struct {
    uint32_t in_valid, in_last, out_ready, pass_ready; /* driven */
    const uint64_t *in_data;
    uint32_t in_taken, out_taken, pass_taken, pass_data; /* moved on this clock */
    uint32_t waiting, busy;
    uint64_t *out_data;
} mantissa_ports;

typedef struct mantissa_model_state mantissa_model_state;

typedef struct {
    uint32_t version;
    uint32_t lanes;
    uint32_t cores;
    uint32_t has_trace;
    mantissa_model_state *(*create)(void);
    void (*destroy)(mantissa_model_state *);
    /* Resets the core and the memory's queues; buffers and configuration stay. */
    void (*reset)(mantissa_model_state *);
    void (*set_memory)(mantissa_model_state *, const mantissa_memory *);
    void (*set_buffers)(mantissa_model_state *, uint32_t core, const mantissa_buffers *);
    void (*set_misbehaviour)(mantissa_model_state *, const mantissa_misbehaviour *);
    void (*write_register)(mantissa_model_state *, uint32_t address, uint32_t value);
    uint32_t (*read_register)(mantissa_model_state *, uint32_t address);
    /* Clocks until the core is done (0), nothing has moved for `patience` clocks (1), or `limit` clocks have gone by
       (2; 0: no limit). Adds to stats. */
    int (*run)(mantissa_model_state *, uint64_t patience, uint64_t limit, mantissa_stats *stats);
    /* What the cores are waiting for: pcg_core's waiting_o of any, bit 17 set while a pass beat is offered. */
    uint32_t (*waiting)(mantissa_model_state *);
    /* Writes an FST of clocks first..last (counted since create). Models built with trace only. */
    int (*trace)(mantissa_model_state *, const char *path, uint64_t first, uint64_t last);
    /* Clocks since create. */
    uint64_t (*clock)(mantissa_model_state *);
    /* In place of run(): one clock of a core, one alone, whose memory is somewhere else. */
    void (*cycle)(mantissa_model_state *, mantissa_ports *);
    /* The model's state; how many places. */
    uint64_t (*upset_places)(const mantissa_upset_place **list);
    /* One upset, in models built for them; the next call takes its place. */
    void (*arm)(mantissa_model_state *, const mantissa_upset *);
} mantissa_model_api;

__attribute__((visibility("default"))) const mantissa_model_api *mantissa_model(void);

#ifdef __cplusplus
}
#endif

#endif
