  // For the body of a module with cycle_parameters.svh: which rows of each level one of several cores has. Rows are shared out by
  // blocks, 2^CutLog of them on a level, the same ones on every level, so that what is restricted stays where it is. A slab is a core's own
  // rows and Halo rows of its neighbours at either end, of which the outermost become wrong in a sweep and its own do not. Levels of
  // few rows are whole in every core.
  /* verilator lint_off UNUSEDPARAM */
  // (Eight and more blocks a core, where they are not alike, so that the largest slab has few rows more than others.)
  localparam integer CutLog  = (Cores < 2) ? 0 : ((1 << $clog2(Cores)) == Cores) ? $clog2(Cores) : $clog2(Cores) + 3;
  // Each smoothing step and the correction, and what is restricted, reach a row further, and the first row counts as an edge.
  localparam integer Reach   = ((Before + After > Before + 1) ? Before + After : Before + 1) + 1;
  localparam integer HaloLog = (Reach <= 4) ? 2 : (Reach <= 8) ? 3 : 4;
  localparam integer Halo    = 1 << HaloLog;
  localparam integer SplitLevel = cy_split(0); // the least level of slabs

  // A slab's own rows are not fewer than a halo, and begin with an even one.
  function automatic integer cy_split(input integer unused);
    integer k;
    begin
      cy_split = CutLog + 1 + unused;
      for (k = 0; k < 5; k = k + 1)
        if (Cores > 1 && (((1 << CutLog) / Cores) << (cy_split - CutLog)) < Halo) cy_split = cy_split + 1;
    end
  endfunction
  function automatic integer cy_first(input integer core, input integer level); // a core's own rows begin here,
    cy_first = (level < CutLog) ? (core == 0 ? 0 : 1 << level) : ((core << CutLog) / Cores) << (level - CutLog);
  endfunction
  function automatic integer cy_low(input integer core, input integer level); // and its slab here
    cy_low = (Cores == 1 || level < SplitLevel || core == 0) ? 0 : cy_first(core, level) - Halo;
  endfunction
  function automatic integer cy_slab_rows(input integer core, input integer level);
    cy_slab_rows = (Cores == 1 || level < SplitLevel || core == Cores - 1) ? (1 << level) - cy_low(core, level) :
                   cy_first(core + 1, level) + Halo - cy_low(core, level);
  endfunction
  function automatic integer cy_slab(input integer core, input integer level); // beats of a slab,
    cy_slab = cy_slab_rows(core, level) << cy_row_log(level);
  endfunction
  function automatic integer cy_finest(input integer core); // of the finest level: one that is whole can have more than a slab of the next
    integer k;
    begin
      cy_finest = 0;
      for (k = 0; k <= StoredLevel; k = k + 1) if (cy_slab(core, k) > cy_finest) cy_finest = cy_slab(core, k);
    end
  endfunction
  function automatic integer cy_own(input integer core, input integer level, input integer ends); // and of those before its own, or to their end
    cy_own = (cy_first(core + ends, level) - cy_low(core, level)) << cy_row_log(level);
  endfunction
  function automatic integer cy_slab_base(input integer core, input integer level); // of its words among those of all levels but the finest
    integer k;
    begin
      cy_slab_base = 0;
      for (k = level + 1; k < StoredLevel; k = k + 1) cy_slab_base = cy_slab_base + cy_slab(core, k);
    end
  endfunction
  /* verilator lint_on UNUSEDPARAM */
