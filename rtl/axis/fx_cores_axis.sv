/// fx_cores with the ports that vendor tools want, for up to 4 cores: stream u of core k is the port u<k>, band b of core k
/// band<k>_<b>, each with a tdata of whole bytes as fx_core_axis has them. Ports of cores and bands that are not there are never read
/// and never offer. Wires only: no clock later than fx_cores.
`include "mantissa.svh"
`default_nettype none
module fx_cores_axis #(
  parameter integer Cores = 2, ///< 1 to 4
`include "fx_parameters.svh"
  , parameter integer UBytes = (UW + 7) / 8, ///< bytes that an element takes in its stream
  parameter integer RBytes = (RW + 7) / 8,
  parameter integer PBytes = (PW + 7) / 8,
  parameter integer QBytes = (QW + 7) / 8,
  parameter integer CoefBytes = (CoefW + 7) / 8,
  localparam integer AddrW = 8 + $clog2(Cores + 1)
) (
  input  wire                      aclk,
  input  wire                      aresetn,

  input  wire  [AddrW-1:0]               s_axil_awaddr,
  input  wire  [2:0]               s_axil_awprot, ///< ignored
  input  wire                      s_axil_awvalid,
  output logic                     s_axil_awready,
  input  wire  [31:0]              s_axil_wdata,
  input  wire  [3:0]               s_axil_wstrb,
  input  wire                      s_axil_wvalid,
  output logic                     s_axil_wready,
  output logic [1:0]               s_axil_bresp,
  output logic                     s_axil_bvalid,
  input  wire                      s_axil_bready,
  input  wire  [AddrW-1:0]               s_axil_araddr,
  input  wire  [2:0]               s_axil_arprot, ///< ignored
  input  wire                      s_axil_arvalid,
  output logic                     s_axil_arready,
  output logic [31:0]              s_axil_rdata,
  output logic [1:0]               s_axil_rresp,
  output logic                     s_axil_rvalid,
  input  wire                      s_axil_rready,

  output logic [7:0]               m_axis_pass_tdata,
  output logic                     m_axis_pass_tvalid,
  input  wire                      m_axis_pass_tready,
  input  wire  [Lanes*8*UBytes-1:0] s_axis_u0_tdata,
  input  wire                      s_axis_u0_tvalid,
  input  wire                      s_axis_u0_tlast,
  output logic                     s_axis_u0_tready,
  input  wire  [Lanes*8*RBytes-1:0] s_axis_r0_tdata,
  input  wire                      s_axis_r0_tvalid,
  input  wire                      s_axis_r0_tlast,
  output logic                     s_axis_r0_tready,
  input  wire  [Lanes*8*PBytes-1:0] s_axis_p0_tdata,
  input  wire                      s_axis_p0_tvalid,
  input  wire                      s_axis_p0_tlast,
  output logic                     s_axis_p0_tready,
  input  wire  [Lanes*8*QBytes-1:0] s_axis_q0_tdata,
  input  wire                      s_axis_q0_tvalid,
  input  wire                      s_axis_q0_tlast,
  output logic                     s_axis_q0_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band0_0_tdata,
  input  wire                      s_axis_band0_0_tvalid,
  input  wire                      s_axis_band0_0_tlast,
  output logic                     s_axis_band0_0_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band0_1_tdata,
  input  wire                      s_axis_band0_1_tvalid,
  input  wire                      s_axis_band0_1_tlast,
  output logic                     s_axis_band0_1_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band0_2_tdata,
  input  wire                      s_axis_band0_2_tvalid,
  input  wire                      s_axis_band0_2_tlast,
  output logic                     s_axis_band0_2_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band0_3_tdata,
  input  wire                      s_axis_band0_3_tvalid,
  input  wire                      s_axis_band0_3_tlast,
  output logic                     s_axis_band0_3_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band0_4_tdata,
  input  wire                      s_axis_band0_4_tvalid,
  input  wire                      s_axis_band0_4_tlast,
  output logic                     s_axis_band0_4_tready,
  output logic [Lanes*8*UBytes-1:0] m_axis_u0_tdata,
  output logic                     m_axis_u0_tvalid,
  output logic                     m_axis_u0_tlast,
  input  wire                      m_axis_u0_tready,
  output logic [Lanes*8*RBytes-1:0] m_axis_r0_tdata,
  output logic                     m_axis_r0_tvalid,
  output logic                     m_axis_r0_tlast,
  input  wire                      m_axis_r0_tready,
  output logic [Lanes*8*PBytes-1:0] m_axis_p0_tdata,
  output logic                     m_axis_p0_tvalid,
  output logic                     m_axis_p0_tlast,
  input  wire                      m_axis_p0_tready,
  output logic [Lanes*8*QBytes-1:0] m_axis_q0_tdata,
  output logic                     m_axis_q0_tvalid,
  output logic                     m_axis_q0_tlast,
  input  wire                      m_axis_q0_tready,
  input  wire  [Lanes*8*UBytes-1:0] s_axis_u1_tdata,
  input  wire                      s_axis_u1_tvalid,
  input  wire                      s_axis_u1_tlast,
  output logic                     s_axis_u1_tready,
  input  wire  [Lanes*8*RBytes-1:0] s_axis_r1_tdata,
  input  wire                      s_axis_r1_tvalid,
  input  wire                      s_axis_r1_tlast,
  output logic                     s_axis_r1_tready,
  input  wire  [Lanes*8*PBytes-1:0] s_axis_p1_tdata,
  input  wire                      s_axis_p1_tvalid,
  input  wire                      s_axis_p1_tlast,
  output logic                     s_axis_p1_tready,
  input  wire  [Lanes*8*QBytes-1:0] s_axis_q1_tdata,
  input  wire                      s_axis_q1_tvalid,
  input  wire                      s_axis_q1_tlast,
  output logic                     s_axis_q1_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band1_0_tdata,
  input  wire                      s_axis_band1_0_tvalid,
  input  wire                      s_axis_band1_0_tlast,
  output logic                     s_axis_band1_0_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band1_1_tdata,
  input  wire                      s_axis_band1_1_tvalid,
  input  wire                      s_axis_band1_1_tlast,
  output logic                     s_axis_band1_1_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band1_2_tdata,
  input  wire                      s_axis_band1_2_tvalid,
  input  wire                      s_axis_band1_2_tlast,
  output logic                     s_axis_band1_2_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band1_3_tdata,
  input  wire                      s_axis_band1_3_tvalid,
  input  wire                      s_axis_band1_3_tlast,
  output logic                     s_axis_band1_3_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band1_4_tdata,
  input  wire                      s_axis_band1_4_tvalid,
  input  wire                      s_axis_band1_4_tlast,
  output logic                     s_axis_band1_4_tready,
  output logic [Lanes*8*UBytes-1:0] m_axis_u1_tdata,
  output logic                     m_axis_u1_tvalid,
  output logic                     m_axis_u1_tlast,
  input  wire                      m_axis_u1_tready,
  output logic [Lanes*8*RBytes-1:0] m_axis_r1_tdata,
  output logic                     m_axis_r1_tvalid,
  output logic                     m_axis_r1_tlast,
  input  wire                      m_axis_r1_tready,
  output logic [Lanes*8*PBytes-1:0] m_axis_p1_tdata,
  output logic                     m_axis_p1_tvalid,
  output logic                     m_axis_p1_tlast,
  input  wire                      m_axis_p1_tready,
  output logic [Lanes*8*QBytes-1:0] m_axis_q1_tdata,
  output logic                     m_axis_q1_tvalid,
  output logic                     m_axis_q1_tlast,
  input  wire                      m_axis_q1_tready,
  input  wire  [Lanes*8*UBytes-1:0] s_axis_u2_tdata,
  input  wire                      s_axis_u2_tvalid,
  input  wire                      s_axis_u2_tlast,
  output logic                     s_axis_u2_tready,
  input  wire  [Lanes*8*RBytes-1:0] s_axis_r2_tdata,
  input  wire                      s_axis_r2_tvalid,
  input  wire                      s_axis_r2_tlast,
  output logic                     s_axis_r2_tready,
  input  wire  [Lanes*8*PBytes-1:0] s_axis_p2_tdata,
  input  wire                      s_axis_p2_tvalid,
  input  wire                      s_axis_p2_tlast,
  output logic                     s_axis_p2_tready,
  input  wire  [Lanes*8*QBytes-1:0] s_axis_q2_tdata,
  input  wire                      s_axis_q2_tvalid,
  input  wire                      s_axis_q2_tlast,
  output logic                     s_axis_q2_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band2_0_tdata,
  input  wire                      s_axis_band2_0_tvalid,
  input  wire                      s_axis_band2_0_tlast,
  output logic                     s_axis_band2_0_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band2_1_tdata,
  input  wire                      s_axis_band2_1_tvalid,
  input  wire                      s_axis_band2_1_tlast,
  output logic                     s_axis_band2_1_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band2_2_tdata,
  input  wire                      s_axis_band2_2_tvalid,
  input  wire                      s_axis_band2_2_tlast,
  output logic                     s_axis_band2_2_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band2_3_tdata,
  input  wire                      s_axis_band2_3_tvalid,
  input  wire                      s_axis_band2_3_tlast,
  output logic                     s_axis_band2_3_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band2_4_tdata,
  input  wire                      s_axis_band2_4_tvalid,
  input  wire                      s_axis_band2_4_tlast,
  output logic                     s_axis_band2_4_tready,
  output logic [Lanes*8*UBytes-1:0] m_axis_u2_tdata,
  output logic                     m_axis_u2_tvalid,
  output logic                     m_axis_u2_tlast,
  input  wire                      m_axis_u2_tready,
  output logic [Lanes*8*RBytes-1:0] m_axis_r2_tdata,
  output logic                     m_axis_r2_tvalid,
  output logic                     m_axis_r2_tlast,
  input  wire                      m_axis_r2_tready,
  output logic [Lanes*8*PBytes-1:0] m_axis_p2_tdata,
  output logic                     m_axis_p2_tvalid,
  output logic                     m_axis_p2_tlast,
  input  wire                      m_axis_p2_tready,
  output logic [Lanes*8*QBytes-1:0] m_axis_q2_tdata,
  output logic                     m_axis_q2_tvalid,
  output logic                     m_axis_q2_tlast,
  input  wire                      m_axis_q2_tready,
  input  wire  [Lanes*8*UBytes-1:0] s_axis_u3_tdata,
  input  wire                      s_axis_u3_tvalid,
  input  wire                      s_axis_u3_tlast,
  output logic                     s_axis_u3_tready,
  input  wire  [Lanes*8*RBytes-1:0] s_axis_r3_tdata,
  input  wire                      s_axis_r3_tvalid,
  input  wire                      s_axis_r3_tlast,
  output logic                     s_axis_r3_tready,
  input  wire  [Lanes*8*PBytes-1:0] s_axis_p3_tdata,
  input  wire                      s_axis_p3_tvalid,
  input  wire                      s_axis_p3_tlast,
  output logic                     s_axis_p3_tready,
  input  wire  [Lanes*8*QBytes-1:0] s_axis_q3_tdata,
  input  wire                      s_axis_q3_tvalid,
  input  wire                      s_axis_q3_tlast,
  output logic                     s_axis_q3_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band3_0_tdata,
  input  wire                      s_axis_band3_0_tvalid,
  input  wire                      s_axis_band3_0_tlast,
  output logic                     s_axis_band3_0_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band3_1_tdata,
  input  wire                      s_axis_band3_1_tvalid,
  input  wire                      s_axis_band3_1_tlast,
  output logic                     s_axis_band3_1_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band3_2_tdata,
  input  wire                      s_axis_band3_2_tvalid,
  input  wire                      s_axis_band3_2_tlast,
  output logic                     s_axis_band3_2_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band3_3_tdata,
  input  wire                      s_axis_band3_3_tvalid,
  input  wire                      s_axis_band3_3_tlast,
  output logic                     s_axis_band3_3_tready,
  input  wire  [Lanes*8*CoefBytes-1:0] s_axis_band3_4_tdata,
  input  wire                      s_axis_band3_4_tvalid,
  input  wire                      s_axis_band3_4_tlast,
  output logic                     s_axis_band3_4_tready,
  output logic [Lanes*8*UBytes-1:0] m_axis_u3_tdata,
  output logic                     m_axis_u3_tvalid,
  output logic                     m_axis_u3_tlast,
  input  wire                      m_axis_u3_tready,
  output logic [Lanes*8*RBytes-1:0] m_axis_r3_tdata,
  output logic                     m_axis_r3_tvalid,
  output logic                     m_axis_r3_tlast,
  input  wire                      m_axis_r3_tready,
  output logic [Lanes*8*PBytes-1:0] m_axis_p3_tdata,
  output logic                     m_axis_p3_tvalid,
  output logic                     m_axis_p3_tlast,
  input  wire                      m_axis_p3_tready,
  output logic [Lanes*8*QBytes-1:0] m_axis_q3_tdata,
  output logic                     m_axis_q3_tvalid,
  output logic                     m_axis_q3_tlast,
  input  wire                      m_axis_q3_tready,

  output logic                     busy_o,
  output logic [17*Cores-1:0]      waiting_o
);
`include "fx_checks.svh"
`include "fx_grid_checks.svh"
  `REQUIRE_OF_TOP(g_bytes, 8 * UBytes >= UW && 8 * RBytes >= RW && 8 * PBytes >= PW && 8 * QBytes >= QW && 8 * CoefBytes >= CoefW,
                  "UBytes, RBytes, PBytes, QBytes and CoefBytes must hold the bits of their words")
  `REQUIRE_OF_TOP(g_cores, Cores >= 1 && Cores <= 4, "Cores must be in 1..4; fx_cores takes more")

  wire [4*Lanes*8*UBytes-1:0] u_bytes = {s_axis_u3_tdata, s_axis_u2_tdata, s_axis_u1_tdata, s_axis_u0_tdata};
  wire [3:0] u_valid = {s_axis_u3_tvalid, s_axis_u2_tvalid, s_axis_u1_tvalid, s_axis_u0_tvalid};
  wire [3:0] u_last = {s_axis_u3_tlast, s_axis_u2_tlast, s_axis_u1_tlast, s_axis_u0_tlast};
  wire [3:0] u_taken = {m_axis_u3_tready, m_axis_u2_tready, m_axis_u1_tready, m_axis_u0_tready};
  wire [Cores-1:0] u_ready, u_offered, u_ends;
  wire [Cores*Lanes*UW-1:0] u_in, u_out;
  wire [4*Lanes*8*UBytes-1:0] u_leaves;
  assign {s_axis_u3_tready, s_axis_u2_tready, s_axis_u1_tready, s_axis_u0_tready} = 4'(u_ready);
  assign {m_axis_u3_tvalid, m_axis_u2_tvalid, m_axis_u1_tvalid, m_axis_u0_tvalid} = 4'(u_offered);
  assign {m_axis_u3_tlast, m_axis_u2_tlast, m_axis_u1_tlast, m_axis_u0_tlast} = 4'(u_ends);
  assign {m_axis_u3_tdata, m_axis_u2_tdata, m_axis_u1_tdata, m_axis_u0_tdata} = u_leaves;
  wire [4*Lanes*8*RBytes-1:0] r_bytes = {s_axis_r3_tdata, s_axis_r2_tdata, s_axis_r1_tdata, s_axis_r0_tdata};
  wire [3:0] r_valid = {s_axis_r3_tvalid, s_axis_r2_tvalid, s_axis_r1_tvalid, s_axis_r0_tvalid};
  wire [3:0] r_last = {s_axis_r3_tlast, s_axis_r2_tlast, s_axis_r1_tlast, s_axis_r0_tlast};
  wire [3:0] r_taken = {m_axis_r3_tready, m_axis_r2_tready, m_axis_r1_tready, m_axis_r0_tready};
  wire [Cores-1:0] r_ready, r_offered, r_ends;
  wire [Cores*Lanes*RW-1:0] r_in, r_out;
  wire [4*Lanes*8*RBytes-1:0] r_leaves;
  assign {s_axis_r3_tready, s_axis_r2_tready, s_axis_r1_tready, s_axis_r0_tready} = 4'(r_ready);
  assign {m_axis_r3_tvalid, m_axis_r2_tvalid, m_axis_r1_tvalid, m_axis_r0_tvalid} = 4'(r_offered);
  assign {m_axis_r3_tlast, m_axis_r2_tlast, m_axis_r1_tlast, m_axis_r0_tlast} = 4'(r_ends);
  assign {m_axis_r3_tdata, m_axis_r2_tdata, m_axis_r1_tdata, m_axis_r0_tdata} = r_leaves;
  wire [4*Lanes*8*PBytes-1:0] p_bytes = {s_axis_p3_tdata, s_axis_p2_tdata, s_axis_p1_tdata, s_axis_p0_tdata};
  wire [3:0] p_valid = {s_axis_p3_tvalid, s_axis_p2_tvalid, s_axis_p1_tvalid, s_axis_p0_tvalid};
  wire [3:0] p_last = {s_axis_p3_tlast, s_axis_p2_tlast, s_axis_p1_tlast, s_axis_p0_tlast};
  wire [3:0] p_taken = {m_axis_p3_tready, m_axis_p2_tready, m_axis_p1_tready, m_axis_p0_tready};
  wire [Cores-1:0] p_ready, p_offered, p_ends;
  wire [Cores*Lanes*PW-1:0] p_in, p_out;
  wire [4*Lanes*8*PBytes-1:0] p_leaves;
  assign {s_axis_p3_tready, s_axis_p2_tready, s_axis_p1_tready, s_axis_p0_tready} = 4'(p_ready);
  assign {m_axis_p3_tvalid, m_axis_p2_tvalid, m_axis_p1_tvalid, m_axis_p0_tvalid} = 4'(p_offered);
  assign {m_axis_p3_tlast, m_axis_p2_tlast, m_axis_p1_tlast, m_axis_p0_tlast} = 4'(p_ends);
  assign {m_axis_p3_tdata, m_axis_p2_tdata, m_axis_p1_tdata, m_axis_p0_tdata} = p_leaves;
  wire [4*Lanes*8*QBytes-1:0] q_bytes = {s_axis_q3_tdata, s_axis_q2_tdata, s_axis_q1_tdata, s_axis_q0_tdata};
  wire [3:0] q_valid = {s_axis_q3_tvalid, s_axis_q2_tvalid, s_axis_q1_tvalid, s_axis_q0_tvalid};
  wire [3:0] q_last = {s_axis_q3_tlast, s_axis_q2_tlast, s_axis_q1_tlast, s_axis_q0_tlast};
  wire [3:0] q_taken = {m_axis_q3_tready, m_axis_q2_tready, m_axis_q1_tready, m_axis_q0_tready};
  wire [Cores-1:0] q_ready, q_offered, q_ends;
  wire [Cores*Lanes*QW-1:0] q_in, q_out;
  wire [4*Lanes*8*QBytes-1:0] q_leaves;
  assign {s_axis_q3_tready, s_axis_q2_tready, s_axis_q1_tready, s_axis_q0_tready} = 4'(q_ready);
  assign {m_axis_q3_tvalid, m_axis_q2_tvalid, m_axis_q1_tvalid, m_axis_q0_tvalid} = 4'(q_offered);
  assign {m_axis_q3_tlast, m_axis_q2_tlast, m_axis_q1_tlast, m_axis_q0_tlast} = 4'(q_ends);
  assign {m_axis_q3_tdata, m_axis_q2_tdata, m_axis_q1_tdata, m_axis_q0_tdata} = q_leaves;
  wire [4*5*Lanes*8*CoefBytes-1:0] band_bytes = {
    s_axis_band3_4_tdata, s_axis_band3_3_tdata, s_axis_band3_2_tdata, s_axis_band3_1_tdata, s_axis_band3_0_tdata,
    s_axis_band2_4_tdata, s_axis_band2_3_tdata, s_axis_band2_2_tdata, s_axis_band2_1_tdata, s_axis_band2_0_tdata,
    s_axis_band1_4_tdata, s_axis_band1_3_tdata, s_axis_band1_2_tdata, s_axis_band1_1_tdata, s_axis_band1_0_tdata,
    s_axis_band0_4_tdata, s_axis_band0_3_tdata, s_axis_band0_2_tdata, s_axis_band0_1_tdata, s_axis_band0_0_tdata};
  wire [19:0] band_valid = {
    s_axis_band3_4_tvalid, s_axis_band3_3_tvalid, s_axis_band3_2_tvalid, s_axis_band3_1_tvalid, s_axis_band3_0_tvalid,
    s_axis_band2_4_tvalid, s_axis_band2_3_tvalid, s_axis_band2_2_tvalid, s_axis_band2_1_tvalid, s_axis_band2_0_tvalid,
    s_axis_band1_4_tvalid, s_axis_band1_3_tvalid, s_axis_band1_2_tvalid, s_axis_band1_1_tvalid, s_axis_band1_0_tvalid,
    s_axis_band0_4_tvalid, s_axis_band0_3_tvalid, s_axis_band0_2_tvalid, s_axis_band0_1_tvalid, s_axis_band0_0_tvalid};
  wire [19:0] band_last = {
    s_axis_band3_4_tlast, s_axis_band3_3_tlast, s_axis_band3_2_tlast, s_axis_band3_1_tlast, s_axis_band3_0_tlast,
    s_axis_band2_4_tlast, s_axis_band2_3_tlast, s_axis_band2_2_tlast, s_axis_band2_1_tlast, s_axis_band2_0_tlast,
    s_axis_band1_4_tlast, s_axis_band1_3_tlast, s_axis_band1_2_tlast, s_axis_band1_1_tlast, s_axis_band1_0_tlast,
    s_axis_band0_4_tlast, s_axis_band0_3_tlast, s_axis_band0_2_tlast, s_axis_band0_1_tlast, s_axis_band0_0_tlast};
  wire [19:0] band_taken;
  assign {
    s_axis_band3_4_tready, s_axis_band3_3_tready, s_axis_band3_2_tready, s_axis_band3_1_tready, s_axis_band3_0_tready,
    s_axis_band2_4_tready, s_axis_band2_3_tready, s_axis_band2_2_tready, s_axis_band2_1_tready, s_axis_band2_0_tready,
    s_axis_band1_4_tready, s_axis_band1_3_tready, s_axis_band1_2_tready, s_axis_band1_1_tready, s_axis_band1_0_tready,
    s_axis_band0_4_tready, s_axis_band0_3_tready, s_axis_band0_2_tready, s_axis_band0_1_tready, s_axis_band0_0_tready} = band_taken;
  wire [Cores*Coefs-1:0] band_valid_in, band_last_in, band_ready;
  wire [Cores*Coefs*Lanes*CoefW-1:0] band_in;
  genvar k, l;
  generate
    for (k = 0; k < 4; k = k + 1) begin : g_core
      for (l = 0; l < Lanes; l = l + 1) begin : g_lane
        localparam integer At = k * Lanes + l;
        if (k < Cores) begin : g_here
          assign u_in[At*UW +: UW] = u_bytes[At*8*UBytes +: UW];
          assign u_leaves[At*8*UBytes +: 8*UBytes] = (8*UBytes)'($signed(u_out[At*UW +: UW]));
          assign r_in[At*RW +: RW] = r_bytes[At*8*RBytes +: RW];
          assign r_leaves[At*8*RBytes +: 8*RBytes] = (8*RBytes)'($signed(r_out[At*RW +: RW]));
          assign p_in[At*PW +: PW] = p_bytes[At*8*PBytes +: PW];
          assign p_leaves[At*8*PBytes +: 8*PBytes] = (8*PBytes)'($signed(p_out[At*PW +: PW]));
          assign q_in[At*QW +: QW] = q_bytes[At*8*QBytes +: QW];
          assign q_leaves[At*8*QBytes +: 8*QBytes] = (8*QBytes)'($signed(q_out[At*QW +: QW]));
        end else begin : g_absent
          assign u_leaves[At*8*UBytes +: 8*UBytes] = '0;
          assign r_leaves[At*8*RBytes +: 8*RBytes] = '0;
          assign p_leaves[At*8*PBytes +: 8*PBytes] = '0;
          assign q_leaves[At*8*QBytes +: 8*QBytes] = '0;
        end
      end
      if (k < Cores) begin : g_bands
        assign band_taken[5*k +: 5] = 5'(band_ready[k*Coefs +: Coefs]);
        assign band_valid_in[k*Coefs +: Coefs] = band_valid[5*k +: Coefs];
        assign band_last_in[k*Coefs +: Coefs]  = band_last[5*k +: Coefs];
        for (l = 0; l < Coefs * Lanes; l = l + 1) begin : g_band
          assign band_in[(k*Coefs*Lanes+l)*CoefW +: CoefW] = band_bytes[(k*5*Lanes+l)*8*CoefBytes +: CoefW];
        end
      end else begin : g_no_bands
        assign band_taken[5*k +: 5] = '0;
      end
    end
  endgenerate
  fx_cores #(.Cores(Cores),
`include "fx_parameters_passed.svh"
  ) i_cores (
    .clk_i(aclk), .rst_ni(aresetn), .s_axil_awaddr, .s_axil_awvalid, .s_axil_awready, .s_axil_wdata, .s_axil_wstrb,
    .s_axil_wvalid, .s_axil_wready, .s_axil_bresp, .s_axil_bvalid, .s_axil_bready, .s_axil_araddr, .s_axil_arvalid,
    .s_axil_arready, .s_axil_rdata, .s_axil_rresp, .s_axil_rvalid, .s_axil_rready,
    .m_axis_pass_tdata, .m_axis_pass_tvalid, .m_axis_pass_tready,
    .s_axis_u_tdata(u_in), .s_axis_u_tvalid(u_valid[Cores-1:0]), .s_axis_u_tlast(u_last[Cores-1:0]), .s_axis_u_tready(u_ready),
    .s_axis_r_tdata(r_in), .s_axis_r_tvalid(r_valid[Cores-1:0]), .s_axis_r_tlast(r_last[Cores-1:0]), .s_axis_r_tready(r_ready),
    .s_axis_p_tdata(p_in), .s_axis_p_tvalid(p_valid[Cores-1:0]), .s_axis_p_tlast(p_last[Cores-1:0]), .s_axis_p_tready(p_ready),
    .s_axis_q_tdata(q_in), .s_axis_q_tvalid(q_valid[Cores-1:0]), .s_axis_q_tlast(q_last[Cores-1:0]), .s_axis_q_tready(q_ready),
    .s_axis_band_tdata(band_in), .s_axis_band_tvalid(band_valid_in), .s_axis_band_tlast(band_last_in), .s_axis_band_tready(band_ready),
    .m_axis_u_tdata(u_out), .m_axis_u_tvalid(u_offered), .m_axis_u_tlast(u_ends), .m_axis_u_tready(u_taken[Cores-1:0]),
    .m_axis_r_tdata(r_out), .m_axis_r_tvalid(r_offered), .m_axis_r_tlast(r_ends), .m_axis_r_tready(r_taken[Cores-1:0]),
    .m_axis_p_tdata(p_out), .m_axis_p_tvalid(p_offered), .m_axis_p_tlast(p_ends), .m_axis_p_tready(p_taken[Cores-1:0]),
    .m_axis_q_tdata(q_out), .m_axis_q_tvalid(q_offered), .m_axis_q_tlast(q_ends), .m_axis_q_tready(q_taken[Cores-1:0]),
    .busy_o, .waiting_o);
  wire unused = &{1'b0, s_axil_awprot, s_axil_arprot, u_bytes, r_bytes, p_bytes, q_bytes, u_valid, r_valid, p_valid, q_valid, u_last,
                  r_last, p_last, q_last, u_taken, r_taken, p_taken, q_taken, band_bytes, band_valid, band_last};
endmodule
`default_nettype wire
