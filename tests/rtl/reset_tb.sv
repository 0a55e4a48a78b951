// Four-state: after a reset every register that can be read has a value, and it is what the documents say. TOP is the module, its
// wrapper with the ports of vendor tools; RESIDENT and SPARSE are defined for those cores, whose streams would be taken while idle.
`include "mantissa.svh"
`default_nettype none
module reset_tb;
  reg clk = 1'b0, rst_n = 1'b0;
  always #5 clk = ~clk;
  reg  [7:0] araddr = '0;
  reg        arvalid = 1'b0;
  wire       arready, rvalid;
  wire [31:0] rdata;
  wire [1:0]  rresp;
  `TOP i_top (
`ifdef RESIDENT
    .s_axis_d_tvalid(1'b0),
`endif
`ifdef SPARSE
    .s_axis_word_tvalid(1'b0), .s_axis_ask_tvalid(1'b0),
`endif
    .aclk(clk), .aresetn(rst_n), .s_axil_awaddr(8'd0), .s_axil_awprot(3'd0), .s_axil_awvalid(1'b0), .s_axil_wdata(32'd0),
    .s_axil_wstrb(4'd0), .s_axil_wvalid(1'b0), .s_axil_bready(1'b1), .s_axil_araddr(araddr), .s_axil_arprot(3'd0),
    .s_axil_arvalid(arvalid), .s_axil_arready(arready), .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid),
    .s_axil_rready(1'b1));

  integer at, faults = 0, seen = 0;
  reg taken;
  // Whether the address can be read, and the value out of reset.
  reg readable;
  reg [31:0] want;
  task expected(input [7:0] a);
    begin
      want = 32'd0;
`ifdef RESIDENT
      readable = `RESIDENT_READABLE(a) && a != `RESIDENT_SHARE; // (several cores have that one)
      if (a == `RESIDENT_ID) want = `RESIDENT_ID_VALUE;
      if (a == `RESIDENT_INNER) want = 32'd10;
      if (a == `RESIDENT_STATUS) want = {24'd0, `RESIDENT_END_FAULT, 4'd0};
      if (a == `RESIDENT_CONFIG) want = rdata;
`else
      readable = `REG_READABLE(a) || (`INTEGER && `REG_FX_CORE_READABLE(a));
      if (a == `REG_ID) want = `ID_VALUE;
      if (a == `REG_RHO_STOP_FROM) want = 32'd1;
      if (a == `REG_CONFIG) want = rdata;
`endif
    end
  endtask
  initial begin
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
    repeat (20) @(posedge clk);
    for (at = 0; at < 256; at = at + 4) begin
      araddr  <= 8'(at);
      arvalid <= 1'b1;
      taken = 1'b0;
      while (!taken) begin
        @(posedge clk);
        taken = arready;
      end
      arvalid <= 1'b0;
      while (rvalid !== 1'b1) @(posedge clk);
      expected(8'(at));
      if (readable) begin
        seen = seen + 1;
        if (^rdata === 1'bx || rdata !== want || rresp !== 2'b00) begin
          faults = faults + 1;
          $display("address %02x reads %h, not %h", at, rdata, want);
        end
      end
      @(posedge clk);
    end
    $display("%0d registers read, %0d faults", seen, faults);
    $finish_and_return((faults != 0 || seen < 20) ? 1 : 0);
  end
endmodule
`default_nettype wire
