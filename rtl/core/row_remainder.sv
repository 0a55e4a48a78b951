/// Whether LENGTH is a multiple of ROW_LENGTH, as a constant stencil's is: a division, a bit of LENGTH a clock. bad_o is high for one
/// clock, LenW + 1 clocks after start_i, which is before any pass has come to its end.
`ifndef UNWATCHED
`default_nettype none
module row_remainder #(
  parameter integer LenW = 32,
  parameter integer RowLenW = 11
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               start_i,
  input  wire [LenW-1:0]    length_i,     ///< stands from start_i on, as the next does
  input  wire [RowLenW-1:0] row_length_i,
  output logic              bad_o
);
  logic [LenW-1:0]    bits_q;
  logic [RowLenW-1:0] rest_q;
  logic [5:0]         left_q;
  wire [RowLenW:0] more = {rest_q, bits_q[LenW-1]};
  wire fits = more >= {1'b0, row_length_i};
  wire [RowLenW-1:0] rest = RowLenW'(more - ({1'b0, row_length_i} & {(RowLenW+1){fits}}));
  always_ff @(posedge clk_i) begin
    bits_q <= start_i ? length_i : bits_q << 1;
    rest_q <= start_i ? '0 : rest;
    if (!rst_ni) left_q <= '0;
    else if (start_i) left_q <= 6'(LenW);
    else if (left_q != '0) left_q <= left_q - 6'd1;
    bad_o <= rst_ni & ~start_i & left_q == 6'd1 & rest != '0;
  end
endmodule
`default_nettype wire
`endif
