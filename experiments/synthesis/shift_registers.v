// Shift registers of the xc2v in LUTs, sixteen places each; yosys infers them for newer families only.
module \$__XILINX_SHREG_ (C, D, L, E, Q, SO);
  parameter DEPTH = 1;
  parameter [DEPTH-1:0] INIT = 0;
  parameter CLKPOL = 1;
  parameter ENPOL = 2;
  input C, D, E;
  input [31:0] L;
  output Q, SO;
  wire enable = (ENPOL == 2) ? 1'b1 : (ENPOL == 1) ? E : ~E;
  generate
    if (DEPTH <= 16) begin : g_last
      localparam [3:0] Last = DEPTH - 1;
      SRL16E place (.CLK(C), .CE(enable), .D(D), .A0(Last[0]), .A1(Last[1]), .A2(Last[2]), .A3(Last[3]), .Q(Q));
    end else begin : g_long
      wire next;
      SRL16E place (.CLK(C), .CE(enable), .D(D), .A0(1'b1), .A1(1'b1), .A2(1'b1), .A3(1'b1), .Q(next));
      \$__XILINX_SHREG_ #(.DEPTH(DEPTH - 16), .CLKPOL(CLKPOL), .ENPOL(ENPOL)) rest (
        .C(C), .D(next), .L(0), .E(E), .Q(Q), .SO(SO));
    end
  endgenerate
endmodule
