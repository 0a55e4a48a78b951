// The cycle core, four-state, or its netlist (NETLIST), through a whole solve of cycle_vectors' file: every word of U. What
// nobody drives is X.
`include "mantissa.svh"
`include "cycle_registers.svh"
`default_nettype none
module cycle_icarus_tb;
  localparam integer Side = 1 << `LEVEL;
  localparam integer Most = 4 + 2 * Side * Side;
  logic [63:0] word [0:Most-1];
  logic clk = 1'b0, rst_n = 1'b0;
  logic [7:0] awaddr, araddr;
  logic awvalid = 1'b0, wvalid = 1'b0, arvalid = 1'b0, bready = 1'b1, rready = 1'b1;
  logic [31:0] wdata;
  wire awready, wready, bvalid, arready, rvalid, busy, d_ready, u_valid, u_last;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;
  wire [63:0] u_data;
  logic [63:0] d_data;
  logic d_valid = 1'b0, d_last, u_ready = 1'b0;
  integer nodes, k, clocks, faults;
  logic [31:0] got;
  always #5 clk = ~clk;

  fx_cycle
`ifndef NETLIST
    #(.Lanes(`LANES), .Checks(`CHECKS), .MaxLevel(`LEVEL), .StoredLevel(`LEVEL))
`endif
    i_core (
    .clk_i(clk), .rst_ni(rst_n), .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
    .s_axil_wdata(wdata), .s_axil_wstrb(4'hF), .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_bresp(bresp),
    .s_axil_bvalid(bvalid), .s_axil_bready(bready), .s_axil_araddr(araddr), .s_axil_arvalid(arvalid),
    .s_axil_arready(arready), .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
    .s_axis_d_tdata(d_data), .s_axis_d_tvalid(d_valid), .s_axis_d_tlast(d_last), .s_axis_d_tready(d_ready),
    .m_axis_u_tdata(u_data), .m_axis_u_tvalid(u_valid), .m_axis_u_tlast(u_last), .m_axis_u_tready(u_ready),
    .accepted_o(), .cycles_o(), .exponent_o(), .squares_o(), .busy_o(busy));

  task automatic write(input [7:0] at, input [31:0] data);
    logic a, d;
    begin
      awaddr = at; wdata = data; awvalid = 1'b1; wvalid = 1'b1;
      while (awvalid || wvalid || bvalid !== 1'b1) begin
        @(posedge clk);
        a = awready; d = wready;
        #1;
        if (a) begin awvalid = 1'b0; awaddr = 'x; end
        if (d) begin wvalid = 1'b0; wdata = 'x; end
      end
      if (bresp !== 2'b00) begin $display("write to %h: %b", at, bresp); faults = faults + 1; end
      @(posedge clk); #1;
    end
  endtask
  task automatic read(input [7:0] at);
    logic a;
    begin
      araddr = at; arvalid = 1'b1;
      while (arvalid || rvalid !== 1'b1) begin
        @(posedge clk);
        a = arready;
        #1;
        if (a) begin arvalid = 1'b0; araddr = 'x; end
      end
      got = rdata;
      @(posedge clk); #1;
    end
  endtask

  initial begin
    faults = 0;
    $readmemh("vectors.hex", word);
    nodes = word[0];
    repeat (8) @(posedge clk);
    #1 rst_n = 1'b1;
    write(`CYCLE_LEVEL, `LEVEL);
    write(`CYCLE_CYCLES, 32'd100);
    write(`CYCLE_MODE, 32'd0);
    write(`CYCLE_LIMIT, word[1][31:0]);
    write(`CYCLE_LIMIT + 8'd4, word[1][63:32]);
    write(`CYCLE_LIMIT_EXPONENT, word[2][31:0]);
    for (k = 0; k < nodes; k = k + 1) begin
      d_data = word[4+k]; d_last = k == nodes - 1; d_valid = 1'b1;
      @(posedge clk);
      while (d_ready !== 1'b1) @(posedge clk);
      #1 d_valid = 1'b0; d_data = 'x; d_last = 1'bx;
      if (k % 3 == 1) begin @(posedge clk); #1; end
    end
    write(`CYCLE_CONTROL, 32'd1);
    clocks = 0;
    while (busy !== 1'b0 && clocks < 200000) begin @(posedge clk); #1 clocks = clocks + 1; end
    read(`CYCLE_STATUS);
    if (got[7:0] !== 8'h02) begin $display("STATUS %h", got); faults = faults + 1; end // done, no fault, REACHED
    read(`CYCLE_COUNT);
    if (got !== word[3][31:0]) begin $display("%0d cycles, not %0d", got, word[3]); faults = faults + 1; end
    write(`CYCLE_CONTROL, 32'd4);
    k = 0;
    while (k < nodes && faults < 10) begin
      u_ready = $urandom_range(2) != 0;
      @(posedge clk);
      if (u_valid === 1'b1 && u_ready) begin
        if (u_data !== word[4+nodes+k] || u_last !== (k == nodes - 1)) begin
          $display("word %0d: %h, not %h", k, u_data, word[4+nodes+k]);
          faults = faults + 1;
        end
        k = k + 1;
      end
      #1;
    end
    if (faults == 0) $display("PASSED: %0d words, %0d clocks", nodes, clocks);
    $finish;
  end
endmodule
`default_nettype wire
