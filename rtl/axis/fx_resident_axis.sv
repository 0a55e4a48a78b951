/// fx_resident, or with Cores above 1 fx_residents, with the ports that vendor tools want: AXI4-Lite with protection bits, aclk and aresetn, and a tdata of 8 bytes for a
/// word of D and of V; bits above it are ignored coming in and copies of its sign going out. Wires only: no clock later.
`include "mantissa.svh"
`default_nettype none
module fx_resident_axis #(
`include "fx_parameters.svh"
`include "resident_parameters.svh"
) (
  input  wire                      aclk,
  input  wire                      aresetn,

  `AXIL_PROT_PORTS(8)

  input  wire  [63:0]              s_axis_d_tdata,
  input  wire                      s_axis_d_tvalid,
  input  wire                      s_axis_d_tlast,
  output logic                     s_axis_d_tready,
  output logic [63:0]              m_axis_v_tdata,
  output logic                     m_axis_v_tvalid,
  output logic                     m_axis_v_tlast,
  input  wire                      m_axis_v_tready,

  output logic                     busy_o ///< a solve is on; its end can serve as an interrupt
);
`include "fx_checks.svh"
`include "fx_grid_checks.svh"
  `REQUIRE_OF_TOP(g_whole, Core == 0, "Core is not given: it is 0 to Cores - 1 of the cores in here")
  `REQUIRE_OF_TOP(g_outer, VW >= 8 && VW <= 64 && DW >= 8 && DW <= 64, "VW and DW must be in 8..64")

  wire [VW-1:0] v;
  wire unused_accepted;
  wire [31:0] unused_passes, unused_steps;
  wire signed [15:0] unused_exponent;
  wire [ScalarW-1:0] unused_rr;
  assign m_axis_v_tdata = 64'($signed(v));
  generate
    if (Cores > 1) begin : g_several
      fx_residents #(
`include "fx_parameters_passed.svh"
        , .MaxLength(MaxLength), .OuterLanes(OuterLanes), .VW(VW), .VF(VF), .DW(DW), .DF(DF), .Cores(Cores)) i_cores (
        .clk_i(aclk), .rst_ni(aresetn), `AXIL_PASSED,
        .s_axis_d_tdata(s_axis_d_tdata[DW-1:0]), .s_axis_d_tvalid, .s_axis_d_tlast, .s_axis_d_tready, .m_axis_v_tdata(v),
        .m_axis_v_tvalid, .m_axis_v_tlast, .m_axis_v_tready, .accepted_o(unused_accepted), .passes_o(unused_passes),
        .steps_o(unused_steps), .exponent_o(unused_exponent), .rr_o(unused_rr), .busy_o);
    end else begin : g_one
      localparam integer LinkW  = Lanes * ((UW > RW + PW + QW) ? UW : RW + PW + QW);
      localparam integer PeersW = 8 + UW + RW + PW + QW;
      localparam integer FormW  = DotRrW + DotPqW;
      wire unused_valid, unused_sum_valid, unused_sum_ready;
      wire [LinkW-1:0]  unused_link;
      wire [PeersW-1:0] unused_peer;
      wire [FormW-1:0]  unused_form;
      wire [SumW-1:0]   unused_sum;
      fx_resident #(
`include "fx_parameters_passed.svh"
        , .MaxLength(MaxLength), .OuterLanes(OuterLanes), .VW(VW), .VF(VF), .DW(DW), .DF(DF)) i_core (
        .clk_i(aclk), .rst_ni(aresetn), `AXIL_PASSED,
        .s_axis_d_tdata(s_axis_d_tdata[DW-1:0]), .s_axis_d_tvalid, .s_axis_d_tlast, .s_axis_d_tready, .m_axis_v_tdata(v),
        .m_axis_v_tvalid, .m_axis_v_tlast, .m_axis_v_tready, .accepted_o(unused_accepted), .passes_o(unused_passes),
        .steps_o(unused_steps), .exponent_o(unused_exponent), .rr_o(unused_rr), .busy_o,
        .link_valid_o(unused_valid), .link_o(unused_link), .link_valid_i(2'b00), .link_i({(2*LinkW){1'b0}}), .peer_o(unused_peer),
        .all_i({PeersW{1'b0}}), .form_o(unused_form), .all_form_i({FormW{1'b0}}), .m_axis_sum_tdata(unused_sum),
        .m_axis_sum_tvalid(unused_sum_valid), .m_axis_sum_tready(1'b0), .s_axis_sum_tdata({SumW{1'b0}}), .s_axis_sum_tvalid(1'b0),
        .s_axis_sum_tready(unused_sum_ready));
      wire unused_ports = &{1'b0, unused_valid, unused_link, unused_peer, unused_form, unused_sum, unused_sum_valid, unused_sum_ready};
    end
  endgenerate
  wire unused = &{1'b0, s_axil_awprot, s_axil_arprot, s_axis_d_tdata, unused_accepted, unused_passes, unused_steps, unused_exponent,
                  unused_rr};
endmodule
`default_nettype wire
