  // For the body of fx_cycle: parameters that have no meaning stop the elaboration with the reason.
  `REQUIRE_OF_TOP(g_lanes, Lanes >= 1 && Lanes <= 256 && Lanes <= (1 << MaxLevel) && Lanes == (1 << fx_log2(Lanes)),
           "Lanes must be a power of two in 1..256, since rows of 2^k nodes are whole beats, and at most 2^MaxLevel")
  `REQUIRE_OF_TOP(g_bus, BusWords >= 1 && BusWords <= Lanes && BusWords == (1 << fx_log2(BusWords)),
           "BusWords must be a power of two in 1..Lanes, since a beat of lanes has whole beats of the streams")
  `REQUIRE_OF_TOP(g_words, W >= 4 && W <= 16 && F >= 4 && F <= 24 && E >= 4 && E <= 24, "W must be in 4..16, F and E in 4..24")
  `REQUIRE_OF_TOP(g_guard, Guard >= 0 && Guard <= 8, "Guard must be in 0..8")
  `REQUIRE_OF_TOP(g_steps, Before >= 1 && Before <= 4 && After >= 0 && After <= 4, "Before must be in 1..4, After in 0..4")
  `REQUIRE_OF_TOP(g_weights, M0 > 0 && M0 < 512 && M1 > 0 && M1 < 512 && M2 > 0 && M2 < 512 && M3 > 0 && M3 < 512 &&
           N0 > 0 && N0 < 512 && N1 > 0 && N1 < 512 && N2 > 0 && N2 < 512 && N3 > 0 && N3 < 512, "weights M0, M1, M2, M3, N0, N1, N2 and N3 must be in 1..511")
  `REQUIRE_OF_TOP(g_points, Phi >= -16 && Phi <= 24 && S0 >= 9 && S0 <= 30 && (Before < 2 || (S1 >= 9 && S1 <= 30)) &&
           (Before < 3 || (S2 >= 9 && S2 <= 30)) && (Before < 4 || (S3 >= 9 && S3 <= 30)), "Phi must be in -16..24, and S0, S1, S2 and S3, of steps that are, in 9..30")
  `REQUIRE_OF_TOP(g_points_after, (After < 1 || (T0 >= 9 && T0 <= 30)) && (After < 2 || (T1 >= 9 && T1 <= 30)) &&
           (After < 3 || (T2 >= 9 && T2 <= 30)) && (After < 4 || (T3 >= 9 && T3 <= 30)), "T0, T1, T2 and T3, of steps that are, must be in 9..30")
  `REQUIRE_OF_TOP(g_levels, MaxLevel >= 2 && MaxLevel <= 14 && StoredLevel >= 2 && StoredLevel <= MaxLevel,
           "MaxLevel must be in 2..14, and StoredLevel in 2..MaxLevel")
  `REQUIRE_OF_TOP(g_outer, DW >= 32 && DW <= 64 && UW >= 32 && UW <= 64, "DW and UW must be in 32..64")
  `REQUIRE_OF_TOP(g_checked, Checks == 0 || (Checks == 1 && Cores == 1), "Checks must be 0 or 1, and 0 where several cores share a grid")
  `REQUIRE_OF_TOP(g_cores, Cores >= 1 && Cores <= 16 && Core >= 0 && Core < Cores && (Cores == 1 || StoredLevel >= SplitLevel),
           "Cores must be in 1..16, Core below it, and StoredLevel one that rows are shared out on: each core has more than a halo of them")
  `REQUIRE_OF_TOP(g_stencil, Centre > 0 && Centre == -8 * Corner && East + North == 2 * Corner && Centre <= 512,
           "the stencil must be one that bilinear interpolation reproduces: Centre = -8 Corner, East + North = 2 Corner")
  `REQUIRE_OF_TOP(g_inverse, Z >= 32768 && Z <= 65536 && ZC >= 0 && ZC <= 30,
           "Z must be the inverse of Centre, 32768..65536, and ZC its point, 0..30")
