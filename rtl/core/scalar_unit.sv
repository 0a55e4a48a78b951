/// The scalar unit: from the three dot products of a pass to alpha, sigma and beta, in the scalar format s<M>e<E>, and
/// the end tests.
///
///     alpha = rho / pq;  sigma = alpha ((alpha qq) - pq), +0 in its place when negative;  beta = sigma / rho
///
/// Sequential, one divider, one serial multiplier, one adder; about 2 (M + 6) + 2 (M / 2 + 3) + 30 clocks. The adder
/// is that of pq's accumulator where it computes in the scalar format: alpha qq leaves by minuend_o, and pq_i becomes
/// alpha qq - pq.
/// end_o: END_PASSES goes on. With END_EXACT and above, alpha, sigma and beta become +0, with END_WINDOW_OVERFLOW rho,
/// pq and qq too.
`include "mantissa.svh"
`default_nettype none
module scalar_unit #(
`include "core_parameters.svh"
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              abort_i, ///< drop the work in hand; alpha and beta stay as they are
  input  wire              start_i,
  input  wire  [DotW-1:0]  rho_i,
  input  wire  [DotW-1:0]  pq_i,
  input  wire  [DotW-1:0]  qq_i,
  input  wire              over_i, ///< a term left the fixed-point window
  output logic             subtract_o, ///< one clock
  output logic [DotW-1:0]  minuend_o,
  input  wire              subtracted_i, ///< pq_i is the difference
  input  wire  [ScalarW-1:0] rho_stop_i,
  input  wire              test_rho_i,
  input  wire  [7:0]       set_alpha_i, ///< bytes of alpha that become those of {set_word_i, set_word_i}
  input  wire  [7:0]       set_beta_i,
  input  wire  [31:0]      set_word_i,
  output logic             done_o,  ///< one clock
  output logic [2:0]       end_o,
  output logic             guard_o, ///< with done_o: sigma was negative
  output logic [ScalarW-1:0] rho_o,   ///< the format's own bits, as all scalars
  output logic [ScalarW-1:0] pq_o,
  output logic [ScalarW-1:0] qq_o,
  output logic [ScalarW-1:0] alpha_o,
  output logic [ScalarW-1:0] sigma_o,
  output logic [ScalarW-1:0] beta_o,
  output logic [1:0]       alpha_cls_o, ///< alpha and beta as operands of the vector updates
  output logic [OperandW-1:0] alpha_op_o,
  output logic [1:0]       beta_cls_o,
  output logic [OperandW-1:0] beta_op_o
);
  localparam integer SW = ScalarW; // the scalar format s<M>e<E>
  localparam integer E = ScalarExpW;
  localparam integer M = ScalarFracW;
  localparam [2:0] NoPass = 3'd7; // alpha or beta was written
  typedef enum logic [3:0] {
    Idle, Load, Test, Alpha, AlphaQq, Minus, Sigma, Beta, Finish, Operands
  } state_t;
  state_t     state_q;
  logic       first_q;  // first clock of a state: starts the unit it uses
  logic [3:0] wait_q;
  logic [1:0] which_q;  // which dot product is being loaded
  logic       left_q;   // some total left the window

  wire unit_rst_n = rst_ni & ~abort_i;

  // Registers hold packed words. Their classes are read off them where they are used, and operands stand only in the
  // clock that takes them: in simulation an idle unit costs nothing.
  logic [SW-1:0] work_q; // alpha qq, then alpha qq - pq
  // As fp_unpack; a macro, because Icarus runs an always_comb for ever that calls a function for two results.
`define CLASS_OF(word, canonical) \
  {&word[SW-2:M], (&word[SW-2:M]) ? ((canonical) != 0 ? word[M-1] : |word[M-1:0]) : |word[SW-2:M]}
  function automatic [SW-1:0] pack(input [1:0] cls, input [SW-1:0] word); // as fp_pack
    if (cls == `CLS_FINITE) pack = word;
    else pack = {word[SW-1] & ~(&cls), {E{cls[1]}}, &cls, {(M-1){1'b0}}};
  endfunction

  // A dot product's total, through a register, into the scalar format.
  logic [DotW-1:0] dot;
  logic            second_q; // second clock of a state
  always_ff @(posedge clk_i) begin
    if (state_q != Idle) dot <= (which_q == 2'd0) ? rho_i : (which_q == 2'd1) ? pq_i : qq_i;
    second_q <= first_q;
  end
  wire [1:0]    load_cls;
  wire [SW-1:0] load_word;
  wire          load_done, load_left;
  generate
    if (Fixed != 0) begin : g_fixed
      localparam integer W = Msb - Lsb + 1;
      fx_to_fp #(.W(DotW), .Lsb(Lsb), .EO(E), .MO(M), .Rne(ScalarRne)) i_load (
        .clk_i, .rst_ni(unit_rst_n), .start_i(state_q == Load && second_q), .value_i(dot), .done_o(load_done),
        .cls_o(load_cls), .word_o(load_word));
      assign load_left = load_done ? !(&dot[DotW-1:W-1] || ~|dot[DotW-1:W-1]) : 1'bx;
    end else begin : g_float
      fp_convert #(.EI(SumExpW), .MI(SumFracW), .EO(E), .MO(M), .Rne(ScalarRne)) i_load (
        .clk_i, .en_i(state_q == Load), .cls_i(dot[DotW-1 -: 2]), .word_i(dot[DotW-3:0]), .cls_o(load_cls),
        .word_o(load_word));
      logic third_q;
      always_ff @(posedge clk_i) third_q <= second_q;
      assign load_done = state_q == Load && third_q;
      assign load_left = 1'b0;
    end
  endgenerate

  // The arithmetic units, each with its operands chosen by the state.
  wire [1:0] div_cls, mul_cls, sub_cls;
  wire [SW-1:0] div_word, mul_word, sub_word;
  wire div_done, mul_done, sub_done;
  wire for_beta = state_q == Beta;
  wire for_sigma = state_q == Sigma;
  wire [1:0] div_a_cls = !first_q ? 2'bx : for_beta ? `CLASS_OF(sigma_o, 1) : `CLASS_OF(rho_o, 1);
  wire [1:0] div_b_cls = !first_q ? 2'bx : for_beta ? `CLASS_OF(rho_o, 1) : `CLASS_OF(pq_o, 1);
  wire [1:0] mul_a_cls = !first_q ? 2'bx : `CLASS_OF(alpha_o, 0);
  wire [1:0] mul_b_cls = !first_q ? 2'bx : for_sigma ? `CLASS_OF(work_q, 1) : `CLASS_OF(qq_o, 1);
  wire [SW-1:0] div_a = !first_q ? {SW{1'bx}} : for_beta ? sigma_o : rho_o;
  wire [SW-1:0] div_b = !first_q ? {SW{1'bx}} : for_beta ? rho_o : pq_o;
  wire [SW-1:0] mul_b = !first_q ? {SW{1'bx}} : for_sigma ? work_q : qq_o;
  fp_div #(.EA(E), .MA(M), .EB(E), .MB(M), .EO(E), .MO(M), .Rne(ScalarRne)) i_div (
    .clk_i, .rst_ni(unit_rst_n), .start_i(first_q && (state_q == Alpha || for_beta)), .a_cls_i(div_a_cls), .a_i(div_a),
    .b_cls_i(div_b_cls), .b_i(div_b), .done_o(div_done), .cls_o(div_cls), .word_o(div_word));
  fp_mul_serial #(.E(E), .M(M), .Rne(ScalarRne)) i_mul (
    .clk_i, .rst_ni(unit_rst_n), .start_i(first_q && (state_q == AlphaQq || for_sigma)), .a_cls_i(mul_a_cls),
    .a_i(alpha_o), .b_cls_i(mul_b_cls), .b_i(mul_b), .done_o(mul_done), .cls_o(mul_cls), .word_o(mul_word));
  generate
    if (Fixed == 0 && SumExpW == E && SumFracW == M && SumRne == ScalarRne) begin : g_shared
      logic subtracted_q;
      always_ff @(posedge clk_i) begin
        subtract_o   <= rst_ni & ~abort_i & state_q == Minus & first_q;
        subtracted_q <= subtracted_i;
      end
      assign minuend_o  = !second_q ? {DotW{1'bx}} : {`CLASS_OF(work_q, 1), work_q};
      assign {sub_cls, sub_word} = dot;
      assign sub_done = subtracted_q;
      wire unused = &{1'b0, wait_q};
    end else begin : g_own
      wire [1:0] work_cls = (state_q != Minus) ? 2'bx : `CLASS_OF(work_q, 1);
      wire [1:0] pq_cls   = (state_q != Minus) ? 2'bx : `CLASS_OF(pq_o, 1);
      fp_add #(.EA(E), .MA(M), .EB(E), .MB(M), .EO(E),
          .MO(M), .Rne(ScalarRne), .Subtract(1)) i_sub (
        .clk_i, .en_i(state_q == Minus), .a_cls_i(work_cls), .a_i(work_q), .b_cls_i(pq_cls), .b_i(pq_o),
        .cls_o(sub_cls), .word_o(sub_word));
      assign sub_done   = wait_q == 4'd0;
      assign subtract_o = 1'b0;
      assign minuend_o  = '0;
      wire unused = &{1'b0, subtracted_i};
    end
  endgenerate

  // Between equal formats fp_convert is wires, and the classes are always used.
  wire converts = state_q == Operands || `CONVERT_LATENCY(E, M, OperandExpW, OperandFracW) == 0;
  wire [1:0] alpha_cls = !converts ? 2'bx : `CLASS_OF(alpha_o, 0);
  wire [1:0] beta_cls  = !converts ? 2'bx : `CLASS_OF(beta_o, 0);
  fp_convert #(.EI(E), .MI(M), .EO(OperandExpW), .MO(OperandFracW), .Rne(OperandRne)) i_alpha_op (
    .clk_i, .en_i(converts), .cls_i(alpha_cls), .word_i(alpha_o), .cls_o(alpha_cls_o), .word_o(alpha_op_o));
  fp_convert #(.EI(E), .MI(M), .EO(OperandExpW), .MO(OperandFracW), .Rne(OperandRne)) i_beta_op (
    .clk_i, .en_i(converts), .cls_i(beta_cls), .word_i(beta_o), .cls_o(beta_cls_o), .word_o(beta_op_o));

  // For the end tests. rho is positive and finite where these count, and has stood for long.
  logic unbounded_q, less_q, below_q;
  logic [1:0] stop_cls_q;
  always_ff @(posedge clk_i) begin
    if (state_q == Finish) unbounded_q <= (&alpha_o[SW-2:M]) | (&sigma_o[SW-2:M]) | (&beta_o[SW-2:M]);
    if (for_beta) begin
      less_q     <= rho_o[SW-2:0] < rho_stop_i[SW-2:0];
      stop_cls_q <= `CLASS_OF(rho_stop_i, 0);
      below_q    <= test_rho_i & ~rho_stop_i[SW-1] &
                    (stop_cls_q == `CLS_INF || (stop_cls_q == `CLS_FINITE && less_q));
    end
  end
  function automatic [63:0] merged(input [63:0] old, input [7:0] strobes);
    integer k;
    for (k = 0; k < 8; k = k + 1)
      merged[8*k +: 8] = strobes[k] ? set_word_i[8*(k % 4) +: 8] : old[8*k +: 8];
  endfunction
  // What the dot products alone say.
  function automatic [2:0] end_of_dots();
    if (left_q) end_of_dots = `END_WINDOW_OVERFLOW;
    else if ((&rho_o[SW-2:M]) | (&pq_o[SW-2:M]) | (&qq_o[SW-2:M])) end_of_dots = `END_NOT_FINITE;
    else if (~(|rho_o[SW-2:M])) end_of_dots = `END_EXACT;
    else if (~(|pq_o[SW-2:M]) | pq_o[SW-1]) end_of_dots = `END_INDEFINITE;
    else end_of_dots = `END_PASSES;
  endfunction

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      state_q <= Idle;
      done_o  <= 1'b0;
      first_q <= 1'b0;
      end_o   <= `END_PASSES;
      guard_o <= 1'b0;
      rho_o   <= '0;
      pq_o    <= '0;
      qq_o    <= '0;
      alpha_o <= '0;
      sigma_o <= '0;
      beta_o  <= '0;
    end else if (abort_i) begin
      state_q <= Idle;
      done_o  <= 1'b0;
      first_q <= 1'b0;
    end else begin
      done_o  <= 1'b0;
      first_q <= 1'b0;
      case (state_q)
        Idle: begin
          which_q <= 2'd0;
          left_q  <= over_i;
          if (|set_alpha_i) alpha_o <= SW'(merged(64'(alpha_o), set_alpha_i));
          if (|set_beta_i) beta_o <= SW'(merged(64'(beta_o), set_beta_i));
          if (|{set_alpha_i, set_beta_i}) begin
            state_q <= Operands;
            end_o   <= NoPass; // done_o stays low
          end
          if (start_i) begin
            state_q <= Load;
            first_q <= 1'b1;
            end_o   <= `END_PASSES;
            guard_o <= 1'b0;
          end
        end
        Load:
          if (load_done) begin
            which_q <= which_q + 2'd1;
            left_q  <= left_q | load_left;
            first_q <= 1'b1;
            if (which_q == 2'd0) rho_o <= pack(load_cls, load_word);
            if (which_q == 2'd1) pq_o <= pack(load_cls, load_word);
            if (which_q == 2'd2) begin
              qq_o    <= pack(load_cls, load_word);
              first_q <= 1'b0;
              state_q <= Test;
            end
          end
        Test: begin
          which_q <= 2'd1; // alpha qq - pq comes where pq was
          first_q <= 1'b1;
          end_o   <= end_of_dots();
          state_q <= (end_of_dots() == `END_PASSES) ? Alpha : Finish;
        end
        Alpha:
          if (div_done) begin
            alpha_o <= pack(div_cls, div_word);
            first_q <= 1'b1;
            state_q <= AlphaQq;
          end
        AlphaQq:
          if (mul_done) begin
            work_q  <= pack(mul_cls, mul_word);
            first_q <= 1'b1;
            wait_q  <= 4'(`ADD_LATENCY(M, M, M));
            state_q <= Minus;
          end
        Minus: begin
          wait_q <= wait_q - 4'd1;
          if (sub_done) begin
            work_q  <= pack(sub_cls, sub_word);
            first_q <= 1'b1;
            state_q <= Sigma;
          end
        end
        Sigma:
          if (mul_done) begin
            sigma_o <= (mul_word[SW-1] & ~(&mul_cls)) ? '0 : pack(mul_cls, mul_word);
            guard_o <= mul_word[SW-1] & ~(&mul_cls);
            first_q <= 1'b1;
            state_q <= Beta;
          end
        Beta:
          if (div_done) begin
            beta_o  <= pack(div_cls, div_word);
            first_q <= 1'b1;
            state_q <= Finish;
          end
        Finish: if (!first_q) begin // the classes are there
          state_q <= Operands;
          if (end_o == `END_PASSES) begin
            if (unbounded_q) end_o <= `END_NOT_FINITE;
            else if (below_q) end_o <= `END_RHO_REACHED;
          end
          if (end_o != `END_PASSES || unbounded_q) begin
            alpha_o <= '0;
            sigma_o <= '0;
            beta_o  <= '0;
            guard_o <= 1'b0;
          end
          if (end_o == `END_WINDOW_OVERFLOW) begin
            rho_o <= '0;
            pq_o  <= '0;
            qq_o  <= '0;
          end
        end
        default: begin // Operands: alpha and beta are converted on this clock
          done_o  <= end_o != NoPass;
          state_q <= Idle;
        end
      endcase
    end
endmodule
`undef CLASS_OF
`default_nettype wire
