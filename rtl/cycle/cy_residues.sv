/// The residues modulo 3 that U' and D' of cy_correct must have, from those of their words and of c alone: rows of residues wait and are
/// weighted as cy_window does with c. Integers are what they are, so no threshold is needed. A place of whole sixteens of bits
/// multiplies by a power of 4, which is 1.
`include "mantissa.svh"
`default_nettype none
module cy_residues #(
`include "cycle_parameters.svh"
  , parameter integer CW = 42 ///< bits of c
) (
  input  wire                 clk_i,
  input  wire                 up_i,    ///< else nothing is added to U and D
  input  wire  [Lanes*CW-1:0] c_i,     ///< as it is taken for U and for A c
  output logic [Lanes*2-1:0]  c_o,     ///< its residue, a clock later: what waits a row
  input  wire  [Lanes*2-1:0]  here_i,  ///< a row later,
  input  wire  [Lanes*2-1:0]  south_i, ///< and two
  input  wire  [Lanes-1:0]    live_i,  ///< beside D's word: D' is not 0
  input  wire  [Lanes*2-1:0]  u_i,     ///< beside the words
  input  wire  [Lanes*2-1:0]  d_i,
  output logic [Lanes*2-1:0]  u_o,     ///< beside the sums, a clock later
  output logic [Lanes*2-1:0]  d_o,
  output logic [Lanes-1:0]    some_o   ///< beside U': c is not 0
);
`include "cycle_bounds.svh"
`include "mod3.svh"
  wire [Lanes*2-1:0] c, beside;
  logic [Lanes*2-1:0] behind_q; // the beat before
  mod3_residue #(.Lanes(Lanes), .W(CW)) i_c (.clk_i, .en_i(1'b1), .word_i(c_i), .residue_o(c));
  always_ff @(posedge clk_i) begin
    c_o      <= c;
    behind_q <= beside;
  end
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      wire [1:0] outer = mod3_add(c_o[l*2 +: 2], south_i[l*2 +: 2]); // of the rows to the south and to the north
      wire [1:0] here  = here_i[l*2 +: 2];
      wire [1:0] column;
      delay #(.W(4), .N(WindowLatency + 1)) i_columns (
        .clk_i, .en_i(1'b1), .ptr_i(7'd0),
        .d_i({mod3_add(mod3_times(outer, mod3_of(North)), mod3_times(here, mod3_of(Centre))),
              mod3_add(mod3_times(outer, mod3_of(Corner)), mod3_times(here, mod3_of(East)))}),
        .q_o({column, beside[l*2 +: 2]}));
      // As in cy_window: what is east of a node comes a clock after what is west of it.
      wire [1:0] west, east;
      if (l == 0) begin : g_west
        assign west = behind_q[(Lanes-1)*2 +: 2];
      end else begin : g_beside
        assign west = beside[(l-1)*2 +: 2];
      end
      if (l == Lanes - 1) begin : g_east
        assign east = beside[1:0];
      end else begin : g_next
        assign east = behind_q[(l+1)*2 +: 2];
      end
      logic [1:0] part_q, sum_q, u_q, d_q;
      logic       some_q, some_q2;
      always_ff @(posedge clk_i) begin
        part_q  <= mod3_add(column, west);
        sum_q   <= mod3_add(part_q, east);
        u_q     <= mod3_add(u_i[l*2 +: 2], c_o[l*2 +: 2] & {2{up_i}});
        d_q     <= mod3_add(d_i[l*2 +: 2] & {2{live_i[l]}}, mod3_minus(sum_q) & {2{live_i[l] & up_i}});
        some_q  <= |c_i[l*CW +: CW];
        some_q2 <= some_q;
      end
      assign u_o[l*2 +: 2] = u_q;
      assign d_o[l*2 +: 2] = d_q;
      assign some_o[l] = some_q2;
    end
  endgenerate
  wire unused = &{1'b0, behind_q}; // (of the first of several lanes nothing is asked later)
endmodule
`default_nettype wire
