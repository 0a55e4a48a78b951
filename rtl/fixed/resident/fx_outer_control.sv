/// The sequence of a resident solve. Words of r stand for D 2^-e, those of c and u for corrections 2^e; h leaves as many
/// bits of r free.
///
///   FORM     r and q from D, and the totals r.r and r.p (fx_outer)
///   ACCEPT   r.r's exponent says how long r is: with k = floor(E / 2) + 1, k + h must be -1 or 0, else e is moved and
///            FORM done again. Then the end tests; beta and gamma for the next run's first pass
///   INNER    a run of the core (fx_inner); with Checks a solve has not converged before ACCEPT has said so twice
///   DEFECT   c = u + alpha p, saturated (fx_inner, close); V and D are corrected by c, and FORM rides along
///
/// The scalars that change with e are words with another exponent: T 4^-e, and the quotients beta and gamma.
`include "mantissa.svh"
`include "scalar_program.svh"
`default_nettype none
module fx_outer_control #(
  parameter integer ScalarExpW = 8,
  parameter integer ScalarFracW = 23,
  parameter integer ScalarRne = 0,
  parameter integer ExponentW = 16,
  parameter integer Checks = 0,
  localparam integer SW = ScalarExpW + ScalarFracW + 1,
  localparam integer XW = ExponentW
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,
  input  wire                 start_i,
  input  wire                 refuse_i,         ///< with start_i: the system is not there
  input  wire                 refuse_late_i,    ///< one clock, while the solve is on: likewise
  input  wire  [31:0]         inner_i,          ///< passes of a run
  input  wire  [31:0]         passes_i,         ///< of the solve, at most
  input  wire  [SW-1:0]       tolerance_i,      ///< T = this word
  input  wire signed [XW-1:0] tolerance_exp_i,  ///< times 4^this
  input  wire signed [XW-1:0] headroom_i,       ///< h at first
  input  wire  [2:0]          relax_i,          ///< what it falls by in the first DEFECT
  input  wire  [31:0]         stall_limit_i,    ///< clocks without another state or pass that end the solve; 0: none do
  output logic                busy_o,
  output logic                done_o,
  output logic [3:0]          end_o,
  output logic [31:0]         passes_o,
  output logic [31:0]         steps_o,
  output logic [31:0]         formed_again_o,
  output logic [31:0]         overflows_o,
  output logic [31:0]         sigma_guards_o,
  output logic [SW-1:0]       rr_o,             ///< of the last FORM
  output logic signed [XW-1:0] exponent_o,      ///< e, likewise
  output logic signed [XW-1:0] headroom_o,      ///< h
  output logic [47:0]         cycles_o,
  output logic                stalled_o,        ///< one clock: what was waited for is to be reset
  output logic                accepted_o,       ///< one clock: passes_o, rr_o and exponent_o are those of a FORM accepted

  output logic                inner_start_o,
  output logic                inner_close_o,
  output logic [31:0]         inner_passes_o,
  input  wire                 inner_done_i,
  input  wire  [2:0]          inner_end_i,
  input  wire  [31:0]         inner_count_i,
  input  wire  [31:0]         inner_guards_i,
  input  wire                 close_over_i,

  output logic                form_o,
  output logic                betas_o,
  output logic [7:0]          set_o,
  output logic [2:0]          set_at_o,
  output logic [31:0]         set_word_o,
  output logic                scalar_read_o,
  output logic [2:0]          scalar_at_o,
  input  wire  [SW-1:0]       scalar_i,
  input  wire                 scalar_done_i,
  input  wire  [2:0]          scalar_end_i,

  output logic                outer_start_o,
  output logic                correct_o,
  output logic                zero_o,           ///< p counts as 0, whatever its memory holds
  output logic signed [XW-1:0] correct_exponent_o, ///< e of the correction
  input  wire                 outer_done_i,
  input  wire                 v_over_i,
  input  wire                 d_over_i,
  input  wire                 r_over_i,
  input  wire                 d_any_i,          ///< a word of D is not 0
  input  wire                 rounded_i,        ///< words of V or D are shifted to the right
  output logic                bad_o             ///< with Checks: an exponent has changed where it stands
);
  localparam integer MostForms = 70;
  localparam integer MostOverflows = 40;
  localparam integer MostTroubles = 10;
  localparam integer Settle = 15; // clocks in which alpha and beta, just set, become operands
  typedef enum logic [4:0] {Idle, Form, FormWait, Formed, TotalsWait, Fetch, Fetched, Decide, Again, Accept, Test, Scale, Moved,
                            Scaled, SetLow, SetHigh, SetWait, Betas, BetasWait, Beta, Gamma, Inner, InnerGone, InnerWait,
                            Count, Predict, Close, CloseGone, CloseWait} state_t;
  state_t state_q, back_q, then_q; // where setting a scalar returns to, and reading one
  logic signed [XW-1:0] e_q, next_q; // e of c and u; of r as FORM makes it
  logic signed [XW-1:0] step_q;
  logic [6:0]  forms_q;
  logic [3:0]  troubles_q;
  logic [4:0]  settle_q;
  logic        zero_q;     // p counts as 0
  logic        correct_q;
  logic        relaxed_q;  // h has fallen
  logic        sure_q;     // with Checks: the end test has said so once
  logic        rounded_q;  // a correction was rounded: D need not be b - A V any more
  logic [2:0]  run_end_q;
  logic [SW-1:0] word_q, scaled_q;
  logic signed [XW+1:0] by_q;

  assign busy_o = state_q != Idle;
  assign correct_o = correct_q;
  assign zero_o = zero_q;
  assign correct_exponent_o = e_q;
  assign exponent_o = next_q;

  // A clock after word_q: half of a positive scalar's exponent, rounded down, and one. 2^this is the root of a power of
  // two above it.
  wire [ScalarExpW-1:0] field = word_q[SW-2 -: ScalarExpW];
  wire zero   = ~(|field);
  wire finite = ~(&field);
  logic signed [XW-1:0] root_q;
  always_ff @(posedge clk_i) root_q <= ($signed(XW'(field)) + XW'(2 - `BIAS(ScalarExpW))) >>> 1;

  // word_q 2^by_q in the scalar format.
  logic signed [XW+2:0] moved;
  always_ff @(posedge clk_i) moved <= $signed((XW+3)'(field)) + (XW+3)'(by_q);
  wire under = moved <= 0;
  wire above = moved >= (XW+3)'((1 << ScalarExpW) - 1);
  logic [SW-1:0] scaled;
  always_comb begin
    scaled = {word_q[SW-1], moved[ScalarExpW-1:0], word_q[ScalarFracW-1:0]};
    if (above) scaled[SW-2:0] = (ScalarRne != 0) ? {{ScalarExpW{1'b1}}, {ScalarFracW{1'b0}}}
                                                : {{(ScalarExpW-1){1'b1}}, 1'b0, {ScalarFracW{1'b1}}};
    if (under) scaled[SW-2:0] = '0;
    if (zero || !finite) scaled = word_q;
  end
  wire scaled_finite = ~(&scaled_q[SW-2 -: ScalarExpW]);

  wire run_trouble = run_end_q == `END_EXACT || run_end_q == `END_INDEFINITE || run_end_q == `END_NOT_FINITE;
  logic [31:0] left;
  logic short_run; // both are there long before they are asked for
  always_ff @(posedge clk_i) begin
    left      <= passes_i - passes_o;
    short_run <= inner_i < left;
  end

  wire [63:0] scaled_wide = 64'(scaled_q);

  task automatic finish(input [3:0] how);
    begin
      state_q <= Idle;
      done_o  <= 1'b1;
      end_o   <= how;
    end
  endtask
  // word_q = a scalar, and on.
  task automatic fetch(input [2:0] which, input state_t then);
    begin
      scalar_read_o <= 1'b1;
      scalar_at_o   <= which;
      then_q        <= then;
      state_q       <= Fetch;
    end
  endtask
  // FORM once more with a bit more of headroom.
  task automatic overflowed;
    begin
      overflows_o <= overflows_o + 32'd1;
      headroom_o  <= headroom_o + XW'(1);
      step_q      <= XW'(1);
      state_q     <= Again;
      if (overflows_o == MostOverflows) finish(`RESIDENT_END_WINDOW_OVERFLOW);
    end
  endtask

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      state_q <= Idle;
      done_o  <= 1'b0;
      end_o   <= `RESIDENT_END_FAULT;
      {outer_start_o, inner_start_o, form_o, betas_o, accepted_o, scalar_read_o} <= '0;
      set_o <= '0;
      {passes_o, steps_o, formed_again_o, overflows_o, sigma_guards_o, cycles_o} <= '0;
      rr_o   <= '0;
      next_q <= '0;
      headroom_o <= '0;
    end else begin
      {outer_start_o, inner_start_o, form_o, betas_o, accepted_o, scalar_read_o} <= '0;
      set_o <= '0;
      if (busy_o) cycles_o <= cycles_o + 48'd1;
      settle_q <= settle_q - 5'd1;
      case (state_q)
        Idle:
          if (start_i) begin
            state_q    <= Form;
            done_o     <= 1'b0;
            {passes_o, steps_o, formed_again_o, overflows_o, sigma_guards_o, cycles_o} <= '0;
            next_q     <= headroom_i;
            headroom_o <= headroom_i;
            relaxed_q  <= 1'b0;
            rounded_q  <= 1'b0;
            correct_q  <= 1'b0;
            zero_q     <= 1'b1;
            forms_q    <= '0;
            troubles_q <= '0;
            if (refuse_i) finish(`RESIDENT_END_FAULT);
          end
        Form: begin
          outer_start_o <= 1'b1;
          sure_q  <= 1'b0;
          forms_q <= forms_q + 7'd1;
          state_q <= FormWait;
        end
        FormWait: if (outer_done_i) state_q <= Formed;
        Formed: begin
          rounded_q <= rounded_q | (correct_q & rounded_i);
          if (correct_q & close_over_i) begin
            overflows_o <= overflows_o + 32'd1;
            headroom_o  <= headroom_o + XW'(1);
            zero_q      <= 1'b1;
          end
          correct_q <= 1'b0;
          form_o    <= ~r_over_i;
          state_q   <= r_over_i ? Decide : TotalsWait;
        end
        TotalsWait: if (scalar_done_i) fetch(`SCALAR_QQ, Decide);
        Fetch: begin
          word_q  <= scalar_i;
          state_q <= Fetched;
        end
        Fetched: state_q <= then_q;
        Decide: begin
          rr_o    <= r_over_i ? '0 : word_q;
          step_q  <= root_q + headroom_o;
          state_q <= Test;
          if (overflows_o > MostOverflows) finish(`RESIDENT_END_WINDOW_OVERFLOW);
          else if (v_over_i | d_over_i) finish(`RESIDENT_END_OUTER_OVERFLOW);
          else if (r_over_i) overflowed();
          else if (zero & ~d_any_i) finish(rounded_q ? `RESIDENT_END_FAULT : `RESIDENT_END_EXACT);
          else if (zero) begin // D is below r's grid
            step_q  <= XW'(-4);
            state_q <= Again;
          end
        end
        Test: state_q <= (step_q == XW'(0) || step_q == XW'(-1)) ? Accept : Again;
        Again: begin
          next_q  <= next_q + step_q;
          formed_again_o <= formed_again_o + 32'd1;
          state_q <= Form;
          if (forms_q == 7'(MostForms)) begin
            next_q         <= next_q;
            formed_again_o <= formed_again_o;
            finish(`RESIDENT_END_FAULT);
          end
        end
        Accept: begin
          accepted_o <= ~sure_q;
          word_q   <= tolerance_i;
          by_q     <= ((XW+2)'(tolerance_exp_i) - (XW+2)'(next_q)) <<< 1;
          set_at_o <= `SCALAR_RHO_STOP;
          back_q   <= Betas;
          state_q  <= Scale;
        end
        Scale: state_q <= Moved;
        Moved: begin
          scaled_q <= scaled;
          state_q  <= (back_q == Betas) ? SetLow : Scaled;
        end
        // beta, then gamma; where one is not finite both are zero, and beta is set once more.
        Scaled: begin
          state_q <= SetLow;
          if (zero_q || !scaled_finite) scaled_q <= '0;
          if (!zero_q && !scaled_finite) begin
            zero_q <= 1'b1;
            if (back_q == Inner) fetch(`SCALAR_BETA, Beta);
          end
        end
        SetLow: begin
          set_o      <= 8'h0F;
          set_word_o <= scaled_wide[31:0];
          state_q    <= (SW > 32) ? SetHigh : SetWait;
        end
        SetHigh: begin
          set_o      <= 8'hF0;
          set_word_o <= scaled_wide[63:32];
          state_q    <= SetWait;
        end
        SetWait:
          if (settle_q == '0) begin
            state_q <= back_q;
            if (back_q == Gamma) fetch(`SCALAR_ALPHA, Gamma);
          end
        Betas: begin
          betas_o <= 1'b1;
          state_q <= BetasWait;
        end
        BetasWait:
          if (scalar_done_i) begin
            fetch(`SCALAR_BETA, Beta);
            if (scalar_end_i == `END_RHO_REACHED && (Checks == 0 || sure_q)) finish(`RESIDENT_END_CONVERGED);
            else if (scalar_end_i == `END_RHO_REACHED) begin // once more, from the totals on
              scalar_read_o <= 1'b0;
              sure_q        <= 1'b1;
              state_q       <= Formed;
            end
            else if (troubles_q == 4'(MostTroubles))
              finish((run_end_q == `END_INDEFINITE) ? `RESIDENT_END_INDEFINITE :
                     (run_end_q == `END_NOT_FINITE) ? `RESIDENT_END_NOT_FINITE : `RESIDENT_END_FAULT);
            else if (left == '0) finish(`RESIDENT_END_PASSES);
          end
        Beta: begin
          by_q     <= (XW+2)'(next_q) - (XW+2)'(e_q);
          set_at_o <= `SCALAR_BETA;
          back_q   <= Gamma;
          state_q  <= Scale;
        end
        Gamma: begin
          set_at_o <= `SCALAR_ALPHA;
          back_q   <= Inner;
          state_q  <= Scale;
        end
        Inner: begin
          e_q <= next_q;
          inner_close_o  <= 1'b0;
          inner_passes_o <= short_run ? inner_i : left;
          inner_start_o  <= 1'b1;
          state_q <= InnerGone;
        end
        InnerGone: state_q <= InnerWait; // done_i is still that of the run before
        InnerWait: if (inner_done_i && !inner_start_o) begin
          run_end_q <= inner_end_i;
          passes_o  <= passes_o + inner_count_i;
          steps_o   <= steps_o + 32'd1;
          sigma_guards_o <= sigma_guards_o + inner_guards_i;
          state_q   <= Count;
        end
        Count: begin
          forms_q <= '0;
          fetch(`SCALAR_RHO, Predict);
          zero_q  <= run_trouble;
          if (run_trouble) troubles_q <= troubles_q + 4'd1;
          else if (run_end_q != `END_WINDOW_OVERFLOW) troubles_q <= '0;
          if (run_end_q == `END_FAULT) finish(`RESIDENT_END_FAULT);
          if (run_end_q == `END_WINDOW_OVERFLOW) begin
            zero_q <= 1'b1;
            overflowed();
          end else begin
            // A first right-hand side fills its words, later ones leave room.
            if (!relaxed_q) headroom_o <= headroom_o - $signed(XW'(relax_i));
            relaxed_q <= 1'b1;
          end
        end
        Predict: begin
          step_q  <= (zero || !finite) ? XW'(-4) : root_q + headroom_o;
          state_q <= Close;
        end
        Close: begin
          next_q <= next_q + step_q;
          inner_close_o  <= 1'b1;
          inner_passes_o <= 32'd1;
          inner_start_o  <= 1'b1;
          state_q <= CloseGone;
        end
        CloseGone: state_q <= CloseWait;
        default: if (inner_done_i && !inner_start_o) begin // CloseWait
          correct_q <= 1'b1;
          state_q   <= Form;
        end
      endcase
      if (state_q == SetLow || state_q == SetHigh) settle_q <= 5'(Settle);
      if (stalled_o) finish(`RESIDENT_END_FAULT);
    end

  generate
    if (Checks != 0) begin : g_checks
      // e and e' change in a few states only.
      logic [2*XW-1:0] were_q;
      logic may_q;
      always_ff @(posedge clk_i) begin
        were_q <= {e_q, next_q};
        may_q  <= !rst_ni || state_q == Idle || state_q == Again || state_q == Close || state_q == Inner;
        bad_o  <= rst_ni & ~may_q & were_q != {e_q, next_q};
      end
    end else begin : g_no_checks
      assign bad_o = 1'b0;
    end
  endgenerate

`ifndef UNWATCHED
  // Clocks without another state and without another pass.
  state_t was_q;
  logic   count_q;
  logic [31:0] stall_q;
  always_ff @(posedge clk_i) begin
    was_q   <= state_q;
    count_q <= inner_count_i[0];
    stall_q <= (!rst_ni || state_q == Idle || state_q != was_q || inner_count_i[0] != count_q) ? '0 : stall_q + 32'd1;
    stalled_o <= rst_ni && busy_o && !stalled_o &&
                 (refuse_late_i || (stall_limit_i != '0 && stall_q >= stall_limit_i));
  end
`else
  assign stalled_o = 1'b0;
  wire unused = &{1'b0, refuse_late_i, stall_limit_i};
`endif
endmodule
`default_nettype wire
