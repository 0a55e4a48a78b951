// Beats of four lanes whose banks clash or do not: gather_rules must speak at the former and be silent at the latter. The bench ends
// with the number of beats that clash; gather_rules.sh counts what was said.
`default_nettype none
module gather_rules_tb;
  reg clk = 1'b0, beat = 1'b0;
  reg [4*12-1:0] entries = '0;
  gather_rules #(.Lanes(4), .EntryW(12)) i_rules (.clk_i(clk), .rst_ni(1'b1), .beat_i(beat), .entries_i(entries));
  integer clashes = 0, k;
  // Lanes 0 and 3 read at the first ports, 1 and 2 at the second ones.
  task show(input [1:0] b0, input [1:0] b1, input [1:0] b2, input [1:0] b3, input valid);
    begin
      entries = {10'd5, b3, 10'd9, b2, 10'd0, b1, 10'd77, b0};
      beat = valid;
      #1 clk = 1'b1;
      #1 clk = 1'b0;
      if (valid && (b0 == b3 || b1 == b2)) clashes = clashes + 1;
    end
  endtask
  initial begin
    for (k = 0; k < 256; k = k + 1) show(k[1:0], k[3:2], k[5:4], k[7:6], 1'b1);
    show(2'd0, 2'd0, 2'd0, 2'd0, 1'b0); // no beat
    show(2'd0, 2'd0, 2'd0, 2'd0, 1'b1); // zeros beside an entry of bank 0
    $display("clashes %0d", clashes);
    $finish;
  end
endmodule
`default_nettype wire
