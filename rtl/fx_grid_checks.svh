  // For the body of a top whose matrix is a grid's, after fx_checks.svh.
  `REQUIRE_OF_TOP(g_mode, CoefMode == 0 || CoefMode == 1, "CoefMode must be 0 (streamed weights) or 1 (a constant stencil)")
  `REQUIRE_OF_TOP(g_sums, RowSums == 0 || RowSums == 1, "RowSums must be 0 or 1")
  `REQUIRE_OF_TOP(g_coefficients, CoefW >= 3 && CoefW <= 32, "CoefW must be in 3..32")
  `REQUIRE_OF_TOP(g_row, MaxRow >= 8 && MaxRow >= Lanes && MaxRow <= (1 << 24), "MaxRow must be in 8..2^24, and at least Lanes")
  `REQUIRE_OF_TOP(g_row_fits, LenW > 24 || MaxRow < (1 << LenW), "LenW bits must hold MaxRow, since LENGTH is at least ROW_LENGTH")
  `REQUIRE_OF_TOP(g_stencil, S0 > -(1 << 30) && S0 < (1 << 30) && S1 > -(1 << 30) && S1 < (1 << 30) && S2 > -(1 << 30) && S2 < (1 << 30) &&
           S3 > -(1 << 30) && S3 < (1 << 30) && S4 > -(1 << 30) && S4 < (1 << 30) && S5 > -(1 << 30) && S5 < (1 << 30) &&
           S6 > -(1 << 30) && S6 < (1 << 30) && S7 > -(1 << 30) && S7 < (1 << 30) && S8 > -(1 << 30) && S8 < (1 << 30),
           "S0, S1, S2, S3, S4, S5, S6, S7 and S8 must be below 2^30 in size")
  `REQUIRE_OF_TOP(g_shift, RowShift >= -64 && RowShift <= 64, "RowShift must be in -64..64")
  `REQUIRE_OF_TOP(g_shift_follows, CoefMode != 0 || RowShift == CoefF + PF - QF,
           "with CoefMode 0 RowShift must be CoefF + PF - QF: 16 with the formats' defaults")
  `REQUIRE_OF_TOP(g_chebyshev, Chebyshev == 0 || (Chebyshev >= 8 && Chebyshev <= 4096 && (Chebyshev & (Chebyshev - 1)) == 0),
           "Chebyshev must be 0 or a power of two in 8..4096")
  `REQUIRE_OF_TOP(g_chebyshev_alone, Chebyshev == 0 || Alone == 1, "with Chebyshev a core must be alone (Alone 1)")
  `REQUIRE_OF_TOP(g_alone, Alone == 0 || Alone == 1, "Alone must be 0 or 1")
