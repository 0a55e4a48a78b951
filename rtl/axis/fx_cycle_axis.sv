/// fx_cycle, or with Cores above 1 fx_cycles, with the ports that vendor tools want: AXI4-Lite with protection bits, aclk and aresetn, and
/// 8 bytes for each word of D and of U; bits above a word are ignored coming in and copies of its sign going out. Wires only: no clock later.
`include "mantissa.svh"
`default_nettype none
module fx_cycle_axis #(
`include "cycle_parameters.svh"
) (
  input  wire                      aclk,
  input  wire                      aresetn,

  `AXIL_PROT_PORTS(8)

  input  wire  [BusWords*64-1:0]   s_axis_d_tdata,
  input  wire                      s_axis_d_tvalid,
  input  wire                      s_axis_d_tlast,
  output logic                     s_axis_d_tready,
  output logic [BusWords*64-1:0]   m_axis_u_tdata,
  output logic                     m_axis_u_tvalid,
  output logic                     m_axis_u_tlast,
  input  wire                      m_axis_u_tready,

  output logic                     busy_o ///< a run is on; its end can serve as an interrupt
);
`include "cycle_bounds.svh"
`include "cycle_slabs.svh"
`include "cycle_checks.svh"
  `REQUIRE_OF_TOP(g_whole, Core == 0, "Core is not given: it is 0 to Cores - 1 of the cores in here")
  wire [BusWords*DW-1:0] d;
  wire [BusWords*UW-1:0] u;
  genvar k;
  generate
    for (k = 0; k < BusWords; k = k + 1) begin : g_word
      assign d[k*DW +: DW] = s_axis_d_tdata[k*64 +: DW];
      assign m_axis_u_tdata[k*64 +: 64] = 64'($signed(u[k*UW +: UW]));
    end
  endgenerate
  wire unused_accepted;
  wire [31:0] unused_cycles;
  wire [6:0]  unused_exponent;
  wire [63:0] unused_squares;
  generate
    if (Cores > 1) begin : g_several
      fx_cycles #(
`include "cycle_parameters_passed.svh"
        ) i_cores (
        .clk_i(aclk), .rst_ni(aresetn), `AXIL_PASSED, .s_axis_d_tdata(d), .s_axis_d_tvalid, .s_axis_d_tlast, .s_axis_d_tready,
        .m_axis_u_tdata(u), .m_axis_u_tvalid, .m_axis_u_tlast, .m_axis_u_tready, .accepted_o(unused_accepted),
        .cycles_o(unused_cycles), .exponent_o(unused_exponent), .squares_o(unused_squares), .busy_o);
    end else begin : g_one
      localparam integer LinkW = Lanes * ((DW > 34) ? DW : 34);
      localparam integer SquaresW = 31 + 2 * MaxLevel;
      wire unused_valid;
      wire [LinkW-1:0] unused_link;
      wire [3:0]  unused_peer;
      wire [13:0] unused_lengths;
      wire [SquaresW-1:0] unused_sum;
      fx_cycle #(
`include "cycle_parameters_passed.svh"
        ) i_core (
        .clk_i(aclk), .rst_ni(aresetn), `AXIL_PASSED, .s_axis_d_tdata(d), .s_axis_d_tvalid, .s_axis_d_tlast, .s_axis_d_tready,
        .m_axis_u_tdata(u), .m_axis_u_tvalid, .m_axis_u_tlast, .m_axis_u_tready, .accepted_o(unused_accepted),
        .cycles_o(unused_cycles), .exponent_o(unused_exponent), .squares_o(unused_squares), .busy_o, .link_valid_o(unused_valid),
        .link_o(unused_link), .link_valid_i(2'b00), .link_i({(2*LinkW){1'b0}}), .peer_o(unused_peer),
        .peer_lengths_o(unused_lengths), .peer_squares_o(unused_sum), .all_i(4'd0), .all_lengths_i(14'd0),
        .all_squares_i({SquaresW{1'b0}}));
      wire unused_ports = &{1'b0, unused_valid, unused_link, unused_peer, unused_lengths, unused_sum};
    end
  endgenerate
  wire unused = &{1'b0, s_axil_awprot, s_axil_arprot, s_axis_d_tdata, unused_accepted, unused_cycles, unused_exponent, unused_squares};
endmodule
`default_nettype wire
