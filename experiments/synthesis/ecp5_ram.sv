/// rtl/core/ram_words.sv on the ECP5: the second register after the memory is the block's own. yosys leaves it outside, a net
/// away from an output that is there 4.3 ns after the clock; the block's own is there within 1 ns.
///
/// Words of 18 bits and up to 2^10 of them, or shorter and more. Up to 2^9 words and from 2^14 on the memory is left to yosys,
/// which takes blocks of 36 bits, or none, for the former.
`default_nettype none
module ram_words #(
  parameter integer W          = 36,
  parameter integer AddrW      = 10,
  parameter integer Registered = 1
) (
  input  wire             clk_i,
  input  wire             en_i,
  input  wire [AddrW-1:0] write_at_i,
  input  wire [W-1:0]     d_i,
  input  wire [AddrW-1:0] read_at_i,
  output logic [W-1:0]    q_o
);
  localparam integer BlockW = (AddrW <= 10) ? 18 : (AddrW == 11) ? 9 : (AddrW == 12) ? 4 : 2;
  localparam integer Blocks = (W + BlockW - 1) / BlockW;
  genvar b;
  generate
    if (Registered != 0 && AddrW >= 10 && AddrW <= 13) begin : g_blocks
      // The address stands above the bits within a word; of those of 18 bits that is written the lowest two enable its bytes.
      wire [13:0] write_at = {write_at_i, {(14-AddrW){1'b0}}} | ((AddrW == 10) ? 14'd3 : 14'd0);
      wire [13:0] read_at  = {read_at_i, {(14-AddrW){1'b0}}};
      wire [Blocks*BlockW-1:0] d = (Blocks*BlockW)'(d_i);
      wire [Blocks*BlockW-1:0] q;
      assign q_o = q[W-1:0];
      for (b = 0; b < Blocks; b = b + 1) begin : g_block
        wire [17:0] d_b = 18'(d[b*BlockW +: BlockW]);
        wire [17:0] q_b;
        assign q[b*BlockW +: BlockW] = q_b[BlockW-1:0];
        DP16KD #(
          .DATA_WIDTH_A(BlockW), .DATA_WIDTH_B(BlockW), .REGMODE_A("NOREG"), .REGMODE_B("OUTREG"), .RESETMODE("SYNC"),
          .ASYNC_RESET_RELEASE("SYNC"), .CSDECODE_A("0b000"), .CSDECODE_B("0b000"), .WRITEMODE_A("NORMAL"),
          .WRITEMODE_B("NORMAL"), .GSR("AUTO")
        ) i_block (
          .CLKA(clk_i), .CEA(en_i), .OCEA(1'b0), .WEA(1'b1), .RSTA(1'b0), .CSA0(1'b0), .CSA1(1'b0), .CSA2(1'b0),
          .CLKB(clk_i), .CEB(en_i), .OCEB(en_i), .WEB(1'b0), .RSTB(1'b0), .CSB0(1'b0), .CSB1(1'b0), .CSB2(1'b0),
          .ADA0(write_at[0]), .ADA1(write_at[1]), .ADA2(write_at[2]), .ADA3(write_at[3]), .ADA4(write_at[4]),
          .ADA5(write_at[5]), .ADA6(write_at[6]), .ADA7(write_at[7]), .ADA8(write_at[8]), .ADA9(write_at[9]),
          .ADA10(write_at[10]), .ADA11(write_at[11]), .ADA12(write_at[12]), .ADA13(write_at[13]),
          .ADB0(read_at[0]), .ADB1(read_at[1]), .ADB2(read_at[2]), .ADB3(read_at[3]), .ADB4(read_at[4]),
          .ADB5(read_at[5]), .ADB6(read_at[6]), .ADB7(read_at[7]), .ADB8(read_at[8]), .ADB9(read_at[9]),
          .ADB10(read_at[10]), .ADB11(read_at[11]), .ADB12(read_at[12]), .ADB13(read_at[13]),
          .DIA0(d_b[0]), .DIA1(d_b[1]), .DIA2(d_b[2]), .DIA3(d_b[3]), .DIA4(d_b[4]), .DIA5(d_b[5]), .DIA6(d_b[6]),
          .DIA7(d_b[7]), .DIA8(d_b[8]), .DIA9(d_b[9]), .DIA10(d_b[10]), .DIA11(d_b[11]), .DIA12(d_b[12]),
          .DIA13(d_b[13]), .DIA14(d_b[14]), .DIA15(d_b[15]), .DIA16(d_b[16]), .DIA17(d_b[17]),
          .DOB0(q_b[0]), .DOB1(q_b[1]), .DOB2(q_b[2]), .DOB3(q_b[3]), .DOB4(q_b[4]), .DOB5(q_b[5]), .DOB6(q_b[6]),
          .DOB7(q_b[7]), .DOB8(q_b[8]), .DOB9(q_b[9]), .DOB10(q_b[10]), .DOB11(q_b[11]), .DOB12(q_b[12]),
          .DOB13(q_b[13]), .DOB14(q_b[14]), .DOB15(q_b[15]), .DOB16(q_b[16]), .DOB17(q_b[17]));
      end
    end else begin : g_inferred
      (* no_rw_check *) logic [W-1:0] mem [0:(1<<AddrW)-1];
      logic [W-1:0] q_q;
      always @(posedge clk_i) if (en_i) mem[write_at_i] <= d_i;
      always_ff @(posedge clk_i) if (en_i) q_q <= mem[read_at_i];
      if (Registered != 0) begin : g_register
        always_ff @(posedge clk_i) if (en_i) q_o <= q_q;
      end else begin : g_bare
        assign q_o = q_q;
      end
    end
  endgenerate
endmodule
`default_nettype wire
