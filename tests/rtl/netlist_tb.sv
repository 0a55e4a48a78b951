// An operator's netlist beside the RTL it was made of, on the same operands: random ones that crowd the corners, random
// enables and pauses. In every clock, every output bit that the RTL knows must be the netlist's. netlist.sh makes
// netlist.v and the defines: PART_<module> and P_<parameter>.
`timescale 1ns / 1ps
`include "mantissa.svh"
`default_nettype none
module netlist_tb;
  reg clk = 0;
  always #5 clk = ~clk;
  integer seed = 7, clocks = 0, known = 0, valid = 0, errors = 0;

  // A word of s<m>e<e>: often a zero, an infinity, an exponent near another's, a fraction of zeros or ones.
  function automatic [63:0] operand(input integer e, input integer m, input [63:0] near);
    reg [63:0] fraction, exponent;
    reg [31:0] r;
    begin
      r = $urandom(seed);
      exponent = $urandom(seed);
      if (r[2:0] != 0) exponent = (near >> m) + {60'd0, r[6:3]} - 64'd7;
      if (r[11:8] == 0) exponent = 0;
      if (r[12:8] == 1) exponent = ~64'd0;
      fraction = {$urandom(seed), $urandom(seed)};
      if (r[15:13] == 0) fraction = 0;
      if (r[15:13] == 1) fraction = ~64'd0;
      if (r[15:13] == 2) fraction = 64'd1 << r[21:16];
      operand = ({63'd0, r[31]} << (e + m)) | ((exponent & ((64'd1 << e) - 1)) << m) | (fraction & ((64'd1 << m) - 1));
    end
  endfunction

  reg en = 0, rst_n = 0;
`ifdef PART_fp_accumulate
  localparam integer E = `P_ET, M = `P_MT, EO = `P_EA, MO = `P_MA;
`elsif PART_fp_mul_serial
  localparam integer E = `P_E, M = `P_M, EO = `P_E, MO = `P_M;
`elsif PART_fixed_accumulator
  localparam integer E = `P_E, M = `P_M, EO = 11, MO = 52;
`else
  localparam integer E = `P_EA, M = `P_MA, EO = `P_EO, MO = `P_MO;
`endif
  reg  [E+M:0] a, b;
  wire [1:0] a_cls, b_cls;
  fp_unpack #(.E(E), .M(M)) i_unpack_a (.word_i(a), .cls_o(a_cls));
  fp_unpack #(.E(E), .M(M)) i_unpack_b (.word_i(b), .cls_o(b_cls));
  reg [63:0] last = 0;
  task draw;
    begin
      a = operand(E, M, last);
      b = operand(E, M, {{(63-E-M){1'b0}}, a});
      last = {{(63-E-M){1'b0}}, b};
    end
  endtask

  // All outputs, `done` among them, as one word; and whether they mean something now.
`ifdef PART_fixed_accumulator
  // The exact product of a and b, as fp_product gives it.
  localparam integer W = `P_Msb - `P_Lsb + 1 + 32;
  reg clear = 1, add = 0;
  wire [2*M+1:0] sig = {1'b1, a[M-1:0]} * {1'b1, b[M-1:0]};
  wire signed [E+1:0] exp = $signed({2'b00, a[E+M-1:M]}) + $signed({2'b00, b[E+M-1:M]}) - 2 * $signed(`BIAS(E)) + 1;
  wire [1:0] cls = (a_cls == `CLS_FINITE && b_cls == `CLS_FINITE) ? `CLS_FINITE : (a_cls | b_cls);
  wire [W:0] rtl_o, netlist_o;
  wire mean = 1'b1;
  fixed_accumulator #(
`include "parameters.svh"
  ) i_rtl (
    .clk_i(clk), .en_i(en), .clear_i(clear), .valid_i(add), .cls_i(cls), .sign_i(a[E+M] ^ b[E+M]), .exp_i(exp),
    .sig_i(sig), .sum_o(rtl_o[W-1:0]), .over_o(rtl_o[W]));
  netlist i_netlist (
    .clk_i(clk), .en_i(en), .clear_i(clear), .valid_i(add), .cls_i(cls), .sign_i(a[E+M] ^ b[E+M]), .exp_i(exp),
    .sig_i(sig), .sum_o(netlist_o[W-1:0]), .over_o(netlist_o[W]));
  task drive;
    begin
      draw;
      clear = clocks < 8 || ($urandom(seed) & 255) == 0;
      add   = ($urandom(seed) & 3) != 0;
    end
  endtask
`elsif PART_fp_accumulate
  reg clear = 1, add = 0, close = 0, fold = 0, negate = 0;
  reg [EO+MO:0] other;
  wire [1:0] other_cls;
  fp_unpack #(.E(EO), .M(MO)) i_unpack_other (.word_i(other), .cls_o(other_cls));
  wire [EO+MO+3:0] rtl_o, netlist_o;
  wire mean = rtl_o[EO+MO+3]; // done_o
  fp_accumulate #(
`include "parameters.svh"
  ) i_rtl (
    .clk_i(clk), .rst_ni(rst_n), .en_i(en), .clear_i(clear), .valid_i(add), .term_cls_i(a_cls), .term_i(a),
    .close_i(close), .fold_i(fold), .negate_i(negate), .other_cls_i(other_cls), .other_i(other),
    .done_o(rtl_o[EO+MO+3]), .total_cls_o(rtl_o[EO+MO+2:EO+MO+1]), .total_o(rtl_o[EO+MO:0]));
  netlist i_netlist (
    .clk_i(clk), .rst_ni(rst_n), .en_i(en), .clear_i(clear), .valid_i(add), .term_cls_i(a_cls), .term_i(a),
    .close_i(close), .fold_i(fold), .negate_i(negate), .other_cls_i(other_cls), .other_i(other),
    .done_o(netlist_o[EO+MO+3]), .total_cls_o(netlist_o[EO+MO+2:EO+MO+1]), .total_o(netlist_o[EO+MO:0]));
  // Sums of 0 to 63 terms, closed, and folded twice with another number. A step is a clock in which the core moves.
  integer step = 0, terms = 0;
  task drive;
    begin
      if (en || clocks < 8) begin // what was shown has been taken
        {clear, add, close, fold} = 4'b0000;
        draw;
        other = operand(EO, MO, {{(63-EO-MO){1'b0}}, rtl_o[EO+MO:0]});
        if (clocks < 8) clear = 1;
        else begin
          if (step == 0) begin
            clear = 1;
            terms = $urandom(seed) & 63;
          end else if (step <= terms) add = ($urandom(seed) & 7) != 0;
          else if (step == terms + 16) close = 1;
          else if (step == terms + 200 || step == terms + 240) begin
            fold   = 1;
            negate = step == terms + 240;
          end
          step = (step == terms + 280) ? 0 : step + 1;
        end
      end
    end
  endtask
`elsif PART_fp_div
`define SEQUENTIAL
`elsif PART_fp_mul_serial
`define SEQUENTIAL
`else
  wire [EO+MO+2:0] rtl_o, netlist_o;
  wire mean = 1'b1;
`ifdef PART_fp_add
  fp_add #(
`else
  fp_mul #(
`endif
`include "parameters.svh"
  ) i_rtl (
    .clk_i(clk), .en_i(en), .a_cls_i(a_cls), .a_i(a), .b_cls_i(b_cls), .b_i(b), .cls_o(rtl_o[EO+MO+2:EO+MO+1]),
    .word_o(rtl_o[EO+MO:0]));
  netlist i_netlist (
    .clk_i(clk), .en_i(en), .a_cls_i(a_cls), .a_i(a), .b_cls_i(b_cls), .b_i(b),
    .cls_o(netlist_o[EO+MO+2:EO+MO+1]), .word_o(netlist_o[EO+MO:0]));
  task drive;
    draw;
  endtask
`endif
`ifdef SEQUENTIAL
  reg start = 0;
  wire [EO+MO+3:0] rtl_o, netlist_o;
  wire mean = rtl_o[EO+MO+3]; // done_o
`ifdef PART_fp_div
  fp_div #(
`else
  fp_mul_serial #(
`endif
`include "parameters.svh"
  ) i_rtl (
    .clk_i(clk), .rst_ni(rst_n), .start_i(start), .a_cls_i(a_cls), .a_i(a), .b_cls_i(b_cls), .b_i(b),
    .done_o(rtl_o[EO+MO+3]), .cls_o(rtl_o[EO+MO+2:EO+MO+1]), .word_o(rtl_o[EO+MO:0]));
  netlist i_netlist (
    .clk_i(clk), .rst_ni(rst_n), .start_i(start), .a_cls_i(a_cls), .a_i(a), .b_cls_i(b_cls), .b_i(b),
    .done_o(netlist_o[EO+MO+3]), .cls_o(netlist_o[EO+MO+2:EO+MO+1]), .word_o(netlist_o[EO+MO:0]));
  integer left = 8; // clocks until the next start
  task drive;
    begin
      start = left == 0;
      if (start) draw;
      left = (left == 0) ? M + 8 + ($urandom(seed) & 3) : left - 1;
    end
  endtask
`endif

  integer k;
  initial begin
    for (clocks = 0; clocks < `CLOCKS; clocks = clocks + 1) begin
      @(negedge clk);
      rst_n = clocks >= 4;
      en    = clocks < 40 || ($urandom(seed) & 7) != 0;
      drive;
      #4; // before the rising edge
      if (clocks >= 8) begin
        for (k = 0; k < $bits(rtl_o); k = k + 1)
          if (rtl_o[k] !== 1'bx && netlist_o[k] !== rtl_o[k]) begin
            if (errors < 5) $display("clock %0d, bit %0d: RTL %h, netlist %h", clocks, k, rtl_o, netlist_o);
            errors = errors + 1;
          end
        if ((^rtl_o) !== 1'bx) known = known + 1;
        if (mean && (^rtl_o) !== 1'bx) valid = valid + 1;
      end
    end
    $display("%0d clocks, %0d of them with every bit known, %0d results, %0d wrong bits", clocks, known, valid, errors);
    if (errors == 0 && valid >= `RESULTS && known >= `CLOCKS / 2) $display("PASSED");
    $finish_and_return(errors != 0);
  end
endmodule
`default_nettype wire
