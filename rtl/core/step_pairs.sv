/// alpha and beta of the Chebyshev recurrence, which are known in advance: a table of Depth pairs of operands, in the place
/// of dot products and scalar unit. Pass n of a run, from one, takes pair (n - 1) mod Depth.
///
/// The registers write it between runs: RHO_STOP the number of a pair, ALPHA its alpha, BETA its beta, all right-aligned
/// in their words; after BETA's last byte (of the high word, where an operand has more than 32 bits) the pair is
/// stored and the number is the next one's.
`include "mantissa.svh"
`include "core_registers.svh"
`default_nettype none
module step_pairs #(
  parameter integer OperandExpW  = 8,
  parameter integer OperandFracW = 13,
  parameter integer Depth        = 512, ///< a power of two
  localparam integer OperandW = OperandExpW + OperandFracW + 1
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,
  input  wire                 busy_i,   ///< a run is on; while none is, its first pair stands
  input  wire                 close_i,  ///< a pass has ended: the next pair stands two clocks later
  input  wire                 start_i,  ///< two clocks after close_i at least
  input  wire                 over_i,   ///< a word overflowed
  input  wire  [7:0]          set_i,    ///< as core_regs gives them, and so the next two
  input  wire  [2:0]          set_at_i,
  input  wire  [31:0]         set_word_i,
  output logic                done_o,   ///< a clock after start_i
  output logic [2:0]          end_o,
  output logic [1:0]          alpha_cls_o,
  output logic [OperandW-1:0] alpha_op_o,
  output logic [1:0]          beta_cls_o,
  output logic [OperandW-1:0] beta_op_o,
  output logic                operands_o ///< they are new
);
  localparam integer AddrW = $clog2(Depth);
  localparam [7:0] AtAlpha = `REG_ALPHA;
  localparam [7:0] AtBeta  = `REG_BETA;
  localparam [7:0] AtPair  = `REG_RHO_STOP;

  // ---- Written by the registers ------------------------------------------------------------------------------------
  logic [OperandW-1:0] alpha_q, beta_q;
  logic [AddrW-1:0]    pair_q;
  logic                store_q;
  wire                 whole = (OperandW > 32) ? set_i[7] : set_i[3]; // of an operand its last byte
  always_ff @(posedge clk_i) begin
    for (int b = 0; b < OperandW; b = b + 1) begin
      if (set_i[b/8] && set_at_i == AtAlpha[5:3]) alpha_q[b] <= set_word_i[b%32];
      if (set_i[b/8] && set_at_i == AtBeta[5:3]) beta_q[b] <= set_word_i[b%32];
    end
    store_q <= rst_ni & whole & set_at_i == AtBeta[5:3];
    if (set_i[0] && set_at_i == AtPair[5:3]) pair_q <= AddrW'(set_word_i);
    else if (store_q) pair_q <= pair_q + AddrW'(1);
  end

  // ---- Read by the passes ------------------------------------------------------------------------------------------
  (* no_rw_check *) logic [2*OperandW-1:0] mem [0:Depth-1];
  logic [2*OperandW-1:0] now_q;
  logic [AddrW-1:0]      at_q;
  always @(posedge clk_i) if (store_q) mem[pair_q] <= {beta_q, alpha_q};
  always_ff @(posedge clk_i) begin
    now_q <= mem[at_q];
    if (!busy_i) at_q <= '0;
    else if (close_i) at_q <= at_q + AddrW'(1);
    done_o <= rst_ni & start_i;
  end
  assign {beta_op_o, alpha_op_o} = now_q;
  assign alpha_cls_o = (alpha_op_o[OperandW-2:OperandFracW] == '0) ? `CLS_ZERO : `CLS_FINITE;
  assign beta_cls_o  = (beta_op_o[OperandW-2:OperandFracW] == '0) ? `CLS_ZERO : `CLS_FINITE;
  assign operands_o  = start_i;
  assign end_o       = over_i ? `END_WINDOW_OVERFLOW : `END_PASSES;
  wire unused = &{1'b0, set_i, set_word_i};
endmodule
`default_nettype wire
