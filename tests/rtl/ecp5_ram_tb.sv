// ram_words as synthesis puts it into the ECP5's block memories (ecp5_ram.sv, renamed ram_blocks) beside ram_words itself: the
// same words at every clock, with random enables, while no address is read and written at once. yosys ships the block's name
// and not its function: DP16KD below is one that writes at port A and reads at port B, as Lattice's memory usage guide
// (TN1264) has it: the address stands above the bits within a word, the lowest two of port A's enable the bytes of a word of 18.
`timescale 1ns/1ns
`default_nettype none
module DP16KD #(
  parameter integer DATA_WIDTH_A = 18,
  parameter integer DATA_WIDTH_B = 18,
  parameter REGMODE_A = "NOREG", REGMODE_B = "NOREG", RESETMODE = "SYNC", ASYNC_RESET_RELEASE = "SYNC",
  parameter CSDECODE_A = "0b000", CSDECODE_B = "0b000", WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL", GSR = "AUTO"
) (
  input wire CLKA, CEA, OCEA, WEA, RSTA, CSA0, CSA1, CSA2, CLKB, CEB, OCEB, WEB, RSTB, CSB0, CSB1, CSB2,
  input wire
    ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9, ADA10, ADA11, ADA12, ADA13,
    ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9, ADB10, ADB11, ADB12, ADB13,
    DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8, DIA9, DIA10, DIA11, DIA12, DIA13, DIA14, DIA15, DIA16,
    DIA17,
  output wire
    DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8, DOB9, DOB10, DOB11, DOB12, DOB13, DOB14, DOB15, DOB16,
    DOB17
);
  localparam integer W = DATA_WIDTH_A;
  localparam integer Below = (W == 18) ? 4 : (W == 9) ? 3 : (W == 4) ? 2 : 1; // address bits within a word of 18
  wire [13:0] to   = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  wire [13:0] from = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
  wire [17:0] word = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  reg  [17:0] mem [0:(1<<(14-Below))-1];
  reg  [17:0] latch, out;
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = (REGMODE_B == "OUTREG") ? out : latch;
  always @(posedge CLKA)
    if (CEA && WEA && {CSA2, CSA1, CSA0} == 3'b000) begin
      if (W != 18 || to[0]) mem[to >> Below][8:0] <= word[8:0];
      if (W == 18 && to[1]) mem[to >> Below][17:9] <= word[17:9];
    end
  always @(posedge CLKB) begin
    if (CEB && {CSB2, CSB1, CSB0} == 3'b000) latch <= mem[from >> Below];
    if (OCEB) out <= latch;
  end
endmodule

module ecp5_ram_tb;
  parameter integer W = 36;
  parameter integer AddrW = 10;
  reg clk = 1'b0, en = 1'b0;
  reg [AddrW-1:0] to = '0, from = '0;
  reg [W-1:0] d = '0;
  wire [W-1:0] q, blocks_q;
  ram_words  #(.W(W), .AddrW(AddrW)) i_words  (.clk_i(clk), .en_i(en), .write_at_i(to), .d_i(d), .read_at_i(from), .q_o(q));
  ram_blocks #(.W(W), .AddrW(AddrW)) i_blocks (
    .clk_i(clk), .en_i(en), .write_at_i(to), .d_i(d), .read_at_i(from), .q_o(blocks_q));
  integer t, seed = 1, moved = 0;
  initial begin
    for (t = 0; t < 6 << AddrW; t = t + 1) begin
      en = $random(seed);
      d = {$random(seed), $random(seed)};
      to = (t < 2 << AddrW) ? t >> 1 : $random(seed); // every word is written first
      if (t < 2 << AddrW) en = 1'b1;
      from = $random(seed);
      if (from == to) from = from + 1'b1;
      #1 clk = 1'b1;
      #1 clk = 1'b0;
      if (t > (2 << AddrW) + 8) begin
        moved = moved + (q !== '0);
        if (q !== blocks_q) begin
          $display("ecp5_ram: clock %0d: %h in place of %h", t, blocks_q, q);
          $finish_and_return(1);
        end
      end
    end
    if (moved < 1 << AddrW) begin
      $display("ecp5_ram: the words read were zero");
      $finish_and_return(1);
    end
    $display("equal: ecp5_ram.sv, %0d words of %0d bits", 1 << AddrW, W);
  end
endmodule
`default_nettype wire
