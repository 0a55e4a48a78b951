/// sp_core with the ports that vendor tools want: a tdata of whole bytes, AXI4-Lite with protection bits, aclk and
/// aresetn. A word takes WordBytes bytes, right-aligned, lane 0 lowest; bits above WordW are ignored coming in and copies
/// of the sign going out. A beat of the matrix is sp_core's, packed, in RowBytes bytes; bits above it are ignored.
/// Wires only: no clock later than sp_core.
`include "mantissa.svh"
`default_nettype none
module sp_core_axis #(
`include "fx_parameters.svh"
  , parameter integer Depth = 1024, ///< words of a lane: LENGTH is at most Lanes * Depth
  parameter integer AddressW = 10,  ///< bits of an address in the stream, up to $clog2(Depth)
  parameter integer RowLog  = 12,   ///< a row has at most 2^RowLog entries
  parameter integer WordBytes = 4,  ///< bytes that a word of a vector takes in its streams, 8 for a u of more than 32 bits
  localparam integer WordW  = `MAX2(`MAX2(UW, RW), `MAX2(PW, QW)),
  localparam integer EntryW = CoefW + AddressW + $clog2(Lanes),
  localparam integer RowBytes = (Lanes * EntryW + 8) / 8
) (
  input  wire                       aclk,
  input  wire                       aresetn,

  `AXIL_PROT_PORTS(8)

  input  wire  [Lanes*8*WordBytes-1:0] s_axis_word_tdata,
  input  wire  [1:0]                s_axis_word_tuser, ///< the vector: 0 u, 1 r, 2 p, 3 q
  input  wire                       s_axis_word_tvalid,
  input  wire                       s_axis_word_tlast,
  output logic                      s_axis_word_tready,
  input  wire  [7:0]                s_axis_ask_tdata,
  input  wire                       s_axis_ask_tvalid,
  output logic                      s_axis_ask_tready,
  `AXIS_OUT_PORTS(word, Lanes*8*WordBytes)

  `PASS_PORTS(8)
  `AXIS_IN_PORTS(row, 8*RowBytes)

  output logic                      busy_o ///< a run is on; its end can serve as an interrupt
);
  `REQUIRE_OF_TOP(g_bad_bytes, 8 * WordBytes >= WordW, "WordBytes must hold the bits of the longest format")

  wire [Lanes*WordW-1:0] word_in, word_out;
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      assign word_in[l*WordW +: WordW] = s_axis_word_tdata[l*8*WordBytes +: WordW];
      assign m_axis_word_tdata[l*8*WordBytes +: 8*WordBytes] = (8*WordBytes)'($signed(word_out[l*WordW +: WordW]));
    end
  endgenerate
  sp_core #(
`include "fx_parameters_passed.svh"
    , .Depth(Depth), .AddressW(AddressW), .RowLog(RowLog)) i_core (
    .clk_i(aclk), .rst_ni(aresetn), `AXIL_PASSED,
    .s_axis_word_tdata(word_in),
    .s_axis_word_tuser, .s_axis_word_tvalid, .s_axis_word_tlast, .s_axis_word_tready, .s_axis_ask_tdata,
    .s_axis_ask_tvalid, .s_axis_ask_tready, .m_axis_word_tdata(word_out), .m_axis_word_tvalid, .m_axis_word_tlast,
    .m_axis_word_tready, .m_axis_pass_tdata, .m_axis_pass_tvalid, .m_axis_pass_tready,
    .s_axis_row_tdata(s_axis_row_tdata[Lanes*EntryW:0]), .s_axis_row_tvalid, .s_axis_row_tlast, .s_axis_row_tready,
    .busy_o);
  wire unused = &{1'b0, s_axil_awprot, s_axil_arprot, s_axis_word_tdata, s_axis_row_tdata};
endmodule
`default_nettype wire
