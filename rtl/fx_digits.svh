  // For the body of a module: constants in canonical signed digits, as masks. With t = 3 |c|, the digits that are 1 are
  // (t & ~|c|) / 2 and those that are -1 (|c| & ~t) / 2, no two of them next to each other. |c| < 2^30.
  /* verilator lint_off VARHIDDEN */ // of a core in a generate loop (fx_cores) Verilator sees its parts' functions inside its own
  function automatic integer fx_abs(input integer c);
    fx_abs = (c < 0) ? -c : c;
  endfunction
  function automatic [31:0] fx_digits(input integer c, input integer negative); // bit k: 2^k, or -2^k, is in c
    logic [31:0] a, t;
    begin
      a = fx_abs(c);
      t = a + (a << 1);
      fx_digits = (((c < 0) != (negative != 0)) ? a & ~t : t & ~a) >> 1;
    end
  endfunction
  function automatic integer fx_ones(input [31:0] bits);
    begin
      fx_ones = 0;
      for (int k = 0; k < 32; k = k + 1) if (bits[k]) fx_ones = fx_ones + 1;
    end
  endfunction
  function automatic integer fx_log2(input integer n); // upwards; of 0: 0
    begin
      fx_log2 = 0;
      for (int k = 0; k < 31; k = k + 1) if (n > (1 << k)) fx_log2 = k + 1;
    end
  endfunction
  function automatic integer fx_added(input integer c0, input integer c1, input integer c2); // digits that are 1
    fx_added = fx_ones(fx_digits(c0, 0)) + fx_ones(fx_digits(c1, 0)) + fx_ones(fx_digits(c2, 0));
  endfunction
  function automatic integer fx_taken(input integer c0, input integer c1, input integer c2); // digits that are -1
    fx_taken = fx_ones(fx_digits(c0, 1)) + fx_ones(fx_digits(c1, 1)) + fx_ones(fx_digits(c2, 1));
  endfunction
  // Clocks of fx_weighted: a tree for each sign, and their difference.
  function automatic integer fx_weighted_latency(input integer c0, input integer c1, input integer c2);
    integer added, taken;
    begin
      added = fx_log2(fx_added(c0, c1, c2));
      taken = fx_log2(fx_taken(c0, c1, c2));
      fx_weighted_latency = ((added > taken) ? added : taken) + ((fx_taken(c0, c1, c2) > 0) ? 1 : 0);
    end
  endfunction
`ifdef LEAN_LANES
  // Whether fx_pick forms c0 x + c1 y.
  function automatic integer fx_picks(input integer c0, input integer c1);
    fx_picks = ((fx_abs(c0) & (fx_abs(c0) - 1)) == 0 && c0 != 0 && c1 >= 0 && (c1 & (c1 - 1)) == 0) ? 1 : 0;
  endfunction
`endif
  /* verilator lint_on VARHIDDEN */
