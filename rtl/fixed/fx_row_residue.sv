/// The residue modulo 3 that q' must have (fx_rows with a constant stencil), from those that p' must have: the stencil of
/// residues, which go through line buffers of their own, less what is cut off after the sum. Clocks are those of fx_rows.
///
/// With one lane the line buffer's address is the column that the checks count (fx_edge_twin), no counter that the words have too.
/// Its memory has no register after it, and residues go in a clock later than their words.
`include "mantissa.svh"
`default_nettype none
module fx_row_residue #(
`include "fx_parameters.svh"
  , localparam integer BelowW = `MAX2(1, RowShift)
) (
  input  wire                     clk_i,
  input  wire                     en_i,
  input  wire                     clear_i,
  input  wire  [RowLenW-1:0]      row_length_i,
  input  wire  [RowLenW-1:0]      column_i, ///< with one lane: another one in each slot of a row
  input  wire  [Lanes*2-1:0]      p_i,     ///< with p'
  input  wire  [Lanes-1:0]        zero_i,  ///< a clock before q': lanes that are 0
  input  wire  [Lanes*2-1:0]      above_i, ///< with q': the residue of what is cut off above the word,
  input  wire  [Lanes*BelowW-1:0] below_i, ///< and what is cut off below it
  output logic [Lanes*2-1:0]      q_o,     ///< with q'
  output logic [Lanes*2-1:0]      p_o      ///< of the same elements
);
`include "fx_row_plan.svh"
`include "mod3.svh"
  `REQUIRE(g_short, PlanStencil >= 2 + PlanRounds, "fx_row_residue: a stencil of one constant has no row to be checked")
  wire [Lanes*2-1:0] south, centre;
  wire [(Lanes+1)*2-1:0] north;
  wire next;
  localparam integer Late = (Lanes == 1) ? 1 : 0;
  generate
    if (Lanes == 1) begin : g_one
      logic [1:0] p_q;
      logic [RowLenW-1:0] column_q;
      always_ff @(posedge clk_i)
        if (en_i) begin
          p_q      <= p_i;
          column_q <= column_i;
        end
      ram_words #(.W(4), .AddrW(RowLenW), .Registered(0)) i_words (
        .clk_i, .en_i, .write_at_i(column_q), .d_i({centre, p_q}), .read_at_i(column_i), .q_o({south, centre}));
      assign north = {2{p_q}};
      assign next  = 1'b0;
      wire unused = &{1'b0, clear_i, row_length_i};
    end else begin : g_lines
      wire unused_odd, unused_bad;
      fx_lines #(.PW(2), .Lanes(Lanes), .MaxRow(MaxRow), .Rows(3), .Open(1)) i_lines (
        .clk_i, .en_i, .clear_i, .row_length_i, .p_i, .south_o(south), .centre_o(centre), .north_o(north), .north_next_o(next),
        .mark_i(1'b0), .centre_odd_o(unused_odd), .bad_o(unused_bad));
      wire unused = &{1'b0, column_i};
    end
  endgenerate
  delay #(.W(Lanes * 2), .N(PlanLatency - PlanLines + 1 - Late)) i_p ( // not by the words' pointer
    .clk_i, .en_i, .ptr_i(7'd0), .d_i(centre), .q_o(p_o));

  function automatic [1:0] column(input [1:0] s, input [1:0] c, input [1:0] n, input [5:0] times); // n's constant highest
    column = mod3_add(mod3_times(s, times[1:0]), mod3_add(mod3_times(c, times[3:2]), mod3_times(n, times[5:4])));
  endfunction
  localparam [5:0] West = {mod3_of(S6), mod3_of(S3), mod3_of(S0)};
  localparam [5:0] Middle = {mod3_of(S7), mod3_of(S4), mod3_of(S1)};
  localparam [5:0] East = {mod3_of(S8), mod3_of(S5), mod3_of(S2)};
  wire [Lanes*2-1:0] west, middle, east; // of token t + 1,
  logic [Lanes*2-1:0] west_q, middle_q, east_q; // of token t,
  logic [1:0] west_q2; // and of its last lane of the one before
  localparam integer Early = (PlanStencil >= 3) ? 1 : 0; // a register after the columns
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_column
      wire [1:0] to_north = next ? north[(l+1)*2 +: 2] : north[l*2 +: 2];
      wire [5:0] three = {column(south[l*2 +: 2], centre[l*2 +: 2], to_north, West),
                          column(south[l*2 +: 2], centre[l*2 +: 2], to_north, Middle),
                          column(south[l*2 +: 2], centre[l*2 +: 2], to_north, East)};
      wire [5:0] at;
      delay #(.W(6), .N(Early)) i_at (.clk_i, .en_i, .ptr_i(7'd0), .d_i(three), .q_o(at));
      assign {west[l*2 +: 2], middle[l*2 +: 2], east[l*2 +: 2]} = at;
    end
  endgenerate
  always_ff @(posedge clk_i)
    if (en_i) begin
      west_q   <= west;
      middle_q <= middle;
      east_q   <= east;
      west_q2  <= west_q[2*Lanes-1 -: 2];
    end
  wire [(Lanes+1)*2-1:0] from_west = {west_q, west_q2};
  wire [(Lanes+1)*2-1:0] to_east = {east[1:0], east_q};
  wire unused_beside = &{1'b0, from_west, to_east};
  localparam integer Rest = PlanStencil - 1 - Early - Late; // clocks from the sum to q'
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      wire [1:0] sum = mod3_add(from_west[l*2 +: 2], mod3_add(middle_q[l*2 +: 2], to_east[(l+1)*2 +: 2]));
      wire [1:0] late;
      delay #(.W(2), .N(Rest)) i_wait (.clk_i, .en_i, .ptr_i(7'd0), .d_i(sum), .q_o(late));
      logic [1:0] whole_q;
      wire [1:0] whole; // on q's grid
      assign q_o[l*2 +: 2] = mod3_add(whole, mod3_minus(above_i[l*2 +: 2]));
      always_ff @(posedge clk_i) if (en_i) whole_q <= late & {2{~zero_i[l]}};
      if (RowShift > 0) begin : g_cut
        wire [1:0] below;
        wire [RowShift-1:0] dropped = below_i[l*BelowW +: RowShift];
        mod3_residue #(.W(RowShift), .Signed(0)) i_below (.clk_i, .en_i(1'b1), .word_i(dropped), .residue_o(below));
        assign whole = mod3_add(mod3_shifted(mod3_add(whole_q, mod3_minus(below)), RowShift),
                                {1'b0, (QDown == 0) & dropped[RowShift-1]});
      end else begin : g_whole
        assign whole = mod3_shifted(whole_q, -RowShift);
        wire unused = &{1'b0, below_i[l*BelowW +: BelowW]};
      end
    end
  endgenerate
endmodule
`default_nettype wire
