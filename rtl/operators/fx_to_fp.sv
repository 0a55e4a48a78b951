/// A two's complement integer times 2^Lsb, rounded once into s<MO>e<EO>. Sequential: shifts by 8 while the top eight
/// bits are zero, then by one; at most W/8 + 11 clocks from start_i to done_o. A zero is +0. Outputs hold until the
/// next start_i.
`include "mantissa.svh"
`default_nettype none
module fx_to_fp #(
  parameter integer W   = 96,
  parameter integer Lsb = -50,
  parameter integer EO  = 11,
  parameter integer MO  = 52,
  parameter integer Rne = 0
) (
  input  wire            clk_i,
  input  wire            rst_ni,
  input  wire            start_i,
  input  wire  [W-1:0]   value_i,
  output logic           done_o, ///< one clock
  output logic [1:0]     cls_o,
  output logic [EO+MO:0] word_o
);
  localparam integer Top  = Lsb + W - 1; // the exponent of the top bit
  localparam integer LsbW = $clog2(((Lsb < 0) ? -Lsb : Lsb) + W + 2) + 1;
  localparam integer ExpW = `MAX2(LsbW, EO + 1) + 2;
  typedef enum logic [1:0] {Idle, Normalise, Round} state_t;
  state_t state_q;
  logic [W-1:0]           mag_q;
  logic signed [ExpW-1:0] exp_q;
  logic                   neg_q;

  wire [1:0]     cls;
  wire [EO+MO:0] word;
  fp_round #(.ExpW(ExpW), .FracW(W-1), .EO(EO), .MO(MO), .Rne(Rne)) i_round (
    .cls_i(mag_q[W-1] ? `CLS_FINITE : `CLS_ZERO), .sign_i(neg_q & mag_q[W-1]), .exp_i(exp_q), .frac_i(mag_q[W-2:0]),
    .cls_o(cls), .word_o(word));

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      state_q <= Idle;
      done_o  <= 1'b0;
    end else begin
      done_o <= 1'b0;
      case (state_q)
        Idle:
          if (start_i) begin
            mag_q   <= value_i[W-1] ? -value_i : value_i;
            neg_q   <= value_i[W-1];
            exp_q   <= ExpW'(Top + `BIAS(EO));
            state_q <= Normalise;
          end
        Normalise:
          if (mag_q[W-1] || mag_q == '0) begin
            state_q <= Round;
          end else if (mag_q[W-1 -: 8] == 8'd0) begin
            mag_q <= mag_q << 8;
            exp_q <= exp_q - $signed(ExpW'(8));
          end else begin
            mag_q <= mag_q << 1;
            exp_q <= exp_q - $signed(ExpW'(1));
          end
        default: begin
          cls_o   <= cls;
          word_o  <= word;
          done_o  <= 1'b1;
          state_q <= Idle;
        end
      endcase
    end
endmodule
`default_nettype wire
