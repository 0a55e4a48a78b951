// Constants that every module shares: number classes and the latencies of the operators as functions of their
// parameters. A header of macros and not a package, because all of Verilator, yosys and Icarus read it alike.
//
// Inside the datapath a number is a pair: a class (2 bits) and a word {sign, exponent, fraction} in the format's
// own layout. The exponent and fraction count only when the class is finite; the sign counts always but for NaN.
// fp_unpack makes the pair at the datapath's edge, fp_pack closes it.
`ifndef MANTISSA_SVH
`define MANTISSA_SVH

`define CLS_ZERO   2'b00
`define CLS_FINITE 2'b01
`define CLS_INF    2'b10
`define CLS_NAN    2'b11

// Class of a product at {a, b, 1'b0} +: 2.
`define MUL_CLASSES 32'hFFEBE4F0

`define MAX2(a, b) ((a) > (b) ? (a) : (b))
`define MIN2(a, b) ((a) < (b) ? (a) : (b))
`define MAX3(a, b, c) `MAX2(`MAX2(a, b), c)
`define BIAS(e) ((1 << ((e) - 1)) - 1)

// fp_add: significand width m = the widest fraction of its three formats. Six stages (compare and swap; align; add;
// normalise in two; round); above 28 bits eight (compare; swap; align; add; normalise in three; round).
`define ADD_LATENCY(ma, mb, mo) (`MAX3(ma, mb, mo) > 28 ? 8 : 6)

// 17-bit tiles across a fraction of m bits: the hidden bit, and one bit more, stay outside where that saves a tile.
`define MUL_TILES(m) (((m) + 15) / 17)
// Tiles (i, i + d) of ta * tb.
`define ROW_TILES(ta, tb, d) `MAX2(0, `MIN2(ta, (tb) - (d)) - ((d) < 0 ? -(d) : 0))
// fp_product: two stages (tiles; sum), or one for each tile of the wider operand. fp_mul: one more, which rounds.
`define PRODUCT_LATENCY(ma, mb) `MAX3(`MUL_TILES(ma), `MUL_TILES(mb), 2)
`define MUL_LATENCY(ma, mb) (`PRODUCT_LATENCY(ma, mb) + 1)

// fp_convert: nothing to do between equal formats.
`define CONVERT_LATENCY(ei, mi, eo, mo) ((ei) == (eo) && (mi) == (mo) ? 0 : 1)

// fp_to_fixed: exponent to distance; shift. Its over_o comes one clock later.
`define TO_FIXED_LATENCY 2

// Sequential operators, clocks from start_i to done_o.
`define DIV_LATENCY(mo) ((mo) + 6)
`define MUL_SERIAL_LATENCY(mb) (((mb) + 2) / 2 + 4)

// Where the streams meet the pipeline, in clocks behind the slot that consumes p and q (vector_update).
`define U_IN(om, pm) `MUL_LATENCY(om, pm)
`define U_OUT(om, pm, um) (`U_IN(om, pm) + `ADD_LATENCY(um, um, um))
`define R_IN(om, qm) `MUL_LATENCY(om, qm)
`define R_OUT(om, qm, rm) (`R_IN(om, qm) + `ADD_LATENCY(rm, rm, rm))
`define P_OUT(om, qm, rm, pm) (`R_OUT(om, qm, rm) + `ADD_LATENCY(rm, pm, pm))

// Row sum: when the product of band b is formed, in clocks behind the window; and when q' is there.
`define ROW_OFF(tree, wm, b) ((tree) != 0 ? ((b) == 8 ? 3 * `ADD_LATENCY(wm, wm, wm) : 0) : \
                              ((b) < 2 ? 0 : ((b) - 1) * `ADD_LATENCY(wm, wm, wm)))
`define ROW_LATENCY(tree, cm, pm, we, wm, qe, qm) (`MUL_LATENCY(cm, pm) + \
    ((tree) != 0 ? 4 : 8) * `ADD_LATENCY(wm, wm, wm) + `CONVERT_LATENCY(we, wm, qe, qm))

// Stops elaboration with a message unless `cond` holds (Icarus, which has no elaboration tasks: stops at time zero).
`ifdef __ICARUS__
`define REQUIRE(name, cond, text) initial if (!(cond)) begin $display("%m: %s", text); $finish_and_return(1); end
`elsif VERILATOR
`define REQUIRE(name, cond, text) if (!(cond)) begin : name $fatal(1, text); end
`else
`define REQUIRE(name, cond, text) if (!(cond)) begin : name $error(text); end
`endif

`endif
