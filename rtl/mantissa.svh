// Constants that every module shares: number classes, by way of core_latencies.svh and core_registers.svh what
// core.toml describes, and port lists (core_ports.svh). Headers of macros and not a package, because all of Verilator, yosys and Icarus read them alike.
//
// Inside the datapath a number is a pair: a class (2 bits) and a word {sign, exponent, fraction} in the format's
// own layout. The exponent and fraction count only when the class is finite; the sign counts always but for NaN.
// fp_unpack makes the pair at the datapath's edge, fp_pack closes it.
`ifndef MANTISSA_SVH
`define MANTISSA_SVH

`include "core_latencies.svh"
`include "core_ports.svh"
`include "core_registers.svh"
`include "resident_registers.svh"

`define CLS_ZERO   2'b00
`define CLS_FINITE 2'b01
`define CLS_INF    2'b10
`define CLS_NAN    2'b11

// Class of a product at {a, b, 1'b0} +: 2. From the top: a NaN, infinite, finite, zero, and in each the same of b.
`define MUL_CLASSES {`CLS_NAN, `CLS_NAN, `CLS_NAN, `CLS_NAN, `CLS_NAN, `CLS_INF, `CLS_INF, `CLS_NAN, \
                     `CLS_NAN, `CLS_INF, `CLS_FINITE, `CLS_ZERO, `CLS_NAN, `CLS_NAN, `CLS_ZERO, `CLS_ZERO}

`define BIAS(e) ((1 << ((e) - 1)) - 1)

// Tiles (i, i + d) of ta * tb.
`define ROW_TILES(ta, tb, d) `MAX2(0, `MIN2(ta, (tb) - (d)) - ((d) < 0 ? -(d) : 0))

// LEAN_LANES, defined for integer cores of several lanes on a device with blocks to spare, takes LUTs from a lane; bits and clocks are the
// same. Products are shifted by hard blocks where they can (fx_blocks), else by rings of multiplexers (fx_scale); rows to the south
// and to the north are added before they are moved by half the lanes (fx_lines). It is no parameter: without it the text of a
// core is what it would be if there were no such choice, so that its netlist and a placement that meets its clock stay the same. That
// goes for modules that a core does not use too: yosys elaborates them as it reads them, and its mapping changes with what it made.
//
// Shifts in blocks can be where a product's two halves fit, three windows reach all shifts of a term, and nothing is rounded down.
`define FX_SHIFT_BLOCKS(m, from_most, out_w, down) (((down) == 0 && (m) == 14 && (from_most) <= 18 && (out_w) >= 16 && \
    (out_w) <= 35) ? 1 : 0)
// Half the least shift to the right at which a product that is not 0 may still fit the term, if negative to the left.
`define FX_SHIFT_LEAST(m, out_w) (-(((out_w) - (m) - 1) / 2))

// lane_turn: clocks. Two lanes want one choice, which leaves the clock room for an adder; 64 want six, three a clock.
`define LANE_TURN_LATENCY(lanes) (((lanes) <= 2) ? 0 : ((lanes) <= 8) ? 1 : 2)

// UNWATCHED, which `mantissa synthesize` defines, leaves out what looks for an integrator's mistakes and for upsets: STALL_LIMIT's watch
// over the scalar unit and over a resident solve, waiting_o after a stall, the reset of the registers WORDS, LENGTHs beyond LenW or of
// no whole rows, sparse vectors of a wrong length or without LENGTH. It is no parameter, as LEAN_LANES is none: a netlist stays what it was.
`ifndef UNWATCHED
`define CLEAR_WORDS clear_words
`else
`define CLEAR_WORDS start
`endif

// In simulation what is at rest is passed over: `cond` is low only where a clocked process would change nothing. Hardware
// does without it, and so do other simulators, which see the same.
`ifdef VERILATOR
`define AWAKE(cond) if (cond)
`else
`define AWAKE(cond)
`endif

// Choices of single bits reach Verilator as operations on whole words, which a processor has; what is synthesised stands
// beside each, and is proved to be the same (tests/rtl/prove_words.sh). Icarus and the mapped netlists run the latter.
`ifdef VERILATOR
`define BY_WORDS
`endif

// Stops elaboration with a message unless `cond` holds (Icarus, which has no elaboration tasks: stops at time zero).
`ifdef __ICARUS__
`define REQUIRE(name, cond, text) initial if (!(cond)) begin $display("%m: %s", text); $finish_and_return(1); end
`elsif VERILATOR
`define REQUIRE(name, cond, text) if (!(cond)) begin : name $fatal(1, text); end
`else
`define REQUIRE(name, cond, text) if (!(cond)) begin : name $error(text); end
`endif

// The same of a top's parameters, outside generate blocks. Verilator comes to a $fatal after what follows from parameters without
// meaning in the parts, but at once to a function that a block's condition needs.
`ifdef VERILATOR
`define REQUIRE_OF_TOP(name, cond, text) \
  function automatic integer name``_holds(input integer holds); if (holds == 0) $fatal(1, text); name``_holds = 1; endfunction \
  if (name``_holds((cond) ? 1 : 0) != 1) begin : name end
`else
`define REQUIRE_OF_TOP(name, cond, text) `REQUIRE(name, cond, text)
`endif

`endif
