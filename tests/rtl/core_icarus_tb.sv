// A core, pcg_core or with FIXED fx_core, under Icarus, which is four-state: runs PASSES passes from vectors.hex and compares every word written, and
// the scalars, with expected.hex. An X anywhere in them is a failure. icarus.sh makes the files and sets the defines.
`timescale 1ns / 1ps
`include "mantissa.svh"
`default_nettype none
module core_icarus_tb;
  localparam integer N = `N, ROW = `ROW, PASSES = `PASSES, LANES = `LANES;
  localparam integer BEATS = (N + LANES - 1) / LANES;
  localparam integer UW = `UW, RW = `RW, PW = `PW, QW = `QW, CW = `CW, COEFS = `COEFS; // COEFS: streams of coefficients

  reg clk = 0, rst_n = 0;
  always #5 clk = ~clk;

  // [bank * 4 + vector][element]; coefficients follow.
  reg [63:0] mem [0:8*N-1];
  reg [63:0] bands [0:COEFS*N-1];
  reg [63:0] vectors [0:4*N+COEFS*N-1]; // u r p q, coefficients
  reg [63:0] expected [0:4*N+5];    // u r p q, rho pq qq alpha sigma beta

  reg  [7:0]  awaddr = 0, araddr = 0;
  reg         awvalid = 0, arvalid = 0;
  reg  [31:0] wdata = 0;
  wire [31:0] rdata;
  wire        bvalid, rvalid, busy;
  wire [7:0]  pass_data;
  wire        pass_valid;
  wire [LANES*UW-1:0] u_out;
  wire [LANES*RW-1:0] r_out;
  wire [LANES*PW-1:0] p_out;
  wire [LANES*QW-1:0] q_out;
  reg  [LANES*UW-1:0] u_in;
  reg  [LANES*RW-1:0] r_in;
  reg  [LANES*PW-1:0] p_in;
  reg  [LANES*QW-1:0] q_in;
  reg  [COEFS*LANES*CW-1:0] band_in;
  reg  [12:0] in_valid = 0, in_last = 0;
  wire [12:0] in_ready;
  wire [3:0]  out_valid, out_last;
  reg  [3:0]  out_ready = 0;

  generate
    if (COEFS < 9) begin : g_fewer
      assign in_ready[12:4+COEFS] = '0;
    end
  endgenerate
`ifdef NETLIST // netlist.sh
  netlist
`elsif FIXED
  fx_core #(
`include "parameters.svh"
  )
`else
  pcg_core #(
`include "parameters.svh"
  )
`endif core (
`ifdef FIXED
    .m_axis_sum_tdata(), .m_axis_sum_tvalid(), .m_axis_sum_tready(1'b0), .s_axis_sum_tdata('0), .s_axis_sum_tvalid(1'b0),
    .s_axis_sum_tready(),
`endif
    .clk_i(clk), .rst_ni(rst_n), .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(),
    .s_axil_wdata(wdata), .s_axil_wstrb(4'hF), .s_axil_wvalid(awvalid), .s_axil_wready(), .s_axil_bresp(), .s_axil_bvalid(bvalid),
    .s_axil_bready(1'b1), .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(), .s_axil_rdata(rdata),
    .s_axil_rresp(), .s_axil_rvalid(rvalid), .s_axil_rready(1'b1), .m_axis_pass_tdata(pass_data),
    .m_axis_pass_tvalid(pass_valid), .m_axis_pass_tready(1'b1), .s_axis_u_tdata(u_in), .s_axis_u_tvalid(in_valid[0]),
    .s_axis_u_tlast(in_last[0]), .s_axis_u_tready(in_ready[0]), .s_axis_r_tdata(r_in), .s_axis_r_tvalid(in_valid[1]),
    .s_axis_r_tlast(in_last[1]), .s_axis_r_tready(in_ready[1]), .s_axis_p_tdata(p_in), .s_axis_p_tvalid(in_valid[2]),
    .s_axis_p_tlast(in_last[2]), .s_axis_p_tready(in_ready[2]), .s_axis_q_tdata(q_in), .s_axis_q_tvalid(in_valid[3]),
    .s_axis_q_tlast(in_last[3]), .s_axis_q_tready(in_ready[3]), .s_axis_band_tdata(band_in),
    .s_axis_band_tvalid(in_valid[4+:COEFS]), .s_axis_band_tlast(in_last[4+:COEFS]),
    .s_axis_band_tready(in_ready[4+:COEFS]),
    .m_axis_u_tdata(u_out), .m_axis_u_tvalid(out_valid[0]), .m_axis_u_tlast(out_last[0]), .m_axis_u_tready(out_ready[0]),
    .m_axis_r_tdata(r_out), .m_axis_r_tvalid(out_valid[1]), .m_axis_r_tlast(out_last[1]), .m_axis_r_tready(out_ready[1]),
    .m_axis_p_tdata(p_out), .m_axis_p_tvalid(out_valid[2]), .m_axis_p_tlast(out_last[2]), .m_axis_p_tready(out_ready[2]),
    .m_axis_q_tdata(q_out), .m_axis_q_tvalid(out_valid[3]), .m_axis_q_tlast(out_last[3]), .m_axis_q_tready(out_ready[3]),
    .busy_o(busy), .waiting_o());

  integer moved [0:16];
  integer bank, k, l, i, errors, seed;

  // Data of a beat that is not offered is X, as on a real bus that nobody drives. The integer core multiplies what is in
  // a place without an element by 0, which gives 0 of any number and X of X: there such data is random.
  reg [4*64*LANES-1:0] noise = 0;
  task drive;
    begin
      u_in = 'x; r_in = 'x; p_in = 'x; q_in = 'x; band_in = 'x;
`ifdef FIXED
      noise = {noise[4*64*LANES-33:0], 32'($urandom(seed))};
      u_in = (LANES*UW)'(noise); r_in = (LANES*RW)'(noise); p_in = (LANES*PW)'(noise); q_in = (LANES*QW)'(noise);
      band_in = (COEFS*LANES*CW)'(noise);
`endif
      for (k = 0; k < 13; k = k + 1) begin
        in_valid[k] = moved[k] < BEATS && (in_valid[k] === 1'b1 && !took[k] || ($urandom(seed) & 7) != 0);
        in_last[k]  = moved[k] == BEATS - 1;
      end
      for (l = 0; l < LANES; l = l + 1) begin
        if (in_valid[0]) u_in[l*UW +: UW] = word(bank * 4, moved[0] * LANES + l);
        if (in_valid[1]) r_in[l*RW +: RW] = word(bank * 4 + 1, moved[1] * LANES + l);
        if (in_valid[2]) p_in[l*PW +: PW] = word(bank * 4 + 2, moved[2] * LANES + l);
        if (in_valid[3]) q_in[l*QW +: QW] = word(bank * 4 + 3, moved[3] * LANES + l);
        for (k = 0; k < COEFS; k = k + 1)
          if (in_valid[4+k])
            band_in[(k*LANES+l)*CW +: CW] = (moved[4+k] * LANES + l < N) ? bands[k*N + moved[4+k]*LANES + l] : 0;
      end
      out_ready = $urandom(seed) | $urandom(seed);
    end
  endtask
  function [63:0] word(input integer v, input integer at);
    word = (at < N) ? mem[v * N + at] : 64'd0;
  endfunction
  reg [12:0] took = 0;

  task write(input [7:0] address, input [31:0] value);
    begin
      @(negedge clk);
      awaddr = address; wdata = value; awvalid = 1;
      @(negedge clk);
      awvalid = 0;
      while (!bvalid) @(negedge clk);
      @(negedge clk);
    end
  endtask
  task read(input [7:0] address, output [31:0] value);
    begin
      @(negedge clk);
      araddr = address; arvalid = 1;
      @(negedge clk);
      arvalid = 0;
      while (!rvalid) @(negedge clk);
      value = rdata;
      @(negedge clk);
    end
  endtask

  reg [31:0] low, high;
  integer idle;
  initial begin
    errors = 0; seed = 5; bank = 0;
    $readmemh("vectors.hex", vectors);
    $readmemh("expected.hex", expected);
    for (i = 0; i < 4*N; i = i + 1) mem[i] = vectors[i];
    for (i = 0; i < COEFS*N; i = i + 1) bands[i] = vectors[4*N+i];
    for (k = 0; k < 17; k = k + 1) moved[k] = BEATS;
    repeat (4) @(negedge clk);
    rst_n = 1;
    write(`REG_LENGTH, N); write(`REG_ROW_LENGTH, ROW); write(`REG_PASSES, PASSES);
    write(`REG_ALPHA, 0); write(`REG_ALPHA + 8'd4, 0); write(`REG_BETA, 0); write(`REG_BETA + 8'd4, 0);
    write(`REG_CONTROL, 1 << `CONTROL_START);
    idle = 0;
    while (busy !== 1'b0 && idle < 20000) begin
      @(negedge clk);
      idle = idle + 1;
      drive;
      #1 took = in_valid & in_ready;
      if ((^{in_ready, out_valid, pass_valid}) === 1'bx) begin
        $display("X on a handshake at %0t", $time); $finish_and_return(1);
      end
      for (k = 0; k < 4; k = k + 1)
        if (out_valid[k] && out_ready[k]) begin
          for (l = 0; l < LANES; l = l + 1)
            if (moved[13+k] * LANES + l < N)
              mem[((1 - bank) * 4 + k) * N + moved[13+k] * LANES + l] =
                (k == 0) ? u_out[l*UW +: UW] : (k == 1) ? r_out[l*RW +: RW] : (k == 2) ? p_out[l*PW +: PW] :
                                                                                           q_out[l*QW +: QW];
          moved[13+k] = moved[13+k] + 1;
        end
      for (k = 0; k < 13; k = k + 1) if (took[k]) moved[k] = moved[k] + 1;
      if (pass_valid) begin
        bank = pass_data[0];
        for (k = 0; k < 17; k = k + 1) moved[k] = 0;
      end
    end
    if (busy !== 1'b0) begin $display("the core is still busy"); errors = errors + 1; end
    read(`REG_STATUS, low);
    if (low[`STATUS_END +: 3] !== `END_PASSES || low[`STATUS_DONE] !== 1'b1) begin $display("status %h", low); errors = errors + 1; end
    bank = low[`STATUS_BANK];
    for (i = 0; i < 4*N; i = i + 1)
      if (mem[bank*4*N + i] !== expected[i]) begin
        if (errors < 10) $display("vector %0d element %0d: %h, expected %h", i / N, i % N, mem[bank*4*N+i], expected[i]);
        errors = errors + 1;
      end
    for (i = 0; i < 6; i = i + 1) begin
      k = (i == 0) ? `REG_RHO : (i == 1) ? `REG_PQ : (i == 2) ? `REG_QQ : (i == 3) ? `REG_ALPHA :
          (i == 4) ? `REG_SIGMA : `REG_BETA;
      read(k, low); read(k + 4, high);
      if ({high, low} !== expected[4*N+i]) begin
        $display("scalar %0d: %h%h, expected %h", i, high, low, expected[4*N+i]);
        errors = errors + 1;
      end
    end
    if (errors == 0) $display("PASSED");
    else $display("FAILED with %0d differences", errors);
    $finish_and_return(errors != 0);
  end
endmodule
`default_nettype wire
