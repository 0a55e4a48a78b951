/// fx_core with the ports that vendor tools want: every stream a port of its own with a tdata of whole bytes, AXI4-Lite with
/// protection bits, aclk and aresetn. A word takes UBytes (RBytes, PBytes, QBytes, CoefBytes) bytes, right-aligned, lane 0 lowest;
/// bits above it are ignored coming in and copies of its sign going out. Bands: 0 to 3 the weights to E, NW, N and NE, 4 the row
/// sums; those that a core does not have are never read. Wires only: no clock later than fx_core.
`include "mantissa.svh"
`default_nettype none
module fx_core_axis #(
`include "fx_parameters.svh"
`include "byte_parameters.svh"
) (
  input  wire                      aclk,
  input  wire                      aresetn,

  `AXIL_PROT_PORTS(8)
  `PASS_PORTS(8)
  `VECTOR_BYTES_PORTS(u, r, p, q)
  `BAND_BYTES_PORTS(band)

  output logic                     busy_o,
  output logic [16:0]              waiting_o
);
`include "fx_checks.svh"
`include "fx_grid_checks.svh"
  `REQUIRE_OF_TOP(g_bytes, 8 * UBytes >= UW && 8 * RBytes >= RW && 8 * PBytes >= PW && 8 * QBytes >= QW && 8 * CoefBytes >= CoefW,
                  "UBytes, RBytes, PBytes, QBytes and CoefBytes must hold the bits of their words")
  `REQUIRE_OF_TOP(g_alone_here, Alone == 1, "Alone must be 1: fx_cores_axis has several cores")

  wire [Lanes*UW-1:0] u_in, u_out;
  wire [Lanes*RW-1:0] r_in, r_out;
  wire [Lanes*PW-1:0] p_in, p_out;
  wire [Lanes*QW-1:0] q_in, q_out;
  wire [Coefs*Lanes*CoefW-1:0] band_in;
  wire [5*Lanes*8*CoefBytes-1:0] band_bytes = {
    s_axis_band4_tdata, s_axis_band3_tdata, s_axis_band2_tdata, s_axis_band1_tdata, s_axis_band0_tdata};
  wire [4:0] band_tvalid = {
    s_axis_band4_tvalid, s_axis_band3_tvalid, s_axis_band2_tvalid, s_axis_band1_tvalid, s_axis_band0_tvalid};
  wire [4:0] band_tlast = {s_axis_band4_tlast, s_axis_band3_tlast, s_axis_band2_tlast, s_axis_band1_tlast, s_axis_band0_tlast};
  wire [Coefs-1:0] band_tready;
  assign {s_axis_band4_tready, s_axis_band3_tready, s_axis_band2_tready, s_axis_band1_tready, s_axis_band0_tready} =
    5'(band_tready);
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      assign u_in[l*UW +: UW] = s_axis_u_tdata[l*8*UBytes +: UW];
      assign r_in[l*RW +: RW] = s_axis_r_tdata[l*8*RBytes +: RW];
      assign p_in[l*PW +: PW] = s_axis_p_tdata[l*8*PBytes +: PW];
      assign q_in[l*QW +: QW] = s_axis_q_tdata[l*8*QBytes +: QW];
      assign m_axis_u_tdata[l*8*UBytes +: 8*UBytes] = (8*UBytes)'($signed(u_out[l*UW +: UW]));
      assign m_axis_r_tdata[l*8*RBytes +: 8*RBytes] = (8*RBytes)'($signed(r_out[l*RW +: RW]));
      assign m_axis_p_tdata[l*8*PBytes +: 8*PBytes] = (8*PBytes)'($signed(p_out[l*PW +: PW]));
      assign m_axis_q_tdata[l*8*QBytes +: 8*QBytes] = (8*QBytes)'($signed(q_out[l*QW +: QW]));
    end
    for (l = 0; l < Coefs * Lanes; l = l + 1) begin : g_band
      assign band_in[l*CoefW +: CoefW] = band_bytes[l*8*CoefBytes +: CoefW];
    end
  endgenerate
  wire [SumW-1:0] unused_sum;
  wire unused_valid, unused_ready;
  fx_core #(
`include "fx_parameters_passed.svh"
  ) i_core (
    .clk_i(aclk), .rst_ni(aresetn), `AXIL_PASSED,
    .m_axis_pass_tdata, .m_axis_pass_tvalid, .m_axis_pass_tready,
    .s_axis_u_tdata(u_in), .s_axis_u_tvalid, .s_axis_u_tlast, .s_axis_u_tready,
    .s_axis_r_tdata(r_in), .s_axis_r_tvalid, .s_axis_r_tlast, .s_axis_r_tready,
    .s_axis_p_tdata(p_in), .s_axis_p_tvalid, .s_axis_p_tlast, .s_axis_p_tready,
    .s_axis_q_tdata(q_in), .s_axis_q_tvalid, .s_axis_q_tlast, .s_axis_q_tready,
    .s_axis_band_tdata(band_in), .s_axis_band_tvalid(band_tvalid[Coefs-1:0]), .s_axis_band_tlast(band_tlast[Coefs-1:0]),
    .s_axis_band_tready(band_tready),
    .m_axis_u_tdata(u_out), .m_axis_u_tvalid, .m_axis_u_tlast, .m_axis_u_tready,
    .m_axis_r_tdata(r_out), .m_axis_r_tvalid, .m_axis_r_tlast, .m_axis_r_tready,
    .m_axis_p_tdata(p_out), .m_axis_p_tvalid, .m_axis_p_tlast, .m_axis_p_tready,
    .m_axis_q_tdata(q_out), .m_axis_q_tvalid, .m_axis_q_tlast, .m_axis_q_tready,
    .m_axis_sum_tdata(unused_sum), .m_axis_sum_tvalid(unused_valid), .m_axis_sum_tready(1'b1), .s_axis_sum_tdata({SumW{1'b0}}),
    .s_axis_sum_tvalid(1'b0), .s_axis_sum_tready(unused_ready), .busy_o, .waiting_o);
  wire unused = &{1'b0, s_axil_awprot, s_axil_arprot, s_axis_u_tdata, s_axis_r_tdata, s_axis_p_tdata, s_axis_q_tdata,
                  band_bytes, band_tvalid, band_tlast, unused_sum, unused_valid, unused_ready};
endmodule
`default_nettype wire
