/// What a position means to fx_scale and fx_lane, the same for all lanes: see there. Combinational.
///
/// A product's bits are counted in groups of Step from 0 up, a term's likewise from group 1, group 0 being its half. At
/// position Base they are the same: term group k is product group k - 1 + position - Base.
///
///   turn      the position modulo the ring's groups
///   keep      for each bit of a half, a term and one above: its group is one of the product; where it is not, it lies below it,
///             and is 0, or above it, and is the sign. That of a half which is always 0 (Down) is kept
///   above     the highest group lies above the product. Then none lies below.
///   upper     bit h: the ring's place of product groups h and h + Ring has the latter
///   beyond    bit k: product bits from OutW + Step (k + Least - Base) on lie beyond the term, Least being the least position
///             that a term of OutW bits has
/// For fx_blocks, with LEAN_LANES where that can be, it is {far, in_c, in_a, by} in the low bits. By half the shift to the right
/// K = position - Base, which is raised to `FX_SHIFT_LEAST:
///
///   by        bit j: K is 16 - j in window A, 7 - j in B, -2 - j in C; none where K is above 16, where a product is nothing
///   in_a      the window is A
///   in_c      the window is C
///   far       K was raised
`include "mantissa.svh"
`default_nettype none
module fx_move #(
  parameter integer M        = 13, ///< fraction bits of the operand
  parameter integer FromMost = 18, ///< bits of the longest word multiplied,
  parameter integer OutMost  = 18, ///< of the longest that a term is added to,
  parameter integer OutW     = 18, ///< and of this one's
  parameter integer Down     = 0,
`ifdef LEAN_LANES
  parameter integer Blocks   = 1,  ///< 0: for fx_scale
`endif
  localparam integer PosW    = `FX_POSITION_W(M, FromMost, OutMost),
  localparam integer TurnW   = `FX_TURN_W(M, FromMost, OutMost, OutW),
  localparam integer Groups  = `FX_PRODUCT_GROUPS(M, FromMost, OutMost),
  localparam integer Uppers  = `MAX2(0, Groups - (1 << TurnW)),
  localparam integer BeyondN = `FX_BEYOND_N(M, FromMost, OutW),
  localparam integer MoveW   = `FX_MOVE_W(M, FromMost, OutMost, OutW)
) (
  input  wire  [PosW-1:0]  position_i,
  output logic [MoveW-1:0] move_o ///< {beyond, upper, above, keep, turn}, or {far, in_c, in_a, by}
);
  localparam integer Step  = `FX_OPERAND_STEP(M);
  localparam integer Base  = `FX_BASE(M, OutMost);
  localparam integer Least = Base - OutW / Step;
  localparam integer SlotsMost = `FX_TERM_GROUPS(M, OutMost);
  localparam integer UppersW = `MAX2(1, Uppers);
  wire [OutW+2:0]    keep;
  wire [BeyondN-1:0] beyond;
  wire [UppersW-1:0] upper;
  wire               above;
`ifdef BY_WORDS
  wire signed [31:0] position = $signed(32'(position_i));
  function automatic [63:0] up_to(input integer last); // ones
    up_to = (last < 0) ? '0 : (64'd2 << ((last > OutW + 1) ? OutW + 1 : last)) - 64'd1;
  endfunction
  wire [OutW+1:0] kept = (OutW+2)'(up_to(Step * (Groups + Base) - Step * position) & ~up_to(Step * Base - Step * position));
  assign keep   = {kept[OutW+1], kept[OutW+1:1], 1'(Down != 0) | kept[0]};
  assign beyond = {BeyondN{1'b1}} << ((position > Least) ? position - Least : 0);
  assign upper  = ~({UppersW{1'b1}} << ((position > Base + 1) ? position - Base - 1 : 0));
  assign above  = position > Groups + Base - SlotsMost + 1;
`else
  // position <= most, from the lowest bit up: a comparison would be made with carries.
  function automatic logic up_to(input [PosW-1:0] position, input integer most);
    begin
      up_to = 1'b1;
      for (int b = 0; b < PosW; b = b + 1) up_to = most[b] ? (~position[b] | up_to) : (~position[b] & up_to);
      if (most < 0) up_to = 1'b0;
      if (most >= (1 << PosW)) up_to = 1'b1;
    end
  endfunction
  assign above = ~up_to(position_i, Groups + Base - SlotsMost + 1);
  genvar k;
  generate
    for (k = 0; k < OutW + 3; k = k + 1) begin : g_keep
      localparam integer Group = (`MIN2(k, OutW + 1) + Step - 1) / Step;
      assign keep[k] = (k == 0 && Down != 0) | (up_to(position_i, Groups + Base - Group) & ~up_to(position_i, Base - Group));
    end
    for (k = 0; k < BeyondN; k = k + 1) begin : g_beyond
      assign beyond[k] = up_to(position_i, k + Least);
    end
    for (k = 0; k < UppersW; k = k + 1) begin : g_upper
      assign upper[k] = ~up_to(position_i, k + Base + 1);
    end
  endgenerate
`endif
`ifdef LEAN_LANES
  generate
    if (Blocks != 0 && `FX_SHIFT_BLOCKS(M, FromMost, OutW, Down) != 0) begin : g_blocks
      localparam integer LeastK = `FX_SHIFT_LEAST(M, OutW);
      logic [8:0] by;
      logic       in_a, in_c, far;
      always_comb begin // a table
        by   = '0;
        in_a = 1'b0;
        in_c = 1'b0;
        far  = 1'b0;
        for (int at = 0; at < (1 << PosW); at = at + 1)
          if (position_i == PosW'(at)) begin
            in_a = `MAX2(at - Base, LeastK) >= 8;
            in_c = `MAX2(at - Base, LeastK) < -1;
            far  = at - Base < LeastK;
            for (int j = 0; j < 9; j = j + 1)
              by[j] = `MAX2(at - Base, LeastK) + j == (in_a ? 16 : in_c ? -2 : 7);
          end
      end
      assign move_o = MoveW'({far, in_c, in_a, by});
      wire unused = &{1'b0, keep, beyond, upper, above};
    end else if (Uppers == 0) begin : g_alone
`else
  generate
    if (Uppers == 0) begin : g_alone
`endif
      assign move_o = {beyond, above, keep, TurnW'(position_i)};
      wire unused = &{1'b0, upper};
    end else begin : g_uppers
      assign move_o = {beyond, upper, above, keep, TurnW'(position_i)};
    end
  endgenerate
endmodule
`default_nettype wire
