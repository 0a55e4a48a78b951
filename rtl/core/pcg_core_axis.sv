/// pcg_core with the ports that vendor tools want: every stream a port of its own with a tdata of whole bytes,
/// AXI4-Lite with protection bits, aclk and aresetn. An element takes UBytes (RBytes, PBytes, QBytes, CoefBytes) bytes, right-
/// aligned, lane 0 lowest; bits above its format's are ignored coming in and zero going out. By default as many bytes
/// as the format needs; 4 or 8 give arrays of words in memory. Wires only: no clock later than pcg_core.
`include "mantissa.svh"
`default_nettype none
module pcg_core_axis #(
`include "core_parameters.svh"
`include "byte_parameters.svh"
) (
  input  wire                      aclk,
  input  wire                      aresetn,

  `AXIL_PROT_PORTS(8)
  `PASS_PORTS(8)
  `VECTOR_BYTES_PORTS(u, r, p, q)
  `BAND_BYTES_PORTS(band)
  `AXIS_IN_PORTS(band5, Lanes*8*CoefBytes)
  `AXIS_IN_PORTS(band6, Lanes*8*CoefBytes)
  `AXIS_IN_PORTS(band7, Lanes*8*CoefBytes)
  `AXIS_IN_PORTS(band8, Lanes*8*CoefBytes)

  output logic                     busy_o,
  output logic [16:0]              waiting_o
);
  `REQUIRE_OF_TOP(g_bad_bytes, 8 * UBytes >= UW && 8 * RBytes >= RW && 8 * PBytes >= PW && 8 * QBytes >= QW &&
           8 * CoefBytes >= CoefW, "UBytes, RBytes, PBytes, QBytes and CoefBytes must hold the bits of their formats")

  wire [Lanes*UW-1:0] u_in, u_out;
  wire [Lanes*RW-1:0] r_in, r_out;
  wire [Lanes*PW-1:0] p_in, p_out;
  wire [Lanes*QW-1:0] q_in, q_out;
  wire [Coefs*Lanes*CoefW-1:0] band_in;
  wire [9*Lanes*8*CoefBytes-1:0] band_bytes = {
    s_axis_band8_tdata, s_axis_band7_tdata, s_axis_band6_tdata,
    s_axis_band5_tdata, s_axis_band4_tdata, s_axis_band3_tdata,
    s_axis_band2_tdata, s_axis_band1_tdata, s_axis_band0_tdata};
  wire [8:0] band_tvalid = {
    s_axis_band8_tvalid, s_axis_band7_tvalid, s_axis_band6_tvalid, s_axis_band5_tvalid, s_axis_band4_tvalid,
    s_axis_band3_tvalid, s_axis_band2_tvalid, s_axis_band1_tvalid, s_axis_band0_tvalid};
  wire [8:0] band_tlast = {
    s_axis_band8_tlast, s_axis_band7_tlast, s_axis_band6_tlast, s_axis_band5_tlast, s_axis_band4_tlast,
    s_axis_band3_tlast, s_axis_band2_tlast, s_axis_band1_tlast, s_axis_band0_tlast};
  wire [Coefs-1:0] band_tready; // rows of fluxes leave the last bands' ports unused
  assign {s_axis_band8_tready, s_axis_band7_tready, s_axis_band6_tready, s_axis_band5_tready, s_axis_band4_tready,
          s_axis_band3_tready, s_axis_band2_tready, s_axis_band1_tready, s_axis_band0_tready} = 9'(band_tready);
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      assign u_in[l*UW +: UW] = s_axis_u_tdata[l*8*UBytes +: UW];
      assign r_in[l*RW +: RW] = s_axis_r_tdata[l*8*RBytes +: RW];
      assign p_in[l*PW +: PW] = s_axis_p_tdata[l*8*PBytes +: PW];
      assign q_in[l*QW +: QW] = s_axis_q_tdata[l*8*QBytes +: QW];
      assign m_axis_u_tdata[l*8*UBytes +: 8*UBytes] = (8*UBytes)'(u_out[l*UW +: UW]);
      assign m_axis_r_tdata[l*8*RBytes +: 8*RBytes] = (8*RBytes)'(r_out[l*RW +: RW]);
      assign m_axis_p_tdata[l*8*PBytes +: 8*PBytes] = (8*PBytes)'(p_out[l*PW +: PW]);
      assign m_axis_q_tdata[l*8*QBytes +: 8*QBytes] = (8*QBytes)'(q_out[l*QW +: QW]);
    end
    for (l = 0; l < Coefs * Lanes; l = l + 1) begin : g_band
      assign band_in[l*CoefW +: CoefW] = band_bytes[l*8*CoefBytes +: CoefW];
    end
  endgenerate

  pcg_core #(
`include "core_parameters_passed.svh"
  ) i_core (
    .clk_i(aclk), .rst_ni(aresetn), `AXIL_PASSED,
    .m_axis_pass_tdata,
    .m_axis_pass_tvalid, .m_axis_pass_tready, .s_axis_u_tdata(u_in), .s_axis_u_tvalid, .s_axis_u_tlast,
    .s_axis_u_tready, .s_axis_r_tdata(r_in), .s_axis_r_tvalid, .s_axis_r_tlast, .s_axis_r_tready,
    .s_axis_p_tdata(p_in), .s_axis_p_tvalid, .s_axis_p_tlast, .s_axis_p_tready, .s_axis_q_tdata(q_in),
    .s_axis_q_tvalid, .s_axis_q_tlast, .s_axis_q_tready, .s_axis_band_tdata(band_in),
    .s_axis_band_tvalid(band_tvalid[Coefs-1:0]), .s_axis_band_tlast(band_tlast[Coefs-1:0]),
    .s_axis_band_tready(band_tready),
    .m_axis_u_tdata(u_out), .m_axis_u_tvalid, .m_axis_u_tlast, .m_axis_u_tready, .m_axis_r_tdata(r_out),
    .m_axis_r_tvalid, .m_axis_r_tlast, .m_axis_r_tready, .m_axis_p_tdata(p_out), .m_axis_p_tvalid, .m_axis_p_tlast,
    .m_axis_p_tready, .m_axis_q_tdata(q_out), .m_axis_q_tvalid, .m_axis_q_tlast, .m_axis_q_tready, .busy_o,
    .waiting_o);
  wire unused = &{1'b0, s_axil_awprot, s_axil_arprot, s_axis_u_tdata, s_axis_r_tdata, s_axis_p_tdata, s_axis_q_tdata,
                  band_bytes, band_tvalid, band_tlast};
endmodule
`default_nettype wire
