/// a * b in one format, rounded once; sequential, two bits of b per clock and no multiplier block. done_o comes
/// `MUL_SERIAL_LATENCY(M) clocks after start_i, and the outputs hold until the next start_i.
`include "mantissa.svh"
`default_nettype none
module fp_mul_serial #(
  parameter integer E = 11, parameter integer M = 52,
  parameter integer Rne = 0
) (
  input  wire          clk_i,
  input  wire          rst_ni,
  input  wire          start_i,
  `OPERANDS_PORTS(E+M+1, E+M+1)
  output logic         done_o, ///< one clock
  output logic [1:0]   cls_o,
  output logic [E+M:0] word_o
);
  localparam integer Steps = (M + 2) / 2;
  localparam integer PW    = M + 1 + 2 * Steps; // product of an (M+1)-bit and a 2 Steps-bit number
  localparam integer CntW  = $clog2(Steps + 1);
  localparam integer ExpW  = E + 3;

  typedef enum logic [2:0] {Idle, Prime, Multiply, Normalise, Round} state_t;
  state_t state_q;
  logic [CntW-1:0]        count_q;
  logic [M:0]             a_q;
  logic [PW-1:0]          product_q; // high part: the sum so far; low part: bits of b still to come
  logic signed [ExpW-1:0] exp_q;
  logic                   sign_q;
  logic [1:0]             cls_q;

  // What a state needs is worked out in it: an idle unit costs nothing in simulation.
  function automatic [1:0] class_of(input [1:0] a, input [1:0] b);
    logic zero, infinite, nan;
    begin
      zero     = (a == `CLS_ZERO) | (b == `CLS_ZERO);
      infinite = (a == `CLS_INF) | (b == `CLS_INF);
      nan      = (a == `CLS_NAN) | (b == `CLS_NAN) | (zero & infinite);
      class_of = nan ? `CLS_NAN : infinite ? `CLS_INF : zero ? `CLS_ZERO : `CLS_FINITE;
    end
  endfunction
  // a times two bits of b is there a clock before it is added.
  logic [M+2:0] part_q;
  always_ff @(posedge clk_i)
    if (state_q != Idle) part_q <= {2'b00, a_q & {(M+1){product_q[2]}}} + {1'b0, a_q & {(M+1){product_q[3]}}, 1'b0};
  task automatic multiply;
    logic [M+2:0] sum;
    begin
      sum = {2'b00, product_q[PW-1 -: M+1]} + part_q;
      product_q <= {sum, product_q[PW-M-2:2]};
    end
  endtask
  // The product's leading one is at bit 2M+1 or 2M.
  task automatic normalise;
    logic top;
    begin
      top = product_q[2*M+1];
      if (!top) product_q <= product_q << 1;
      exp_q <= exp_q - $signed(top ? ExpW'(`BIAS(E) - 1) : ExpW'(`BIAS(E)));
    end
  endtask
  localparam integer FracW = 2*M+1;
  localparam integer EO    = E;
  localparam integer MO    = M;
`include "fp_round.svh"
  `FINISH_TASK(product_q[2*M:0])

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      state_q <= Idle;
      done_o  <= 1'b0;
    end else begin
      done_o <= 1'b0;
      case (state_q)
        Idle:
          if (start_i) begin
            a_q       <= {1'b1, a_i[M-1:0]};
            product_q <= {{(PW-M-3){1'b0}}, 1'b1, b_i[M-1:0], 2'b00};
            sign_q    <= a_i[E+M] ^ b_i[E+M];
            exp_q     <= $signed(ExpW'({1'b0, a_i[E+M-1:M]})) + $signed(ExpW'({1'b0, b_i[E+M-1:M]}));
            cls_q     <= class_of(a_cls_i, b_cls_i);
            count_q   <= CntW'(Steps);
            state_q   <= Prime;
          end
        Prime: begin
          product_q <= product_q >> 2;
          state_q   <= Multiply;
        end
        Multiply: begin
          multiply();
          count_q <= count_q - CntW'(1);
          if (count_q == CntW'(1)) state_q <= Normalise;
        end
        Normalise: begin
          normalise();
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
