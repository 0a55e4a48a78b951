/// p in banks, one for each lane: element k stands in bank k % Lanes at address k / Lanes. Two ways to it, at different
/// times: in order, where each lane reads and writes its own bank (with linear_i high), and by columns, where each lane
/// reads any word of any bank. No more than two lanes may read one bank in a clock: whoever ordered the columns saw to
/// that. The lowest of them gets the bank's first port, the other its second.
///
/// Words come four clocks behind a column, two behind read_at_i.
`default_nettype none
module sp_gather #(
  parameter integer Lanes = 4,
  parameter integer W     = 18,
  parameter integer Depth = 1024,
  localparam integer AW   = (Depth > 1) ? $clog2(Depth) : 1,
  localparam integer BankW = (Lanes > 1) ? $clog2(Lanes) : 1
) (
  input  wire                   clk_i,
  input  wire                   linear_i,
  input  wire                   read_i,     ///< the registers of what is read in order move; high while columns are read
  input  wire  [AW-1:0]         read_at_i,
  output logic [Lanes*W-1:0]    linear_o,
  input  wire                   write_i,    ///< each lane's word
  input  wire  [AW-1:0]         write_at_i,
  input  wire  [Lanes*W-1:0]    word_i,
  input  wire  [Lanes*AW-1:0]   address_i,  ///< a column: address and bank of each lane
  input  wire  [Lanes*BankW-1:0] bank_i,
  output logic [Lanes*W-1:0]    word_o
);
  genvar b, l;
  generate
    if (Lanes == 1) begin : g_one
      wire [W-1:0] first, unused_second;
      logic [AW-1:0] at_q;
      always_ff @(posedge clk_i) at_q <= address_i;
      sp_bank #(.W(W), .Depth(Depth)) i_bank (
        .clk_i, .a_read_i(read_i), .a_at_i(linear_i ? read_at_i : at_q), .a_o(first), .b_at_i(write_at_i), .b_o(unused_second),
        .write_i, .word_i);
      assign linear_o = first;
      always_ff @(posedge clk_i) word_o <= first;
      wire unused = &{1'b0, bank_i, unused_second};
    end else begin : g_lanes
      wire [Lanes*W-1:0] first, second;   // of the banks' ports
      wire [Lanes*Lanes-1:0] asks, later; // by bank and lane: who reads it, and who of them gets the second port
      for (b = 0; b < Lanes; b = b + 1) begin : g_bank
        for (l = 0; l < Lanes; l = l + 1) begin : g_ask
          assign asks[b*Lanes+l] = bank_i[l*BankW +: BankW] == BankW'(b);
          if (l == 0) begin : g_lowest
            assign later[b*Lanes] = 1'b0;
          end else begin : g_other
            assign later[b*Lanes+l] = asks[b*Lanes+l] & |asks[b*Lanes +: l];
          end
        end
        logic [AW-1:0] a_at, b_at, a_at_q, b_at_q;
        always_comb begin
          a_at = '0;
          b_at = '0;
          for (int k = 0; k < Lanes; k = k + 1) begin
            a_at = a_at | (address_i[k*AW +: AW] & {AW{asks[b*Lanes+k] & ~later[b*Lanes+k]}});
            b_at = b_at | (address_i[k*AW +: AW] & {AW{later[b*Lanes+k]}});
          end
        end
        always_ff @(posedge clk_i) begin
          a_at_q <= a_at;
          b_at_q <= b_at;
        end
        sp_bank #(.W(W), .Depth(Depth)) i_bank (
          .clk_i, .a_read_i(read_i), .a_at_i(linear_i ? read_at_i : a_at_q), .a_o(first[b*W +: W]),
          .b_at_i(linear_i ? write_at_i : b_at_q), .b_o(second[b*W +: W]), .write_i,
          .word_i(word_i[b*W +: W]));
      end
      assign linear_o = first;

      // Which bank and port a lane reads, beside the memories' clocks.
      logic [Lanes-1:0] second_now;
      always_comb begin
        second_now = '0;
        for (int k = 0; k < Lanes; k = k + 1) second_now = second_now | later[k*Lanes +: Lanes];
      end
      logic [Lanes*BankW-1:0] bank_q, bank_q2, bank_q3;
      logic [Lanes-1:0] second_q, second_q2, second_q3;
      always_ff @(posedge clk_i) begin
        {bank_q3, bank_q2, bank_q}       <= {bank_q2, bank_q, bank_i};
        {second_q3, second_q2, second_q} <= {second_q2, second_q, second_now};
      end
      for (l = 0; l < Lanes; l = l + 1) begin : g_lane
        // The bank first: a bit of its number after the other halves the choice.
        logic [2*Lanes*W-1:0] left;
        always_comb begin
          left = {second, first};
          if (second_q3[l]) left[Lanes*W-1:0] = second;
          for (int k = 0; k < BankW; k = k + 1)
            for (int m = 0; m < (Lanes >> (k + 1)); m = m + 1)
              left[m*W +: W] = bank_q3[l*BankW+k] ? left[(2*m+1)*W +: W] : left[2*m*W +: W];
        end
        always_ff @(posedge clk_i) word_o[l*W +: W] <= left[W-1:0];
        wire unused_left = &{1'b0, left};
      end
    end
  endgenerate
endmodule
`default_nettype wire
