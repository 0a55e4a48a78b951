/// The rule of the sparse core's matrix, as an assertion: in one beat no two lanes of the same port read one bank. A lane reads at the
/// banks' first ports where its number has an even number of ones, else at the second ones. Padding reads too: a beat of zeros beside
/// an entry of bank 0 takes its port, and the entry's product is wrong.
`default_nettype none
module gather_rules #(
  parameter integer Lanes = 4,
  parameter integer EntryW = 32 ///< bits of an entry, of which the bank is lowest
) (
  input wire                    clk_i,
  input wire                    rst_ni,
  input wire                    beat_i,   ///< a beat is taken
  input wire [Lanes*EntryW-1:0] entries_i
);
  localparam integer BankW = (Lanes > 1) ? $clog2(Lanes) : 1;
  logic clash;
  always_comb begin
    clash = 1'b0;
    for (int k = 0; k < Lanes; k = k + 1)
      for (int l = 0; l < Lanes; l = l + 1)
        if (Lanes > 2 && l < k && ^(k ^ l) == 1'b0 && entries_i[k*EntryW +: BankW] == entries_i[l*EntryW +: BankW]) clash = 1'b1;
  end
  always @(posedge clk_i) if (rst_ni && beat_i) assert (!clash);
endmodule
`default_nettype wire
