/// fx_cores with the ports that vendor tools want, for up to 4 cores: stream u of core k is the port u<k>, band b of core k
/// band<k>_<b>, each with a tdata of whole bytes as fx_core_axis has them. Ports of cores and bands that are not there are never read
/// and never offer. Wires only: no clock later than fx_cores.
`include "mantissa.svh"
`default_nettype none
module fx_cores_axis #(
  parameter integer Cores = 2, ///< 1 to 4
`include "fx_parameters.svh"
`include "byte_parameters.svh"
  , localparam integer AddrW = 8 + $clog2(Cores + 1)
) (
  input  wire                      aclk,
  input  wire                      aresetn,

  `AXIL_PROT_PORTS(AddrW)
  `PASS_PORTS(8)
  `VECTOR_BYTES_PORTS(u0, r0, p0, q0)
  `BAND_BYTES_PORTS(band0_)
  `VECTOR_BYTES_PORTS(u1, r1, p1, q1)
  `BAND_BYTES_PORTS(band1_)
  `VECTOR_BYTES_PORTS(u2, r2, p2, q2)
  `BAND_BYTES_PORTS(band2_)
  `VECTOR_BYTES_PORTS(u3, r3, p3, q3)
  `BAND_BYTES_PORTS(band3_)

  output logic                     busy_o,
  output logic [17*Cores-1:0]      waiting_o
);
`include "fx_checks.svh"
`include "fx_grid_checks.svh"
  `REQUIRE_OF_TOP(g_bytes, 8 * UBytes >= UW && 8 * RBytes >= RW && 8 * PBytes >= PW && 8 * QBytes >= QW && 8 * CoefBytes >= CoefW,
                  "UBytes, RBytes, PBytes, QBytes and CoefBytes must hold the bits of their words")
  `REQUIRE_OF_TOP(g_cores, Cores >= 1 && Cores <= 4, "Cores must be in 1..4; fx_cores takes more")

  // A vector's streams, in and out, side by side: core 0's lowest.
`define FX_SIDE_BY_SIDE(v, W, Bytes) \
  wire [4*Lanes*8*Bytes-1:0] v``_bytes = {s_axis_``v``3_tdata, s_axis_``v``2_tdata, s_axis_``v``1_tdata, s_axis_``v``0_tdata}; \
  wire [3:0] v``_valid = {s_axis_``v``3_tvalid, s_axis_``v``2_tvalid, s_axis_``v``1_tvalid, s_axis_``v``0_tvalid}; \
  wire [3:0] v``_last = {s_axis_``v``3_tlast, s_axis_``v``2_tlast, s_axis_``v``1_tlast, s_axis_``v``0_tlast}; \
  wire [3:0] v``_taken = {m_axis_``v``3_tready, m_axis_``v``2_tready, m_axis_``v``1_tready, m_axis_``v``0_tready}; \
  wire [Cores-1:0] v``_ready, v``_offered, v``_ends; \
  wire [Cores*Lanes*W-1:0] v``_in, v``_out; \
  wire [4*Lanes*8*Bytes-1:0] v``_leaves; \
  assign {s_axis_``v``3_tready, s_axis_``v``2_tready, s_axis_``v``1_tready, s_axis_``v``0_tready} = 4'(v``_ready); \
  assign {m_axis_``v``3_tvalid, m_axis_``v``2_tvalid, m_axis_``v``1_tvalid, m_axis_``v``0_tvalid} = 4'(v``_offered); \
  assign {m_axis_``v``3_tlast, m_axis_``v``2_tlast, m_axis_``v``1_tlast, m_axis_``v``0_tlast} = 4'(v``_ends); \
  assign {m_axis_``v``3_tdata, m_axis_``v``2_tdata, m_axis_``v``1_tdata, m_axis_``v``0_tdata} = v``_leaves;
  `FX_SIDE_BY_SIDE(u, UW, UBytes)
  `FX_SIDE_BY_SIDE(r, RW, RBytes)
  `FX_SIDE_BY_SIDE(p, PW, PBytes)
  `FX_SIDE_BY_SIDE(q, QW, QBytes)
  // One signal of all bands.
`define FX_BANDS(k, signal) s_axis_band``k``_4_``signal, s_axis_band``k``_3_``signal, s_axis_band``k``_2_``signal, \
    s_axis_band``k``_1_``signal, s_axis_band``k``_0_``signal
`define FX_ALL_BANDS(signal) \
  {`FX_BANDS(3, signal), `FX_BANDS(2, signal), `FX_BANDS(1, signal), `FX_BANDS(0, signal)}
  wire [4*5*Lanes*8*CoefBytes-1:0] band_bytes = `FX_ALL_BANDS(tdata);
  wire [19:0] band_valid = `FX_ALL_BANDS(tvalid);
  wire [19:0] band_last = `FX_ALL_BANDS(tlast);
  wire [19:0] band_taken;
  assign `FX_ALL_BANDS(tready) = band_taken;
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
    .clk_i(aclk), .rst_ni(aresetn), `AXIL_PASSED,
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
