/// A delay of length_i enabled clocks, Least <= length_i <= Max, for W bits, in a simple dual-port memory. From Least 3
/// on, the memory's output has a register of its own, which with Zero zero_i clears in place of its next word; the memory
/// then has Max - 1 words, so rows of 2^n + 1 fit one of 2^n. With Least 2 it is the memory alone; with 1 a length of one
/// is served beside it.
`default_nettype none
module row_ram #(
  parameter integer W   = 32,
  parameter integer Max = 1025,
  parameter integer Least = 1,
  parameter integer Zero = 0, ///< 1: zero_i counts
  localparam integer AW = $clog2(Max + 1)
) (
  input  wire           clk_i,
  input  wire           en_i,
  input  wire           clear_i,  ///< while length_i changes
  input  wire  [AW-1:0] length_i,
  input  wire           zero_i,   ///< the next q_o is 0 (from Least 3 on, with Zero)
  input  wire  [W-1:0]  d_i,
  output logic [W-1:0]  q_o
);
  // Pointers run from First to length_i, so that what they are compared with needs no arithmetic; addresses are their low
  // bits. One address is never read and written at once: reading is one ahead of writing, over two words at least.
  localparam integer First = (Least >= 3) ? 2 : 1;
  localparam integer AddrW = (Max > First + 1) ? $clog2(Max - First + 1) : 1;
  localparam integer Registered = (Least >= 3 && Zero == 0) ? 1 : 0; // by the memory itself
  logic [AW-1:0]    read_q;
  logic [AddrW-1:0] write_q;
  wire  [W-1:0]     word;
  always_ff @(posedge clk_i)
    if (clear_i) begin
      write_q <= AddrW'(First);
      read_q  <= AW'(First + 1);
    end else if (en_i) begin
      write_q <= read_q[AddrW-1:0];
      read_q  <= (read_q == length_i) ? AW'(First) : read_q + AW'(1);
    end
  ram_words #(.W(W), .AddrW(AddrW), .Registered(Registered)) i_words (
    .clk_i, .en_i, .write_at_i(write_q), .d_i, .read_at_i(read_q[AddrW-1:0]), .q_o(word));
  generate
    if (Least >= 3 && Zero != 0) begin : g_register
      logic [W-1:0] word_q;
      always_ff @(posedge clk_i) if (en_i) word_q <= zero_i ? '0 : word;
      assign q_o = word_q;
    end else if (Least >= 2) begin : g_bare
      assign q_o = word;
      wire unused = &{1'b0, zero_i};
    end else begin : g_short
      logic [W-1:0] d_q;
      always_ff @(posedge clk_i) if (en_i) d_q <= d_i;
      assign q_o = (length_i == AW'(1)) ? d_q : word;
      wire unused = &{1'b0, zero_i};
    end
  endgenerate
endmodule
`default_nettype wire
