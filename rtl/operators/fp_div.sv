/// a / b, rounded once into s<MO>e<EO>. Sequential, one quotient bit per clock: done_o comes `DIV_LATENCY(MO) clocks
/// after start_i, and the outputs hold until the next start_i. A finite number over zero is an infinity.
`include "mantissa.svh"
`default_nettype none
module fp_div #(
  parameter integer EA = 11, parameter integer MA = 52,
  parameter integer EB = 11, parameter integer MB = 52,
  parameter integer EO = 11, parameter integer MO = 52,
  parameter integer Rne = 0
) (
  input  wire            clk_i,
  input  wire            rst_ni,
  input  wire            start_i,
  `OPERANDS_PORTS(EA+MA+1, EB+MB+1)
  output logic           done_o, ///< one clock
  output logic [1:0]     cls_o,
  output logic [EO+MO:0] word_o
);
  localparam integer MI   = `MAX2(MA, MB);
  localparam integer Bits = MO + 3; // the quotient is above 1/2: one bit may be lost, one is the guard
  localparam integer CntW = $clog2(Bits + 1);
  localparam integer ExpW = `MAX3(EA, EB, EO) + 3;
  localparam integer Rebias = `BIAS(EO) + `BIAS(EB) - `BIAS(EA);

  typedef enum logic [1:0] {Idle, Divide, Normalise, Round} state_t;
  state_t state_q;
  logic [CntW-1:0]        count_q;
  logic [MI+1:0]          rest_q;    // below 2 b
  logic [MI:0]            divisor_q;
  logic [Bits-1:0]        quotient_q;
  logic                   sticky_q;
  logic signed [ExpW-1:0] exp_q;
  logic                   sign_q;
  logic [1:0]             cls_q;

  wire [MI:0] sig_a, sig_b;
  generate
    if (MA == MI) begin : g_a
      assign sig_a = {1'b1, a_i[MA-1:0]};
    end else begin : g_pad_a
      assign sig_a = {1'b1, a_i[MA-1:0], {(MI-MA){1'b0}}};
    end
    if (MB == MI) begin : g_b
      assign sig_b = {1'b1, b_i[MB-1:0]};
    end else begin : g_pad_b
      assign sig_b = {1'b1, b_i[MB-1:0], {(MI-MB){1'b0}}};
    end
  endgenerate

  // What a state needs is worked out in it: an idle unit costs nothing in simulation.
  function automatic [1:0] class_of(input [1:0] a, input [1:0] b);
    logic nan, infinite, zero;
    begin
      nan      = (a == `CLS_NAN) | (b == `CLS_NAN) | (a == b && a != `CLS_FINITE);
      infinite = (a == `CLS_INF) | (b == `CLS_ZERO);
      zero     = (a == `CLS_ZERO) | (b == `CLS_INF);
      class_of = nan ? `CLS_NAN : infinite ? `CLS_INF : zero ? `CLS_ZERO : `CLS_FINITE;
    end
  endfunction
  task automatic divide;
    logic [MI+2:0] trial;
    begin
      trial = {1'b0, rest_q} - {2'b00, divisor_q};
      quotient_q <= {quotient_q[Bits-2:0], ~trial[MI+2]};
      rest_q     <= (trial[MI+2] ? rest_q : trial[MI+1:0]) << 1;
    end
  endtask

  localparam integer FracW = Bits;
`include "fp_round.svh"
  `FINISH_TASK({quotient_q[Bits-2:0], sticky_q})

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      state_q <= Idle;
      done_o  <= 1'b0;
    end else begin
      done_o <= 1'b0;
      case (state_q)
        Idle:
          if (start_i) begin
            rest_q    <= {1'b0, sig_a};
            divisor_q <= sig_b;
            sign_q    <= a_i[EA+MA] ^ b_i[EB+MB];
            exp_q     <= $signed(ExpW'({1'b0, a_i[EA+MA-1:MA]})) - $signed(ExpW'({1'b0, b_i[EB+MB-1:MB]}));
            cls_q     <= class_of(a_cls_i, b_cls_i);
            count_q   <= CntW'(Bits);
            state_q   <= Divide;
          end
        Divide: begin
          divide();
          count_q <= count_q - CntW'(1);
          if (count_q == CntW'(1)) state_q <= Normalise;
        end
        Normalise: begin
          sticky_q <= rest_q != '0;
          if (!quotient_q[Bits-1]) quotient_q <= quotient_q << 1;
          exp_q   <= exp_q + $signed(quotient_q[Bits-1] ? ExpW'(Rebias) : ExpW'(Rebias - 1));
          state_q <= Round;
        end
        default: begin
          finish();
          done_o  <= 1'b1;
          state_q <= Idle;
        end
      endcase
    end
endmodule
`default_nettype wire
