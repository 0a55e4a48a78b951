/// p in banks, one for each lane: element k stands in bank k % Lanes at address k / Lanes. Two ways to it, at different
/// times: in order, where each lane reads and writes its own bank (with linear_i high), and by columns, where each lane
/// reads any word of any bank. A lane reads at the banks' first ports where its number has an even number of ones, else at
/// the second ones, and no two lanes may read one port in a clock: whoever ordered the columns saw to that. So a port
/// chooses among half of the lanes' addresses, and a lane among half of the ports' words. Of lanes 2 k and 2 k + 1 one
/// reads at either port.
///
/// Words come four clocks after an address, two after read_at_i.
`default_nettype none
module sp_gather #(
  parameter integer Lanes = 4,
  parameter integer W     = 18,
  parameter integer Depth = 1024,
  localparam integer AW   = (Depth > 1) ? $clog2(Depth) : 1,
  localparam integer BankW = (Lanes > 1) ? $clog2(Lanes) : 1,
  localparam integer PairW = (Lanes > 2) ? BankW - 1 : 1 // of a pair of lanes
) (
  input  wire                   clk_i,
  input  wire                   linear_i,
  input  wire                   read_i,     ///< the registers of what is read in order move; high while columns are read
  input  wire  [AW-1:0]         read_at_i,
  output logic [Lanes*W-1:0]    linear_o,
  input  wire                   write_i,    ///< each lane's word
  input  wire  [AW-1:0]         write_at_i,
  input  wire  [Lanes*W-1:0]    word_i,
  input  wire  [Lanes*AW-1:0]   address_i,  ///< a column: the address of each lane
  input  wire  [Lanes*BankW-1:0] bank_i,    ///< and the bank, a clock ahead of it
  output logic [Lanes*W-1:0]    word_o
);
  // Of lanes 2 k and 2 k + 1, which reads at the first port, and which at the second.
  function automatic integer a_lane(input integer k);
    a_lane = k;
    for (int s = 1; s < 32; s = 2 * s) a_lane = a_lane ^ (a_lane >> s);
    a_lane = 2 * k + (a_lane & 1);
  endfunction
  function automatic integer b_lane(input integer k);
    b_lane = 4 * k + 1 - a_lane(k);
  endfunction

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
      wire [Lanes*W-1:0] first, second; // of the banks' ports
      for (b = 0; b < Lanes; b = b + 1) begin : g_bank
        wire [AW-1:0] a_at, b_at;
        if (Lanes == 2) begin : g_own
          assign {b_at, a_at} = address_i;
        end else begin : g_among
          // Which of a port's lanes reads, one of each pair: a number, since an address then takes a multiplexer, where
          // one-hot choices would want an AND and an OR for each lane.
          logic [PairW-1:0] of_a, of_b, of_a_q, of_b_q;
          logic [Lanes/2*AW-1:0] a_address, b_address;
          always_comb begin
            of_a = '0;
            of_b = '0;
            for (int k = 0; k < Lanes / 2; k = k + 1) begin
              if (bank_i[a_lane(k)*BankW +: BankW] == BankW'(b)) of_a = of_a | PairW'(k);
              if (bank_i[b_lane(k)*BankW +: BankW] == BankW'(b)) of_b = of_b | PairW'(k);
              a_address[k*AW +: AW] = address_i[a_lane(k)*AW +: AW];
              b_address[k*AW +: AW] = address_i[b_lane(k)*AW +: AW];
            end
          end
          always_ff @(posedge clk_i) begin
            of_a_q <= of_a;
            of_b_q <= of_b;
          end
          sp_pick #(.W(AW), .Log(PairW)) i_a_at (.word_i(a_address), .number_i(of_a_q), .word_o(a_at));
          sp_pick #(.W(AW), .Log(PairW)) i_b_at (.word_i(b_address), .number_i(of_b_q), .word_o(b_at));
        end
        logic [AW-1:0] a_at_q, b_at_q;
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

      // Which bank a lane reads, beside the memories' clocks.
      logic [Lanes*BankW-1:0] bank_q, bank_q2, bank_q3, bank_q4;
      always_ff @(posedge clk_i) {bank_q4, bank_q3, bank_q2, bank_q} <= {bank_q3, bank_q2, bank_q, bank_i};
      for (l = 0; l < Lanes; l = l + 1) begin : g_lane
        wire [W-1:0] word;
        sp_pick #(.W(W), .Log(BankW)) i_word (
          .word_i(l == a_lane(l / 2) ? first : second), .number_i(bank_q4[l*BankW +: BankW]), .word_o(word));
        always_ff @(posedge clk_i) word_o[l*W +: W] <= word;
      end
    end
  endgenerate
endmodule
`default_nettype wire
