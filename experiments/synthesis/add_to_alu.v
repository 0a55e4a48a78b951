// Every addition on a carry chain of its own. Without this map, yosys merges chains of additions into carry-save rows,
// which take two LUTs a bit where a carry chain takes one.
(* techmap_celltype = "$add $sub" *)
module add_to_alu (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "$add";
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  localparam Subtract = (_TECHMAP_CELLTYPE_ == "$sub");
  wire [Y_WIDTH-1:0] x, co;
  \$alu #(.A_SIGNED(A_SIGNED), .B_SIGNED(B_SIGNED), .A_WIDTH(A_WIDTH), .B_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH))
    _TECHMAP_REPLACE_ (.A(A), .B(B), .BI(Subtract ? 1'b1 : 1'b0), .CI(Subtract ? 1'b1 : 1'b0), .X(x), .Y(Y), .CO(co));
endmodule
