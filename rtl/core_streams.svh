// One bit for each stream of the core. A type of the compilation unit and not of a package: Icarus 11 stops at packed
// structures of packages.
`ifndef CORE_STREAMS_SVH
`define CORE_STREAMS_SVH

// The vectors, as they come in or go out.
typedef struct packed {
  logic q;
  logic p;
  logic r;
  logic u;
} core_vectors_t;

// All that comes in.
typedef struct packed {
  logic [8:0] band;
  logic       q;
  logic       p;
  logic       r;
  logic       u;
} core_sources_t;

`endif
