  // For the body of a module with fx_parameters.svh: how rows are formed with the constants S0..S8, and in how many clocks.
  // fx_row_stencil and fx_row_fluxes say what the forms are.
`include "fx_digits.svh"
  /* verilator lint_off UNUSEDPARAM */
  // S0 is no power of two and divides all: its multiplication comes last, once, and T0..T8 are what is left of the others.
  localparam integer PlanCommon =
    (fx_weighted_latency(fx_abs(S0), 0, 0) > 0 && S1 % fx_abs(S0) == 0 && S2 % fx_abs(S0) == 0 && S3 % fx_abs(S0) == 0 &&
     S4 % fx_abs(S0) == 0 && S5 % fx_abs(S0) == 0 && S6 % fx_abs(S0) == 0 && S7 % fx_abs(S0) == 0 &&
     S8 % fx_abs(S0) == 0) ? fx_abs(S0) : 1;
  localparam integer PlanCommonLatency = fx_weighted_latency(PlanCommon, 0, 0);
  localparam integer T0 = S0 / PlanCommon;
  localparam integer T1 = S1 / PlanCommon;
  localparam integer T2 = S2 / PlanCommon;
  localparam integer T3 = S3 / PlanCommon;
  localparam integer T4 = S4 / PlanCommon;
  localparam integer T5 = S5 / PlanCommon;
  localparam integer T6 = S6 / PlanCommon;
  localparam integer T7 = S7 / PlanCommon;
  localparam integer T8 = S8 / PlanCommon;

  // The eight outer constants are one, which takes several digits: q = T0 box + (T4 - T0) p.
  localparam integer PlanBox = (T1 == T0 && T2 == T0 && T3 == T0 && T5 == T0 && T6 == T0 && T7 == T0 && T8 == T0 &&
                                fx_weighted_latency(fx_abs(T0), 0, 0) > 0 &&
                                T4 - T0 < (1 << 30) && T0 - T4 < (1 << 30)) ? 1 : 0;
  localparam integer PlanOfCentre = (PlanBox == 0) ? 0 : T4 - T0;
  // As they are multiplied, in front of an adder or a subtractor: p's stays negative only where both are.
  localparam integer PlanTimesBox = fx_abs(T0);
  localparam integer PlanTimesCentre = (PlanOfCentre < 0 && T0 >= 0) ? -PlanOfCentre : PlanOfCentre;
  localparam integer PlanCentreLatency = fx_weighted_latency(PlanTimesCentre, 0, 0);
  // Clocks of the box's multiplication; p's begins up to three earlier.
  localparam integer PlanBoxLatency = (fx_weighted_latency(PlanTimesBox, 0, 0) > PlanCentreLatency - 3) ?
                                      fx_weighted_latency(PlanTimesBox, 0, 0) : PlanCentreLatency - 3;

  // Else: the same constants to the south and to the north, whose rows are added first; to the west and to the east.
  localparam integer PlanMirror = (T0 == T6 && T1 == T7 && T2 == T8) ? 1 : 0;
  localparam integer PlanSameSides = (T0 == T2 && T3 == T5 && T6 == T8) ? 1 : 0;
`ifdef LEAN_LANES
  // South and north are added before they are moved by half the lanes, as one: where lane_turn has one register, which then goes
  // after the sum, and with two lanes, whose only move it is.
  localparam integer PlanHalf = (CoefMode == 1 && (Lanes == 2 || `LANE_TURN_LATENCY(Lanes) == 1) &&
                                 (PlanBox != 0 || PlanMirror != 0)) ? 1 : 0;
`endif
  // Columns without a positive digit are formed with the other sign, and subtracted.
  localparam integer PlanFlipWest = (fx_added(T0, T3, T6) == 0) ? -1 : 1;
  localparam integer PlanFlipEast = (fx_added(T2, T5, T8) == 0) ? -1 : 1;
  localparam integer PlanWest = fx_weighted_latency(PlanFlipWest * T0, PlanFlipWest * T3, (PlanMirror != 0) ? 0 : PlanFlipWest * T6);
  localparam integer PlanMiddle = fx_weighted_latency(T1, T4, (PlanMirror != 0) ? 0 : T7);
  localparam integer PlanEast = fx_weighted_latency(PlanFlipEast * T2, PlanFlipEast * T5, (PlanMirror != 0) ? 0 : PlanFlipEast * T8);
  localparam integer PlanColumns = `MAX3(PlanWest, PlanMiddle, PlanEast);
`ifdef LEAN_LANES
  // That move is the choice of the adders after it (fx_pick): each column is one word of the centre, times a power of two, and the
  // outer rows' times one or its negative.
  localparam integer PlanPick = (PlanHalf != 0 && PlanBox == 0 && PlanMirror != 0 && PlanColumns == 1 &&
                                 fx_picks(PlanFlipWest * T0, PlanFlipWest * T3) != 0 && fx_picks(T1, T4) != 0 &&
                                 fx_picks(PlanFlipEast * T2, PlanFlipEast * T5) != 0) ? 1 : 0;
`endif

  // Half a unit is added after the sum, in a clock of its own.
  localparam integer PlanRounds = (RowShift > 0 && QDown == 0) ? 1 : 0;
  localparam integer PlanStencil = ((PlanBox == 0) ? PlanMirror + PlanColumns + 1 : 4 + PlanBoxLatency) +
                                   ((PlanCommon != 1) ? 1 + PlanCommonLatency : 0) + PlanRounds;
  // Fluxes (differences; products) and their sums. With more lanes than one these wait for what comes from the row to the
  // south, since memory and lane_turn take more clocks than the shortest row has tokens.
  localparam integer PlanProducts = 1 + `FX_MUL_LATENCY(PW - 1, CoefW);
  localparam integer PlanWait = (Lanes == 1) ? 0 : 1 + `LANE_TURN_LATENCY(Lanes);
  localparam integer PlanFluxes = PlanProducts + 4 + PlanWait + PlanRounds;

  // From the slot that completes a window to its rows, to the clocks that take weights and row sums, and to q'.
  localparam integer PlanLines = (Lanes == 1) ? 0 : (Lanes == 2) ? 1 : `LANE_TURN_LATENCY(Lanes);
  localparam integer PlanWeightAt = PlanLines + 1;
  localparam integer PlanRowSumAt = PlanLines + 1 + PlanProducts - `FX_MUL_LATENCY(PW - 2, CoefW);
  localparam integer PlanLatency = PlanLines + ((CoefMode == 1) ? PlanStencil : PlanFluxes);
  /* verilator lint_on UNUSEDPARAM */
