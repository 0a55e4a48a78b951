  // For the body of a module with cycle_parameters.svh: how large the words of a level can become, so that no adder is longer
  // than its sum, and words that cannot be too long are not cut.
`include "fx_digits.svh"
  /* verilator lint_off UNUSEDPARAM */
  localparam integer RowSum = fx_abs(Centre) + 2 * fx_abs(East) + 2 * fx_abs(North) + 4 * fx_abs(Corner);
  localparam integer SumLog = fx_log2(RowSum);
  localparam integer H = W + Guard + 6; // bits of r inside a level
  // Bits of e inside a level, the steps after included.
  localparam integer EW = ((30 - SumLog > 26) ? 26 : (30 - SumLog < 16) ? 16 : 30 - SumLog) + 1;
  // Nodes come in beats of Lanes, a row of a level in whole beats, those beyond its end dead: 2^cy_row_log of them. Long rows wait in
  // block memories, which want four beats; short ones, with several lanes, in memories of LUTs, which want two.
  localparam integer LaneLog  = fx_log2(Lanes);
  localparam integer Deep     = (Lanes == 1 || (1 << MaxLevel) > 32 * Lanes) ? 1 : 0;
  localparam integer LeastLog = (Lanes == 1) ? 0 : (Deep != 0) ? 2 : 1;
  localparam integer RowMost  = 1 << cy_row_log(MaxLevel); // beats of a row
  localparam integer LengthW  = $clog2(RowMost + 1);
  localparam integer RowAtW   = $clog2(RowMost);
  localparam integer AW = 2 * MaxLevel + 1;   // of an address of the vectors that all levels have

  function automatic integer cy_row_log(input integer level);
    cy_row_log = (level - LaneLog > LeastLog) ? level - LaneLog : LeastLog;
  endfunction
  function automatic integer cy_beats_log(input integer level); // of all rows; strictly increasing
    cy_beats_log = level + cy_row_log(level);
  endfunction
  function automatic integer cy_level_of(input integer log); // the level of 2^log beats, -1 if none has
    integer k; // (Icarus takes no loop's own variable for a constant)
    begin
      cy_level_of = -1;
      for (k = 0; k <= MaxLevel; k = k + 1) if (cy_beats_log(k) == log) cy_level_of = k;
    end
  endfunction
  function automatic integer cy_rest(input integer level); // beats of the levels below
    integer k;
    begin
      cy_rest = 0;
      for (k = 0; k < level; k = k + 1) cy_rest = cy_rest + (1 << cy_beats_log(k));
    end
  endfunction
  function automatic integer cy_weight(input integer k);
    cy_weight = (k == 0) ? M0 : (k == 1) ? M1 : (k == 2) ? M2 : M3;
  endfunction
  function automatic integer cy_point(input integer k);
    cy_point = (k == 0) ? S0 : (k == 1) ? S1 : (k == 2) ? S2 : S3;
  endfunction
  function automatic integer cy_weight_after(input integer k);
    cy_weight_after = (k == 0) ? N0 : (k == 1) ? N1 : (k == 2) ? N2 : N3;
  endfunction
  function automatic integer cy_point_after(input integer k);
    cy_point_after = (k == 0) ? T0 : (k == 1) ? T1 : (k == 2) ? T2 : T3;
  endfunction
  // The point where r, of point q, and A g meet: no bit of them is lost, nor one of their difference's point.
  function automatic integer cy_common(input integer q);
    integer most;
    begin
      most = (Phi > q) ? Phi : q;
      cy_common = (most > Guard) ? most : Guard;
    end
  endfunction
  function automatic [63:0] cy_capped(input [63:0] x, input integer bits);
    logic [63:0] most;
    begin
      most = (64'd1 << (bits - 1)) - 64'd1;
      cy_capped = (x > most) ? most : x;
    end
  endfunction
  function automatic [63:0] cy_half(input [63:0] x, input integer s);
    cy_half = (s > 0) ? ((x >> (s - 1)) + 64'd1) >> 1 : x << (-s);
  endfunction
  // The largest magnitude at step k on the way down. which: 0 r as it enters the step, 1 g, 2 f after it; 3, 4, 5: g, f and
  // the step's r before they are cut.
  function automatic [63:0] cy_most(input integer k, input integer which);
    logic [63:0] r, f, g, whole, sum, rest, weight, rows;
    integer q, down, significand, s; // (s here: Icarus takes no loop's own variable for a constant)
    begin
      r = (64'd1 << (W - 1)) - 64'd1;
      f = '0;
      cy_most = '0;
      rows = {32'd0, RowSum};
      for (s = 0; s <= k; s = s + 1) begin
        q = (s == 0) ? 0 : Guard;
        significand = cy_weight(s);
        weight = {32'd0, significand};
        whole = cy_half(r * weight, cy_point(s) + q - Phi);
        g = cy_capped(whole, F);
        sum = f + g;
        f = cy_capped(sum, F);
        rest = (r << (cy_common(q) - q)) + ((g * rows) << (cy_common(q) - Phi));
        down = cy_common(q) - Guard;
        rest = cy_half(rest, down);
        if (s == k)
          cy_most = (which == 0) ? r : (which == 1) ? g : (which == 2) ? f : (which == 3) ? whole : (which == 4) ? sum : rest;
        r = cy_capped(rest, H);
      end
    end
  endfunction
  // Bits of a signed word of at most that magnitude.
  function automatic integer cy_bits(input [63:0] most);
    begin
      cy_bits = 2;
      for (int k = 1; k < 62; k = k + 1) if (most[k]) cy_bits = k + 2;
    end
  endfunction
  function automatic integer cy_max(input integer a, input integer b);
    cy_max = (a > b) ? a : b;
  endfunction
  // Of the weighted columns in cy_window, for A and for -A.
  function automatic integer cy_window_latency(input integer centre, input integer east, input integer north,
                                               input integer corner);
    integer a, b;
    begin
      a = cy_max(fx_weighted_latency(north, centre, 0), fx_weighted_latency(-north, -centre, 0));
      b = (east < 0 || corner < 0) ? fx_weighted_latency(-corner, -east, 0) : fx_weighted_latency(corner, east, 0);
      if (east * corner < 0) b = cy_max(fx_weighted_latency(corner, east, 0), fx_weighted_latency(-corner, -east, 0));
      cy_window_latency = cy_max(a, b);
    end
  endfunction
  localparam integer LastW = cy_bits(cy_capped(cy_most(Before - 1, 5), H)); // of r after the last step,
  localparam integer TW = LastW + 4;                                       // of t,
  localparam integer WordW = cy_max(cy_max(TW, EW), W + 16);                // and of t and e in memory
  localparam integer WindowLatency = cy_window_latency(Centre, East, North, Corner);
  /* verilator lint_on UNUSEDPARAM */
