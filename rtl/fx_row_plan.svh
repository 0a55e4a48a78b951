  // For the body of a module with fx_parameters.svh: how rows are formed with the constants S0..S8, and in how many clocks.
  // fx_row_stencil and fx_row_fluxes say what the forms are.
`include "fx_digits.svh"
  /* verilator lint_off UNUSEDPARAM */
  // The eight outer constants are one: q = S0 box + (S4 - S0) p.
  localparam integer PlanBox = (S1 == S0 && S2 == S0 && S3 == S0 && S5 == S0 && S6 == S0 && S7 == S0 && S8 == S0 &&
                                S4 - S0 < (1 << 30) && S0 - S4 < (1 << 30)) ? 1 : 0;
  // S0 is no power of two and divides S4 - S0: its multiplication comes last, once.
  localparam integer PlanCommon =
    (PlanBox != 0 && fx_weighted_latency(fx_abs(S0), 0, 0) > 0 && (S4 - S0) % ((S0 == 0) ? 1 : S0) == 0) ? 1 : 0;
  localparam integer PlanOfBox = (PlanCommon == 0) ? S0 : (S0 < 0) ? -1 : 1;
  localparam integer PlanOfCentre = (PlanBox == 0) ? 0 : (PlanCommon == 0) ? S4 - S0 : (S4 - S0) / fx_abs(S0);
  // As they are multiplied, in front of an adder or a subtractor: p's stays negative only where both are.
  localparam integer PlanTimesBox = fx_abs(PlanOfBox);
  localparam integer PlanTimesCentre = (PlanOfCentre < 0 && PlanOfBox >= 0) ? -PlanOfCentre : PlanOfCentre;
  localparam integer PlanCentreLatency = fx_weighted_latency(PlanTimesCentre, 0, 0);
  // Clocks of the box's multiplication; p's begins up to three earlier.
  localparam integer PlanBoxLatency = (fx_weighted_latency(PlanTimesBox, 0, 0) > PlanCentreLatency - 3) ?
                                      fx_weighted_latency(PlanTimesBox, 0, 0) : PlanCentreLatency - 3;
  localparam integer PlanCommonLatency = (PlanCommon == 0) ? 0 : fx_weighted_latency(fx_abs(S0), 0, 0);

  // Else: the same constants to the south and to the north, whose rows are added first; to the west and to the east.
  localparam integer PlanMirror = (S0 == S6 && S1 == S7 && S2 == S8) ? 1 : 0;
  localparam integer PlanSameSides = (S0 == S2 && S3 == S5 && S6 == S8) ? 1 : 0;
  localparam integer PlanWest = fx_weighted_latency(S0, S3, (PlanMirror != 0) ? 0 : S6);
  localparam integer PlanMiddle = fx_weighted_latency(S1, S4, (PlanMirror != 0) ? 0 : S7);
  localparam integer PlanEast = fx_weighted_latency(S2, S5, (PlanMirror != 0) ? 0 : S8);
  localparam integer PlanColumns = `MAX3(PlanWest, PlanMiddle, PlanEast);

  // Half a unit is added behind the sum, in a clock of its own.
  localparam integer PlanRounds = (RowShift > 0 && QDown == 0) ? 1 : 0;
  localparam integer PlanStencil =
    ((PlanBox == 0) ? PlanMirror + PlanColumns + 2 : 4 + PlanBoxLatency + ((PlanCommon != 0) ? 1 + PlanCommonLatency : 0)) +
    PlanRounds;
  // Fluxes (differences; products) and their sums. With more lanes than one these wait for what comes from the row to the
  // south, since memory and lane_turn take more clocks than the shortest row has tokens.
  localparam integer PlanProducts = 1 + `FX_MUL_LATENCY(PW - 1, CoefW);
  localparam integer PlanWait = (Lanes == 1) ? 0 : 1 + `LANE_TURN_LATENCY(Lanes);
  localparam integer PlanFluxes = PlanProducts + 4 + PlanWait + PlanRounds;

  // From the slot that completes a window to its rows, to the clocks that take weights and row sums, and to q'.
  localparam integer PlanLines = (Lanes == 1) ? 0 : `LANE_TURN_LATENCY(Lanes) + ((CoefMode == 1) ? 3 : 0);
  localparam integer PlanWeightAt = PlanLines + 1;
  localparam integer PlanRowSumAt = PlanLines + 1 + PlanProducts - `FX_MUL_LATENCY(PW - 2, CoefW);
  localparam integer PlanLatency = PlanLines + ((CoefMode == 1) ? PlanStencil : PlanFluxes);
  /* verilator lint_on UNUSEDPARAM */
