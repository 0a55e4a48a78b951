  // Residues modulo 3, for the body of a module: a digit is two bits, of which 3 stands for 0 too; what leaves a function is
  // 0, 1 or 2. A bit that turns over changes a word by a power of two, which 3 does not divide.
  /* verilator lint_off UNUSEDSIGNAL */
  /* verilator lint_off VARHIDDEN */ // of modules that Verilator inlines into each other
  function automatic [1:0] mod3_add(input [1:0] a, input [1:0] b);
    localparam [31:0] Sums = {2'd0, 2'd2, 2'd1, 2'd0, 2'd2, 2'd1, 2'd0, 2'd2, 2'd1, 2'd0, 2'd2, 2'd1, 2'd0, 2'd2, 2'd1, 2'd0};
    mod3_add = Sums[{a, b, 1'b0} +: 2];
  endfunction
  function automatic [1:0] mod3_times(input [1:0] a, input [1:0] b);
    localparam [31:0] Products = {8'd0, 2'd0, 2'd1, 2'd2, 2'd0, 2'd0, 2'd2, 2'd1, 2'd0, 8'd0};
    mod3_times = Products[{a, b, 1'b0} +: 2];
  endfunction
  function automatic [1:0] mod3_minus(input [1:0] a); // -a
    mod3_minus = {a[0] & ~a[1], a[1] & ~a[0]};
  endfunction
  function automatic [1:0] mod3_of(input integer k); // a constant's
    mod3_of = 2'(((k % 3) + 3) % 3);
  endfunction
  function automatic [1:0] mod3_shifted(input [1:0] a, input integer by); // a 2^by, by below zero too: a / 2 is 2 a
    mod3_shifted = (by % 2 != 0) ? mod3_minus(a) : {a[1] & ~a[0], a[0] & ~a[1]};
  endfunction
  /* verilator lint_on VARHIDDEN */
  /* verilator lint_on UNUSEDSIGNAL */
