// Registers become wires: the combinational part of an operator by itself, as generators of combinational operators
// are counted. For operators without feedback only.
(* techmap_celltype = "$dff $dffe" *)
module no_register (CLK, EN, D, Q);
  parameter WIDTH = 1;
  parameter CLK_POLARITY = 1;
  parameter EN_POLARITY = 1;
  input CLK, EN;
  input [WIDTH-1:0] D;
  output [WIDTH-1:0] Q;
  assign Q = D;
endmodule
