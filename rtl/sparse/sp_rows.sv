/// q' = A p', rows one slice after another: in a beat each lane brings a column and a coefficient of its row, p' is
/// gathered, multiplied, and added to the lane's sum, exactly. After the last beat of a slice, which brings the rows'
/// diagonals and so their own p', the sums are rounded once.
///
/// A beat: at lane * EntryW {coefficient, address, bank}, the bank lowest and absent with one lane; above them the bit
/// that marks the last beat of a slice. With delta_i the address is a two's complement difference from the slice's.
/// Beats come in any clock and are never held up. give_o, with q_o and p_o, comes RowLatency clocks after a slice's
/// last beat.
`include "mantissa.svh"
`default_nettype none
module sp_rows #(
`include "fx_parameters.svh"
  , parameter integer Depth = 1024, ///< words of a bank
  parameter integer AddressW = 10,  ///< bits of an address in the stream
  parameter integer RowLog  = 12,   ///< a row has at most 2^RowLog entries
  localparam integer AW     = (Depth > 1) ? $clog2(Depth) : 1,
  localparam integer BankBits = $clog2(Lanes),
  localparam integer BankW  = (Lanes > 1) ? BankBits : 1,
  localparam integer EntryW = CoefW + AddressW + BankBits
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,
  input  wire                    clear_i,   ///< between passes
  input  wire                    delta_i,
  input  wire                    beat_i,    ///< a beat is here
  input  wire  [Lanes*EntryW:0]  entries_i,
  output logic [Lanes*AW-1:0]    address_o, ///< to sp_gather
  output logic [Lanes*BankW-1:0] bank_o,    ///< a clock ahead of the address
  input  wire  [Lanes*PW-1:0]    p_i,       ///< four clocks later
  output logic                   give_o,
  output logic [Lanes*QW-1:0]    q_o,
  output logic [Lanes-1:0]       over_o,    ///< words that did not fit
  output logic [Lanes*PW-1:0]    p_o        ///< the rows' own p'
);
`include "sp_plan.svh"
  // Beats on their way: valid, and the last of a slice.
  logic [RowLatency:1] beat_q, end_q;
  wire ends = entries_i[Lanes*EntryW];
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) begin
      beat_q <= '0;
      end_q  <= '0;
    end else begin
      beat_q <= {beat_q[RowLatency-1:1], beat_i};
      end_q  <= {end_q[RowLatency-1:1], beat_i & ends};
    end
  assign give_o = end_q[RowLatency];

  logic [AW-1:0] slice_q;
  always_ff @(posedge clk_i)
    if (clear_i) slice_q <= '0;
    else if (beat_i & ends) slice_q <= slice_q + AW'(1);
  logic first_q; // what is added next begins a row
  always_ff @(posedge clk_i)
    if (clear_i) first_q <= 1'b1;
    else if (beat_q[RowSumAt]) first_q <= end_q[RowSumAt];

  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      wire [EntryW-1:0] entry = entries_i[l*EntryW +: EntryW];
      wire [AddressW-1:0] address = entry[BankBits +: AddressW];
      wire [AW-1:0] near = AW'($signed(address)) + slice_q;
      always_ff @(posedge clk_i) address_o[l*AW +: AW] <= delta_i ? near : AW'(address);
      if (Lanes > 1) begin : g_bank
        assign bank_o[l*BankW +: BankW] = entry[BankW-1:0];
      end else begin : g_one_bank
        assign bank_o = '0;
      end

      logic [CoefW-1:0] coef_q [1:RowGather];
      always_ff @(posedge clk_i) begin
        coef_q[1] <= entry[EntryW-1 -: CoefW];
        for (int k = 2; k <= RowGather; k = k + 1) coef_q[k] <= coef_q[k-1];
      end
      wire [CoefW+PW-1:0] product;
      fx_mul #(.AW(CoefW), .BW(PW), .Style(Style)) i_product (
        .clk_i, .en_i(1'b1), .a_i(coef_q[RowGather]), .b_i(p_i[l*PW +: PW]), .product_o(product));
      logic [RowSumW-1:0] sum_q;
      always_ff @(posedge clk_i)
        if (beat_q[RowSumAt]) sum_q <= RowSumW'($signed(product)) + (sum_q & {RowSumW{~first_q}});
      wire [`MAX2(1, RowSumShift)-1:0] unused_below;
      wire [1:0] unused_above;
      fx_cut #(.W(RowSumW), .QW(QW), .Shift(RowSumShift), .Down(QDown)) i_cut (
        .clk_i, .en_i(1'b1), .sum_i(sum_q), .zero_i(1'b0), .q_o(q_o[l*QW +: QW]), .over_o(over_o[l]),
        .above_o(unused_above), .below_o(unused_below));
    end
  endgenerate
  delay #(.W(Lanes*PW), .N(RowLatency - RowGather)) i_p (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(p_i), .q_o(p_o));
endmodule
`default_nettype wire
