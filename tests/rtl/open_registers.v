// For proofs: a register is a wire, so a pipeline becomes the function it computes.
(* techmap_celltype = "$dff" *)
module open_dff #(parameter WIDTH = 1, parameter CLK_POLARITY = 1) (
  input CLK, input [WIDTH-1:0] D, output [WIDTH-1:0] Q);
  assign Q = D;
endmodule
