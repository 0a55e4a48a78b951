/// The AXI4-Lite side of a map of 32-bit words: address and data of a write wait for each other; of a read the address is
/// taken in one clock and looked at in the next, or with Late the one after. The map's owner sees a write for one clock, and gives a read's word.
/// SLVERR answers an address that is not open that way, with what value_i says (the owner says 0). Address bits [1:0] are
/// ignored. Of the register Control bit 0 starts, bit 1 aborts and bit 2 sends; a write while busy, but for an abort, is
/// misuse, which the next start forgets.
`include "mantissa.svh"
`default_nettype none
module axil_words #(
  parameter [7:0] Control = 8'h08, ///< its address
  parameter integer Late = 0       ///< 1: readable_i and value_i are there a clock after from_o
) (
  input  wire         clk_i,
  input  wire         rst_ni,

  `AXIL_PORTS(8)

  input  wire         busy_i,
  output logic        begins_o,  ///< start_o or send_o may come in the next clock
  output logic        start_o,   ///< one clock, as the next two
  output logic        abort_o,
  output logic        send_o,
  output logic        misused_o,

  output logic        take_o,    ///< one clock: a write of data_o's bytes strobe_o to the word at_o
  output logic [7:0]  at_o,
  output logic [31:0] data_o,
  output logic [3:0]  strobe_o,
  input  wire         known_i,   ///< at_o can be written
  output logic [7:0]  from_o,    ///< a word's address,
  input  wire         readable_i, ///< whether it can be read,
  input  wire  [31:0] value_i    ///< and what it reads as
);
  logic aw_q, w_q, ar_q;
  assign s_axil_awready = ~aw_q;
  assign s_axil_wready  = ~w_q;
  assign s_axil_arready = ~s_axil_rvalid & ~ar_q;
  assign take_o         = aw_q & w_q & ~s_axil_bvalid;
  wire control          = take_o & at_o == Control & strobe_o[0];
  assign begins_o       = control;
  always_ff @(posedge clk_i) begin
    if (!aw_q) at_o <= {s_axil_awaddr[7:2], 2'b00};
    if (!w_q) begin
      data_o   <= s_axil_wdata;
      strobe_o <= s_axil_wstrb;
    end
    if (!ar_q) from_o <= {s_axil_araddr[7:2], 2'b00};
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      aw_q <= 1'b0;
      w_q  <= 1'b0;
      s_axil_bvalid <= 1'b0;
      s_axil_bresp  <= 2'b00;
      {start_o, abort_o, send_o, misused_o} <= '0;
    end else begin
      start_o <= control & data_o[0] & ~busy_i;
      abort_o <= control & data_o[1];
      send_o  <= control & data_o[2] & ~data_o[0] & ~busy_i; // not beside a solve
      if (start_o) misused_o <= 1'b0;
      if (take_o & known_i & busy_i & ~(control & data_o[1])) misused_o <= 1'b1;
      aw_q <= ~take_o & (aw_q | s_axil_awvalid);
      w_q  <= ~take_o & (w_q | s_axil_wvalid);
      if (take_o) begin
        s_axil_bvalid <= 1'b1;
        s_axil_bresp  <= {~known_i, 1'b0};
      end else if (s_axil_bready) begin
        s_axil_bvalid <= 1'b0;
      end
    end
  logic late_q;
  always_ff @(posedge clk_i) late_q <= ar_q & ~late_q;
  wire looks = (Late != 0) ? late_q : ar_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      ar_q          <= 1'b0;
      s_axil_rvalid <= 1'b0;
      s_axil_rresp  <= 2'b00;
      s_axil_rdata  <= '0;
    end else if (s_axil_arvalid & s_axil_arready) begin
      ar_q <= 1'b1;
    end else if (looks) begin
      ar_q          <= 1'b0;
      s_axil_rvalid <= 1'b1;
      s_axil_rresp  <= {~readable_i, 1'b0};
      s_axil_rdata  <= value_i;
    end else if (s_axil_rready) begin
      s_axil_rvalid <= 1'b0;
    end
  wire unused = &{1'b0, s_axil_awaddr[1:0], s_axil_araddr[1:0]};
endmodule
`default_nettype wire
