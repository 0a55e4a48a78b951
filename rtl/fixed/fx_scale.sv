/// A product of a word and alpha or beta, on its way onto another grid: moved by fx_operand's position, it is
/// term + 2^-1 half and what is below, so term + half is it rounded to nearest, half up, and term it rounded down.
/// The term has one bit more than the words that it is added to; where it does not fit, beyond_o is high, its low
/// bits are right, and no word can hold the sum. One clock.
///
/// The product's bits stand on a ring, and the ring is turned: a turn is the same for positions a ring apart, so it takes
/// fewer choices than a shift. What is then in a term's place without being of the product, fx_add puts right: fill_o stands
/// for all bits that are not kept.
`include "mantissa.svh"
`default_nettype none
module fx_scale #(
  parameter integer M        = 13, ///< fraction bits of the operand
  parameter integer FromW    = 18, ///< bits of the word multiplied,
  parameter integer OutW     = 18, ///< and of those that the term is added to
  parameter integer FromMost = 18, ///< see fx_move
  parameter integer OutMost  = 18,
  parameter integer Down     = 0,  ///< half is 0
  parameter integer Negate   = 0,  ///< term_o and fill_o are complements
  localparam integer ProductW = `FX_OPERAND_W(M) + FromW,
  localparam integer TurnW   = `FX_TURN_W(M, FromMost, OutMost, OutW),
  localparam integer Groups  = `FX_PRODUCT_GROUPS(M, FromMost, OutMost),
  localparam integer Uppers  = `MAX2(0, Groups - (1 << TurnW)),
  localparam integer BeyondN = `FX_BEYOND_N(M, FromMost, OutW),
  localparam integer MoveW   = `FX_MOVE_W(M, FromMost, OutMost, OutW)
) (
  input  wire                 clk_i,
  input  wire                 en_i,
  input  wire  [ProductW-1:0] product_i,
  input  wire  [MoveW-1:0]    move_i,   ///< see fx_move
  output logic [OutW+1:0]     term_o,   ///< {term, half}
  output logic                fill_o,
  output logic                beyond_o,
  output wire                 longer_o  ///< what beyond_o will be
);
  localparam integer Step = `FX_OPERAND_STEP(M);
  localparam integer Base = `FX_BASE(M, OutMost);
  localparam integer Ring = 1 << TurnW;
  localparam integer Bits = `FX_PRODUCT_BITS(M, FromMost); // and the sign
  wire [TurnW-1:0]   turn   = move_i[TurnW-1:0];
  wire               above  = move_i[TurnW+OutW+3];
  wire [BeyondN-1:0] beyond = move_i[MoveW-1 -: BeyondN];
  wire unused_keep = &{1'b0, move_i};

  // Product group h is in the ring's place h + Base + 1: where the term's group k is after a turn by k less than that.
  localparam integer All = `MAX2(Groups * Step, Bits + 1);
  wire [All-1:0] product = All'($signed(product_i));
  localparam integer RingW = Ring * Step;
  localparam integer First = (Base + 1) % Ring * Step;
  wire [RingW-1:0] places; // from product group 0 on
  wire [2*RingW-1:0] twice = {places, places};
  wire [RingW-1:0] ring = twice[RingW-First +: RingW];
  wire unused_twice = &{1'b0, twice};
  genvar k;
  generate
    if (Uppers == 0) begin : g_one
      assign places = RingW'(product[Groups*Step-1:0]);
    end else begin : g_two
      wire [Uppers*Step-1:0] low;
      for (k = 0; k < Uppers; k = k + 1) begin : g_place
        assign low[k*Step +: Step] = move_i[TurnW+OutW+4+k] ? product[(k+Ring)*Step +: Step] : product[k*Step +: Step];
      end
      if (Uppers < Ring) begin : g_rest
        assign places = {product[RingW-1:Uppers*Step], low};
      end else begin : g_all
        assign places = low;
      end
    end
  endgenerate
`ifdef BY_WORDS
  wire [2*RingW-1:0] turned = {ring, ring} >> (32'(turn) * Step);
  wire [OutW+1:0] moved = turned[Step-1 +: OutW+2];
  wire unused_turned = &{1'b0, turned};
`else
  localparam integer Slots = `FX_TERM_GROUPS(M, OutW);
  generate
    // From the longest turn to the shortest, each as wide as those after it need.
    for (k = TurnW - 1; k >= 0; k = k - 1) begin : g_turn
      localparam integer By   = (1 << k) * Step;
      localparam integer InW  = `MIN2(Ring, Slots + (2 << k) - 1) * Step;
      localparam integer W    = `MIN2(Ring, Slots + (1 << k) - 1) * Step;
      wire [InW-1:0] in;
      wire [2*InW-1:0] round = {in, in}; // reaches beyond its end only where it is the whole ring
      wire [W-1:0] out = turn[k] ? round[By +: W] : in[W-1:0];
      wire unused = &{1'b0, round};
      if (k == TurnW - 1) begin : g_first
        assign in = ring;
      end else begin : g_next
        assign in = g_turn[k+1].out;
      end
    end
  endgenerate
  wire [OutW+1:0] moved = g_turn[0].out[Step-1 +: OutW+2];
  wire unused_turned = &{1'b0, g_turn[0].out};
`endif

  // Neighbours that differ say that the term is longer than they are. Group k holds those that lie beyond the term in
  // positions up to k + Least.
  localparam integer FirstAt = OutW % Step;
  wire [Bits-1:0] differ = product[Bits:1] ^ product[Bits-1:0];
  wire longer;
  assign longer_o = longer;
`ifdef BY_WORDS
  // The bits of beyond are ones from one of them on, bit h: is there a difference from group h on?
  localparam integer LeastW = BeyondN * Step + 1;
  function automatic [LeastW-1:0] square(input [LeastW-1:0] x);
    square = x * x;
  endfunction
  wire [LeastW-1:0] one   = LeastW'({1'b0, ~beyond}) + LeastW'(1); // 2^h
  wire [LeastW-1:0] two   = (Step > 1) ? square(one) : one;
  wire [LeastW-1:0] four  = (Step > 2) ? square(two) : two;
  wire [LeastW-1:0] least = (Step > 4) ? square(four) : four; // 2^(h Step)
  assign longer = LeastW'(differ[Bits-1:FirstAt]) >= least;
`else
  wire [BeyondN-1:0] of_group;
  generate
    for (k = 0; k < BeyondN; k = k + 1) begin : g_longer
      assign of_group[k] = |differ[FirstAt + Step * k +: `MIN2(Step, Bits - FirstAt - Step * k)];
    end
  endgenerate
  assign longer = |(of_group & beyond);
`endif
  always_ff @(posedge clk_i)
    if (en_i) begin
      term_o   <= ((Down != 0) ? {moved[OutW+1:1], 1'b0} : moved) ^ {(OutW+2){1'(Negate)}};
      fill_o   <= (product[All-1] & above) ^ 1'(Negate);
      beyond_o <= longer;
    end
  wire unused = &{1'b0, product_i, differ};
endmodule
`default_nettype wire
