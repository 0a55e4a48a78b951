  // Clocks of the sparse core's rows, from a beat to its p', to the sum, and to the words of a slice; after fx_parameters.svh
  // and RowLog. A row's sum has CoefF + PF fraction bits; RowShift means nothing here.
  /* verilator lint_off UNUSEDPARAM */
  localparam integer RowSumW    = CoefW + PW + RowLog; // bits of an exact row sum
  localparam integer RowSumShift = CoefF + PF - QF; // from it to a word of q'
  localparam integer RowGather  = 5;
  localparam integer RowSumAt   = RowGather + `FX_MUL_LATENCY(CoefW - 2, PW);
  localparam integer RowLatency = RowSumAt + 1 + ((RowSumShift > 0 && QDown == 0 && RowSumW > RowSumShift) ? 2 : 1);
  /* verilator lint_on UNUSEDPARAM */
