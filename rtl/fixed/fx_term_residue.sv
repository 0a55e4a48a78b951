/// The residue modulo 3 of a product's term less its half (fx_scale): (word factor - what lies below the term) over the term's
/// unit. The word's residue comes with the word; what is below is taken from the product itself. A clock behind the product.
`include "mantissa.svh"
`default_nettype none
module fx_term_residue #(
  parameter integer M        = 13,
  parameter integer FromW    = 18, ///< bits of the word multiplied
  parameter integer LowN     = 9,
  parameter integer Down     = 0,  ///< fx_scale's
  localparam integer ProductW = `FX_OPERAND_W(M) + FromW
) (
  input  wire                 clk_i,
  input  wire                 en_i,
  input  wire  [1:0]          word_i,   ///< with the word
  input  wire  [1:0]          factor_i,
  input  wire  [LowN-1:0]     low_i,    ///< see fx_operand_residue
  input  wire                 odd_i,
  input  wire  [ProductW-1:0] product_i,
  input  wire                 half_i,   ///< a clock behind the product: the half that fx_scale makes of it
  output logic [1:0]          term_o    ///< from registers
);
`include "mod3.svh"
  localparam integer Step = `FX_OPERAND_STEP(M);
  localparam integer Latency = `FX_MUL_LATENCY(M, FromW);
  wire [1:0] whole;
  delay #(.W(2), .N(Latency + 1)) i_wait (
    .clk_i, .en_i, .ptr_i(7'd0), .d_i(mod3_times(word_i, factor_i)), .q_o(whole));
  localparam integer Group = (Step == 1) ? 2 : Step; // bits: an even number
  wire [LowN*Group-1:0] product = (LowN*Group)'($signed(product_i));
  // Groups below the term, two at a time: where the first is not, neither is the second.
  localparam integer Twos = (LowN + 1) / 2;
  wire [2*LowN-1:0] digits;
  logic [2*Twos-1:0] two_q;
  genvar g;
  generate
    for (g = 0; g < LowN; g = g + 1) begin : g_group
      if (Group == 2) begin : g_digit
        assign digits[2*g +: 2] = product[2*g +: 2];
      end else begin : g_bits
        mod3_residue #(.W(Group), .Signed(0)) i_digit (
          .clk_i, .en_i(1'b1), .word_i(product[g*Group +: Group]), .residue_o(digits[2*g +: 2]));
      end
    end
    for (g = 0; g < Twos; g = g + 1) begin : g_two
      wire [1:0] two;
      if (2 * g + 1 < LowN) begin : g_pair
        assign two = mod3_add(digits[4*g +: 2], digits[4*g+2 +: 2] & {2{low_i[2*g+1]}});
      end else begin : g_last
        assign two = digits[4*g +: 2];
      end
      always_ff @(posedge clk_i)
        if (!low_i[2*g]) two_q[2*g +: 2] <= 2'd0;
        else if (en_i) two_q[2*g +: 2] <= two;
    end
  endgenerate
  wire [1:0] below;
  mod3_sum #(.N(Twos)) i_below (.digits_i(two_q), .sum_o(below));
  // A single bit below the term behind them is the one that the half is taken from.
  wire tail;
  generate
    if (Step != 1) begin : g_no_tail
      assign tail = 1'b0;
      wire unused = &{1'b0, half_i};
    end else if (Down == 0) begin : g_half
      assign tail = half_i;
    end else begin : g_tail
      wire [LowN-1:0] ends = low_i ^ {low_i[LowN-2:0], 1'b1}; // the first group that is not below
      logic tail_q;
      logic [LowN-1:0] single;
      always_comb
        for (int k = 0; k < LowN; k = k + 1) single[k] = ends[k] & product[2*k];
      always_ff @(posedge clk_i) if (en_i) tail_q <= |single;
      assign tail = tail_q;
      wire unused = &{1'b0, half_i};
    end
  endgenerate
  wire [1:0] kept = mod3_add(whole, mod3_minus(below));
  assign term_o = odd_i ? mod3_add(mod3_minus(kept), {1'b0, tail}) : kept;
endmodule
`default_nettype wire
