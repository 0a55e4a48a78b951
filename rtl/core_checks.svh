  // For the body of a top with core_parameters.svh: parameters that have no meaning stop elaboration with the reason.
  `REQUIRE_OF_TOP(g_u, UExpW >= 2 && UExpW <= 11 && UFracW >= 2 && UFracW <= 52,
           "UExpW must be in 2..11 and UFracW in 2..52")
  `REQUIRE_OF_TOP(g_r, RExpW >= 2 && RExpW <= 11 && RFracW >= 2 && RFracW <= 52,
           "RExpW must be in 2..11 and RFracW in 2..52")
  `REQUIRE_OF_TOP(g_p, PExpW >= 2 && PExpW <= 11 && PFracW >= 2 && PFracW <= 52,
           "PExpW must be in 2..11 and PFracW in 2..52")
  `REQUIRE_OF_TOP(g_q, QExpW >= 2 && QExpW <= 11 && QFracW >= 2 && QFracW <= 52,
           "QExpW must be in 2..11 and QFracW in 2..52")
  `REQUIRE_OF_TOP(g_coef, CoefExpW >= 2 && CoefExpW <= 11 && CoefFracW >= 2 && CoefFracW <= 52,
           "CoefExpW must be in 2..11 and CoefFracW in 2..52")
  `REQUIRE_OF_TOP(g_operand, OperandExpW >= 2 && OperandExpW <= 11 && OperandFracW >= 2 && OperandFracW <= 52,
           "OperandExpW must be in 2..11 and OperandFracW in 2..52")
  `REQUIRE_OF_TOP(g_row, RowExpW >= 2 && RowExpW <= 11 && RowFracW >= 2 && RowFracW <= 52,
           "RowExpW must be in 2..11 and RowFracW in 2..52")
  `REQUIRE_OF_TOP(g_term, TermExpW >= 2 && TermExpW <= 11 && TermFracW >= 2 && TermFracW <= 52,
           "TermExpW must be in 2..11 and TermFracW in 2..52")
  `REQUIRE_OF_TOP(g_sum, SumExpW >= 2 && SumExpW <= 11 && SumFracW >= 2 && SumFracW <= 52,
           "SumExpW must be in 2..11 and SumFracW in 2..52")
  `REQUIRE_OF_TOP(g_scalar, ScalarExpW >= 2 && ScalarExpW <= 11 && ScalarFracW >= 2 && ScalarFracW <= 52,
           "ScalarExpW must be in 2..11 and ScalarFracW in 2..52")
  `REQUIRE_OF_TOP(g_u_rne, URne == 0 || URne == 1, "URne must be 0 (toward zero) or 1 (nearest-even)")
  `REQUIRE_OF_TOP(g_r_rne, RRne == 0 || RRne == 1, "RRne must be 0 (toward zero) or 1 (nearest-even)")
  `REQUIRE_OF_TOP(g_p_rne, PRne == 0 || PRne == 1, "PRne must be 0 (toward zero) or 1 (nearest-even)")
  `REQUIRE_OF_TOP(g_q_rne, QRne == 0 || QRne == 1, "QRne must be 0 (toward zero) or 1 (nearest-even)")
  `REQUIRE_OF_TOP(g_operand_rne, OperandRne == 0 || OperandRne == 1, "OperandRne must be 0 (toward zero) or 1 (nearest-even)")
  `REQUIRE_OF_TOP(g_row_rne, RowRne == 0 || RowRne == 1, "RowRne must be 0 (toward zero) or 1 (nearest-even)")
  `REQUIRE_OF_TOP(g_term_rne, TermRne == 0 || TermRne == 1, "TermRne must be 0 (toward zero) or 1 (nearest-even)")
  `REQUIRE_OF_TOP(g_sum_rne, SumRne == 0 || SumRne == 1, "SumRne must be 0 (toward zero) or 1 (nearest-even)")
  `REQUIRE_OF_TOP(g_scalar_rne, ScalarRne == 0 || ScalarRne == 1, "ScalarRne must be 0 (toward zero) or 1 (nearest-even)")
  `REQUIRE_OF_TOP(g_lanes, Lanes == 1 || Lanes == 2 || Lanes == 4, "Lanes must be 1, 2 or 4")
  `REQUIRE_OF_TOP(g_mode, CoefMode >= 0 && CoefMode <= 2, "CoefMode must be 0, 1 or 2")
  `REQUIRE_OF_TOP(g_order, Order >= 0 && Order <= 3, "Order must be 0, 1, 2 or 3")
  `REQUIRE_OF_TOP(g_order_mode, Order != 3 || CoefMode == 1, "with Order 3 (second differences) CoefMode must be 1")
  `REQUIRE_OF_TOP(g_sums, RowSums == 0 || (RowSums == 1 && Order >= 2), "RowSums must be 0, or 1 with Order 2 or 3")
  `REQUIRE_OF_TOP(g_times, (TimesAlpha == 0 || TimesAlpha * TimesAlpha == 1 || TimesAlpha * TimesAlpha == 9) &&
           (TimesBeta == 0 || TimesBeta * TimesBeta == 1 || TimesBeta * TimesBeta == 9) &&
           (TimesGamma == 0 || TimesGamma * TimesGamma == 1 || TimesGamma * TimesGamma == 9),
           "TimesAlpha, TimesBeta and TimesGamma must be 0, 1, -1, 3 or -3")
  `REQUIRE_OF_TOP(g_dots, (Fixed == 0 || Fixed == 1) && (Exact == 0 || Exact == 1), "Fixed and Exact must be 0 or 1")
  `REQUIRE_OF_TOP(g_depth, Fixed == 1 || (Depth >= 8 && Depth <= 1024 && (Depth & (Depth - 1)) == 0),
           "Depth must be a power of two in 8..1024")
  `REQUIRE_OF_TOP(g_window, Fixed == 0 || (Msb > Lsb && Msb - Lsb < 64), "Msb and Lsb: a window has 2 to 64 bits")
  `REQUIRE_OF_TOP(g_guard, GuardW >= 1 && GuardW <= 32, "GuardW must be in 1..32")
  `REQUIRE_OF_TOP(g_row_length, MaxRow >= 8 && MaxRow <= (1 << 24), "MaxRow must be in 8..2^24")
  `REQUIRE_OF_TOP(g_length, LenW >= 4 && LenW <= 32, "LenW must be in 4..32")
  `REQUIRE_OF_TOP(g_row_fits, LenW > 24 || MaxRow < (1 << LenW), "LenW bits must hold MaxRow, since LENGTH is at least ROW_LENGTH")
  `REQUIRE_OF_TOP(g_style, Style >= 0 && Style <= 2, "Style must be 0, 1 or 2")
  `REQUIRE_OF_TOP(g_stages, AddStages == 6 || AddStages == 4, "AddStages must be 6 or 4")
  `REQUIRE_OF_TOP(g_chebyshev, Chebyshev == 0 || (Chebyshev >= 8 && Chebyshev <= 4096 && (Chebyshev & (Chebyshev - 1)) == 0),
           "Chebyshev must be 0 or a power of two in 8..4096")
  `REQUIRE_OF_TOP(g_delay, DelayRam == 0 || DelayRam == 1, "DelayRam must be 0 or 1")
