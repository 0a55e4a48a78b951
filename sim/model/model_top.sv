// The Verilated top of a simulation model: pcg_core, with MANTISSA_FIXED fx_core, with MANTISSA_CORES too fx_cores of so
// many. A stream's port is a whole beat as the core has it, lane 0 lowest; each core has its own, and coefficient streams have
// a port each. For Verilator only; see model.cpp. With MANTISSA_RULES the rules of the cores' interfaces are assertions,
// for a model built with --assert.
`include "mantissa.svh"
`default_nettype none
module model_top #(
`ifdef MANTISSA_FIXED
`include "fx_parameters.svh"
`else
`include "core_parameters.svh"
`endif
`ifdef MANTISSA_CORES
  , localparam integer Cores = `MANTISSA_CORES
`else
  , localparam integer Cores = 1
`endif
) (
  input  wire         clk_i,
  input  wire         rst_ni,
  input  wire  [15:0] awaddr, // with several cores the page above a core's eight bits
  input  wire         awvalid,
  output logic        awready,
  input  wire  [31:0] wdata,
  input  wire         wvalid,
  output logic        wready,
  input  wire  [3:0]  wstrb,
  output logic        bvalid,
  output logic [1:0]  bresp,
  input  wire  [15:0] araddr,
  input  wire         arvalid,
  output logic [31:0] rdata,
  output logic        rvalid,
  output logic [1:0]  rresp,
  output logic [7:0]  pass_data,
  output logic        pass_valid,
  input  wire         pass_ready,
  input  wire  [Lanes*UW-1:0] in_u [0:Cores-1],
  input  wire  [Lanes*RW-1:0] in_r [0:Cores-1],
  input  wire  [Lanes*PW-1:0] in_p [0:Cores-1],
  input  wire  [Lanes*QW-1:0] in_q [0:Cores-1],
  input  wire  [Lanes*CoefW-1:0] in_coef [0:Cores*Coefs-1],
  input  wire  [12:0] in_valid [0:Cores-1], // u r p q, coefficient streams
  input  wire  [12:0] in_last [0:Cores-1],
  output logic [12:0] in_ready [0:Cores-1],
  output logic [Lanes*UW-1:0] out_u [0:Cores-1],
  output logic [Lanes*RW-1:0] out_r [0:Cores-1],
  output logic [Lanes*PW-1:0] out_p [0:Cores-1],
  output logic [Lanes*QW-1:0] out_q [0:Cores-1],
  output logic [3:0]  out_valid [0:Cores-1],
  output logic [3:0]  out_last [0:Cores-1],
  input  wire  [3:0]  out_ready [0:Cores-1],
  output logic        busy,
  output logic [16:0] waiting [0:Cores-1]
);
  // Side by side, core 0's lowest.
  wire [Cores*Coefs*Lanes*CoefW-1:0] coefficients;
  wire [Cores*Coefs-1:0] coef_valid, coef_last, coef_ready;
  wire [Cores*Lanes*UW-1:0] all_in_u, all_out_u;
  wire [Cores*Lanes*RW-1:0] all_in_r, all_out_r;
  wire [Cores*Lanes*PW-1:0] all_in_p, all_out_p;
  wire [Cores*Lanes*QW-1:0] all_in_q, all_out_q;
  wire [Cores-1:0] u_valid, u_last, u_ready, r_valid, r_last, r_ready, p_valid, p_last, p_ready, q_valid, q_last, q_ready;
  wire [Cores-1:0] u_gives, u_ends, u_takes, r_gives, r_ends, r_takes, p_gives, p_ends, p_takes, q_gives, q_ends, q_takes;
  wire [17*Cores-1:0] all_waiting;
  genvar b, k;
  generate
    for (k = 0; k < Cores; k = k + 1) begin : g_core
      for (b = 0; b < Coefs; b = b + 1) begin : g_coef
        assign coefficients[(k*Coefs+b)*Lanes*CoefW +: Lanes*CoefW] = in_coef[k*Coefs+b];
      end
      assign coef_valid[k*Coefs +: Coefs] = in_valid[k][4 +: Coefs];
      assign coef_last[k*Coefs +: Coefs]  = in_last[k][4 +: Coefs];
      assign {q_valid[k], p_valid[k], r_valid[k], u_valid[k]} = in_valid[k][3:0];
      assign {q_last[k], p_last[k], r_last[k], u_last[k]} = in_last[k][3:0];
      assign {q_takes[k], p_takes[k], r_takes[k], u_takes[k]} = out_ready[k];
      assign in_ready[k]  = {9'(coef_ready[k*Coefs +: Coefs]), q_ready[k], p_ready[k], r_ready[k], u_ready[k]};
      assign out_valid[k] = {q_gives[k], p_gives[k], r_gives[k], u_gives[k]};
      assign out_last[k]  = {q_ends[k], p_ends[k], r_ends[k], u_ends[k]};
      assign waiting[k]   = all_waiting[17*k +: 17];
      assign all_in_u[k*Lanes*UW +: Lanes*UW] = in_u[k];
      assign out_u[k] = all_out_u[k*Lanes*UW +: Lanes*UW];
      assign all_in_r[k*Lanes*RW +: Lanes*RW] = in_r[k];
      assign out_r[k] = all_out_r[k*Lanes*RW +: Lanes*RW];
      assign all_in_p[k*Lanes*PW +: Lanes*PW] = in_p[k];
      assign out_p[k] = all_out_p[k*Lanes*PW +: Lanes*PW];
      assign all_in_q[k*Lanes*QW +: Lanes*QW] = in_q[k];
      assign out_q[k] = all_out_q[k*Lanes*QW +: Lanes*QW];
    end
  endgenerate

  wire arready;
`ifndef MANTISSA_FIXED
  pcg_core #(
`include "core_parameters_passed.svh"
  ) core (
    .s_axil_awaddr(awaddr[7:0]), .s_axil_araddr(araddr[7:0]),
`elsif MANTISSA_CORES
  localparam integer AddrW = 8 + $clog2(Cores + 1);
  fx_cores #(
    .Cores(Cores),
`include "fx_parameters_passed.svh"
  ) core (
    .s_axil_awaddr(awaddr[AddrW-1:0]), .s_axil_araddr(araddr[AddrW-1:0]),
`else
  fx_core #(
`include "fx_parameters_passed.svh"
  ) core (
    .m_axis_sum_tdata(), .m_axis_sum_tvalid(), .m_axis_sum_tready(1'b0), .s_axis_sum_tdata('0), .s_axis_sum_tvalid(1'b0),
    .s_axis_sum_tready(), .s_axil_awaddr(awaddr[7:0]), .s_axil_araddr(araddr[7:0]),
`endif
    .clk_i, .rst_ni, .s_axil_awvalid(awvalid), .s_axil_awready(awready), .s_axil_wdata(wdata),
    .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_bresp(bresp), .s_axil_bvalid(bvalid),
    .s_axil_bready(1'b1), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(1'b1),
    .m_axis_pass_tdata(pass_data), .m_axis_pass_tvalid(pass_valid), .m_axis_pass_tready(pass_ready),
    .s_axis_u_tdata(all_in_u), .s_axis_u_tvalid(u_valid), .s_axis_u_tlast(u_last), .s_axis_u_tready(u_ready),
    .s_axis_r_tdata(all_in_r), .s_axis_r_tvalid(r_valid), .s_axis_r_tlast(r_last), .s_axis_r_tready(r_ready),
    .s_axis_p_tdata(all_in_p), .s_axis_p_tvalid(p_valid), .s_axis_p_tlast(p_last), .s_axis_p_tready(p_ready),
    .s_axis_q_tdata(all_in_q), .s_axis_q_tvalid(q_valid), .s_axis_q_tlast(q_last), .s_axis_q_tready(q_ready),
    .s_axis_band_tdata(coefficients), .s_axis_band_tvalid(coef_valid), .s_axis_band_tlast(coef_last),
    .s_axis_band_tready(coef_ready),
    .m_axis_u_tdata(all_out_u), .m_axis_u_tvalid(u_gives), .m_axis_u_tlast(u_ends), .m_axis_u_tready(u_takes),
    .m_axis_r_tdata(all_out_r), .m_axis_r_tvalid(r_gives), .m_axis_r_tlast(r_ends), .m_axis_r_tready(r_takes),
    .m_axis_p_tdata(all_out_p), .m_axis_p_tvalid(p_gives), .m_axis_p_tlast(p_ends), .m_axis_p_tready(p_takes),
    .m_axis_q_tdata(all_out_q), .m_axis_q_tvalid(q_gives), .m_axis_q_tlast(q_ends), .m_axis_q_tready(q_takes),
    .busy_o(busy), .waiting_o(all_waiting));

`ifdef MANTISSA_RULES
  stream_rules #(.W(8)) i_pass (
    .clk_i, .rst_ni, .tvalid_i(pass_valid), .tready_i(pass_ready), .payload_i(pass_data));
  generate
    for (k = 0; k < Cores; k = k + 1) begin : g_rules
      stream_rules #(.W(Lanes*UW+1)) i_u (
        .clk_i, .rst_ni, .tvalid_i(out_valid[k][0]), .tready_i(out_ready[k][0]), .payload_i({out_u[k], out_last[k][0]}));
      stream_rules #(.W(Lanes*RW+1)) i_r (
        .clk_i, .rst_ni, .tvalid_i(out_valid[k][1]), .tready_i(out_ready[k][1]), .payload_i({out_r[k], out_last[k][1]}));
      stream_rules #(.W(Lanes*PW+1)) i_p (
        .clk_i, .rst_ni, .tvalid_i(out_valid[k][2]), .tready_i(out_ready[k][2]), .payload_i({out_p[k], out_last[k][2]}));
      stream_rules #(.W(Lanes*QW+1)) i_q (
        .clk_i, .rst_ni, .tvalid_i(out_valid[k][3]), .tready_i(out_ready[k][3]), .payload_i({out_q[k], out_last[k][3]}));
      // The harness's own streams keep the rule too, in a run: between runs its sources are set back.
      for (b = 0; b < 13; b = b + 1) begin : g_in
        stream_rules #(.W(1)) i_in (
          .clk_i, .rst_ni(rst_ni & busy), .tvalid_i(in_valid[k][b]), .tready_i(in_ready[k][b]),
          .payload_i(in_last[k][b]));
      end
      pass_rules #(.N(13)) i_reads (
        .clk_i, .rst_ni, .pass_i(pass_valid & pass_ready), .tvalid_i(in_valid[k]), .tready_i(in_ready[k]),
        .tlast_i(in_last[k]));
`ifdef MANTISSA_CORES
      // Cores of one solve get the same totals, so they hold the same scalars, run the same passes and end together.
      always @(posedge clk_i)
        if (rst_ni && core.g_core[k].i_core.busy && core.g_core[0].i_core.busy) begin
          assert (core.g_core[k].i_core.alpha_cls == core.g_core[0].i_core.alpha_cls);
          assert (core.g_core[k].i_core.alpha_op == core.g_core[0].i_core.alpha_op);
          assert (core.g_core[k].i_core.beta_cls == core.g_core[0].i_core.beta_cls);
          assert (core.g_core[k].i_core.beta_op == core.g_core[0].i_core.beta_op);
          assert (core.g_core[k].i_core.pass_count == core.g_core[0].i_core.pass_count);
          assert (!pass_valid || core.pass_data[8*k +: 8] == pass_data);
        end
`endif
    end
  endgenerate
  // A write after one to a scalar waits until the operands have been formed; several cores' port takes it on its way.
  axil_rules #(.Within((Cores > 1) ? 14 : 10)) i_axil (
    .clk_i, .rst_ni, .awvalid_i(awvalid), .awready_i(awready), .wvalid_i(wvalid), .wready_i(wready), .bvalid_i(bvalid),
    .bready_i(1'b1), .bresp_i(bresp), .arvalid_i(arvalid), .arready_i(arready), .rvalid_i(rvalid), .rready_i(1'b1),
    .rresp_i(rresp), .rdata_i(rdata), .aw_o(), .w_o(), .ar_o());
`endif
endmodule
`default_nettype wire
