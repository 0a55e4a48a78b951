/// The integer core: the passes of pcg_core in fixed-point words, one token (Lanes elements) of each vector per clock.
/// Registers, streams and their order are pcg_core's; words are two's complement, and engine.hpp ("Fixed-point words")
/// says what each becomes.
///
///   s_axis_band        in, Coefs streams side by side, each with its own handshake: the weights to E, NW, N and NE
///                      (SymmetricBands), then with RowSums the row sums. None is read with CoefMode 1.
///   m_axis_sum         out, with Alone 0: {over, rr, pq, qq}, this core's part of a pass's totals, and whether one of
///                      its words overflowed; one beat a pass
///   s_axis_sum         in, with Alone 0: the same of all cores together, one beat a pass
///
/// A word that overflows keeps its low bits, and the pass ends the run with WINDOW_OVERFLOW.
/// Parameters: see fx_parameters.svh; registers: see core_regs.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module fx_core #(
`include "fx_parameters.svh"
) (
  input  wire                          clk_i,
  input  wire                          rst_ni,

  input  wire  [7:0]                   s_axil_awaddr,
  input  wire                          s_axil_awvalid,
  output logic                         s_axil_awready,
  input  wire  [31:0]                  s_axil_wdata,
  input  wire  [3:0]                   s_axil_wstrb,
  input  wire                          s_axil_wvalid,
  output logic                         s_axil_wready,
  output logic [1:0]                   s_axil_bresp,
  output logic                         s_axil_bvalid,
  input  wire                          s_axil_bready,
  input  wire  [7:0]                   s_axil_araddr,
  input  wire                          s_axil_arvalid,
  output logic                         s_axil_arready,
  output logic [31:0]                  s_axil_rdata,
  output logic [1:0]                   s_axil_rresp,
  output logic                         s_axil_rvalid,
  input  wire                          s_axil_rready,

  output logic [7:0]                   m_axis_pass_tdata,
  output logic                         m_axis_pass_tvalid,
  input  wire                          m_axis_pass_tready,

  input  wire  [Lanes*UW-1:0]          s_axis_u_tdata,
  input  wire                          s_axis_u_tvalid,
  input  wire                          s_axis_u_tlast,
  output logic                         s_axis_u_tready,
  input  wire  [Lanes*RW-1:0]          s_axis_r_tdata,
  input  wire                          s_axis_r_tvalid,
  input  wire                          s_axis_r_tlast,
  output logic                         s_axis_r_tready,
  input  wire  [Lanes*PW-1:0]          s_axis_p_tdata,
  input  wire                          s_axis_p_tvalid,
  input  wire                          s_axis_p_tlast,
  output logic                         s_axis_p_tready,
  input  wire  [Lanes*QW-1:0]          s_axis_q_tdata,
  input  wire                          s_axis_q_tvalid,
  input  wire                          s_axis_q_tlast,
  output logic                         s_axis_q_tready,
  input  wire  [Coefs*Lanes*CoefW-1:0] s_axis_band_tdata,
  input  wire  [Coefs-1:0]             s_axis_band_tvalid,
  input  wire  [Coefs-1:0]             s_axis_band_tlast,
  output logic [Coefs-1:0]             s_axis_band_tready,

  output logic [Lanes*UW-1:0]          m_axis_u_tdata,
  output logic                         m_axis_u_tvalid,
  output logic                         m_axis_u_tlast,
  input  wire                          m_axis_u_tready,
  output logic [Lanes*RW-1:0]          m_axis_r_tdata,
  output logic                         m_axis_r_tvalid,
  output logic                         m_axis_r_tlast,
  input  wire                          m_axis_r_tready,
  output logic [Lanes*PW-1:0]          m_axis_p_tdata,
  output logic                         m_axis_p_tvalid,
  output logic                         m_axis_p_tlast,
  input  wire                          m_axis_p_tready,
  output logic [Lanes*QW-1:0]          m_axis_q_tdata,
  output logic                         m_axis_q_tvalid,
  output logic                         m_axis_q_tlast,
  input  wire                          m_axis_q_tready,

  output logic [SumW-1:0]              m_axis_sum_tdata,
  output logic                         m_axis_sum_tvalid,
  input  wire                          m_axis_sum_tready,
  input  wire  [SumW-1:0]              s_axis_sum_tdata,
  input  wire                          s_axis_sum_tvalid,
  output logic                         s_axis_sum_tready,

  output logic                         busy_o,   ///< a run is on; its end can serve as an interrupt
  output logic [16:0]                  waiting_o ///< what a stopped pipeline waits for: see pcg_core
);
endmodule
`default_nettype wire
