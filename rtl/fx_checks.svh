  // For the body of a top with fx_parameters.svh: parameters that have no meaning stop elaboration with the reason.
  `REQUIRE_OF_TOP(g_lanes, Lanes >= 1 && Lanes <= 64 && (Lanes & (Lanes - 1)) == 0, "Lanes must be 1, 2, 4, 8, 16, 32 or 64")
  `REQUIRE_OF_TOP(g_words, UW >= 3 && UW <= 53 && RW >= 3 && RW <= 32 && PW >= 3 && PW <= 32 && QW >= 3 && QW <= 32,
           "UW must be in 3..53, and RW, PW and QW in 3..32")
  `REQUIRE_OF_TOP(g_fractions, UF >= -99 && UF <= 99 && RF >= -99 && RF <= 99 && PF >= -99 && PF <= 99 && QF >= -99 && QF <= 99 &&
           CoefF >= -99 && CoefF <= 99, "UF, RF, PF, QF and CoefF must be in -99..99")
  `REQUIRE_OF_TOP(g_down, (UDown == 0 || UDown == 1) && (RDown == 0 || RDown == 1) && (PDown == 0 || PDown == 1) &&
           (QDown == 0 || QDown == 1), "UDown, RDown, PDown and QDown must be 0 (to nearest) or 1 (down)")
  `REQUIRE_OF_TOP(g_operand, OperandExpW >= 2 && OperandExpW <= 11 && OperandFracW >= 2 && OperandFracW <= 52,
           "OperandExpW must be in 2..11 and OperandFracW in 2..52")
  `REQUIRE_OF_TOP(g_scalar, ScalarExpW >= 2 && ScalarExpW <= 11 && ScalarFracW >= 2 && ScalarFracW <= 52,
           "ScalarExpW must be in 2..11 and ScalarFracW in 2..52")
  `REQUIRE_OF_TOP(g_rne, (OperandRne == 0 || OperandRne == 1) && (ScalarRne == 0 || ScalarRne == 1),
           "OperandRne and ScalarRne must be 0 (toward zero) or 1 (nearest-even)")
  `REQUIRE_OF_TOP(g_style, Style >= 0 && Style <= 2, "Style must be 0, 1 or 2")
  `REQUIRE_OF_TOP(g_delay, DelayRam == 0 || DelayRam == 1, "DelayRam must be 0 or 1")
  `REQUIRE_OF_TOP(g_length, LenW >= 4 && LenW <= 32, "LenW must be in 4..32")
