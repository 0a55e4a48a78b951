// The xc2v's block memories as synthesis uses them, for simulations of netlists: yosys ships the cells' names and not
// their function. Port A reads or writes, port B too; a port that writes keeps its output (NO_CHANGE), shows what was
// there (READ_FIRST), or what it writes (WRITE_FIRST).
module block_ram_port_pair #(
  parameter D = 8, P = 1, A = 11,
  parameter WRITE_MODE_A = "WRITE_FIRST", WRITE_MODE_B = "WRITE_FIRST"
) (
  input CLKA, ENA, SSRA, WEA, input [A-1:0] ADDRA, input [D-1:0] DIA, input [P-1:0] DIPA,
  output reg [D-1:0] DOA, output reg [P-1:0] DOPA,
  input CLKB, ENB, SSRB, WEB, input [A-1:0] ADDRB, input [D-1:0] DIB, input [P-1:0] DIPB,
  output reg [D-1:0] DOB, output reg [P-1:0] DOPB
);
  reg [D+P-1:0] mem [0:(1<<A)-1];
  // Both ports look at the memory as it was before the edge.
  reg [D+P-1:0] was_a, was_b;
  always @(posedge CLKA) begin
    was_a = mem[ADDRA];
    if (ENA) begin
      if (SSRA) {DOPA, DOA} <= {(D+P){1'b0}};
      else if (!WEA || WRITE_MODE_A == "READ_FIRST") {DOPA, DOA} <= was_a;
      else if (WRITE_MODE_A == "WRITE_FIRST") {DOPA, DOA} <= {DIPA, DIA};
      if (WEA) mem[ADDRA] <= {DIPA, DIA};
    end
  end
  always @(posedge CLKB) begin
    was_b = mem[ADDRB];
    if (ENB) begin
      if (SSRB) {DOPB, DOB} <= {(D+P){1'b0}};
      else if (!WEB || WRITE_MODE_B == "READ_FIRST") {DOPB, DOB} <= was_b;
      else if (WRITE_MODE_B == "WRITE_FIRST") {DOPB, DOB} <= {DIPB, DIB};
      if (WEB) mem[ADDRB] <= {DIPB, DIB};
    end
  end
endmodule

// The cells, two ports of D data bits and P parity bits each. What they hold at the start is not looked at.
`define RAMB16(NAME, DATA_W, PARITY_W, ADDRESS_W) \
  module NAME #( \
    parameter WRITE_MODE_A = "WRITE_FIRST", WRITE_MODE_B = "WRITE_FIRST", SRVAL_A = 0, SRVAL_B = 0, INIT_A = 0, \
      INIT_B = 0, INIT_00 = 0, INIT_01 = 0, INIT_02 = 0, INIT_03 = 0, INIT_04 = 0, INIT_05 = 0, INIT_06 = 0, \
      INIT_07 = 0, INIT_08 = 0, INIT_09 = 0, INIT_0A = 0, INIT_0B = 0, INIT_0C = 0, INIT_0D = 0, INIT_0E = 0, \
      INIT_0F = 0, INIT_10 = 0, INIT_11 = 0, INIT_12 = 0, INIT_13 = 0, INIT_14 = 0, INIT_15 = 0, INIT_16 = 0, \
      INIT_17 = 0, INIT_18 = 0, INIT_19 = 0, INIT_1A = 0, INIT_1B = 0, INIT_1C = 0, INIT_1D = 0, INIT_1E = 0, \
      INIT_1F = 0, INIT_20 = 0, INIT_21 = 0, INIT_22 = 0, INIT_23 = 0, INIT_24 = 0, INIT_25 = 0, INIT_26 = 0, \
      INIT_27 = 0, INIT_28 = 0, INIT_29 = 0, INIT_2A = 0, INIT_2B = 0, INIT_2C = 0, INIT_2D = 0, INIT_2E = 0, \
      INIT_2F = 0, INIT_30 = 0, INIT_31 = 0, INIT_32 = 0, INIT_33 = 0, INIT_34 = 0, INIT_35 = 0, INIT_36 = 0, \
      INIT_37 = 0, INIT_38 = 0, INIT_39 = 0, INIT_3A = 0, INIT_3B = 0, INIT_3C = 0, INIT_3D = 0, INIT_3E = 0, \
      INIT_3F = 0, INITP_00 = 0, INITP_01 = 0, INITP_02 = 0, INITP_03 = 0, INITP_04 = 0, INITP_05 = 0, INITP_06 = \
      0, INITP_07 = 0 \
  ) ( \
    input CLKA, ENA, SSRA, WEA, input [ADDRESS_W-1:0] ADDRA, input [DATA_W-1:0] DIA, input [PARITY_W-1:0] DIPA, \
    output [DATA_W-1:0] DOA, output [PARITY_W-1:0] DOPA, \
    input CLKB, ENB, SSRB, WEB, input [ADDRESS_W-1:0] ADDRB, input [DATA_W-1:0] DIB, input [PARITY_W-1:0] DIPB, \
    output [DATA_W-1:0] DOB, output [PARITY_W-1:0] DOPB \
  ); \
    block_ram_port_pair #(.D(DATA_W), .P(PARITY_W), .A(ADDRESS_W), .WRITE_MODE_A(WRITE_MODE_A), \
                         .WRITE_MODE_B(WRITE_MODE_B)) pair ( \
      .CLKA(CLKA), .ENA(ENA), .SSRA(SSRA), .WEA(WEA), .ADDRA(ADDRA), .DIA(DIA), .DIPA(DIPA), .DOA(DOA), \
      .DOPA(DOPA), .CLKB(CLKB), .ENB(ENB), .SSRB(SSRB), .WEB(WEB), .ADDRB(ADDRB), .DIB(DIB), .DIPB(DIPB), \
      .DOB(DOB), .DOPB(DOPB)); \
  endmodule

`RAMB16(RAMB16_S2_S2, 2, 1, 13) // (it has no parity, and nothing is connected there)
`RAMB16(RAMB16_S4_S4, 4, 1, 12) // (nor has it)
`RAMB16(RAMB16_S9_S9, 8, 1, 11)
`RAMB16(RAMB16_S18_S18, 16, 2, 10)
`RAMB16(RAMB16_S36_S36, 32, 4, 9)
