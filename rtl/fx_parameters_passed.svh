    // fx_core's parameters, handed on.
    // Written by rtl/generate.py from rtl/core.toml; edit that and run it again.
    .UW(UW), .UF(UF), .UDown(UDown), .RW(RW), .RF(RF), .RDown(RDown), .PW(PW), .PF(PF), .PDown(PDown), .QW(QW),
    .QF(QF), .QDown(QDown), .CoefW(CoefW), .CoefF(CoefF), .OperandExpW(OperandExpW), .OperandFracW(OperandFracW),
    .OperandRne(OperandRne), .ScalarExpW(ScalarExpW), .ScalarFracW(ScalarFracW), .ScalarRne(ScalarRne), .Lanes(Lanes),
    .CoefMode(CoefMode), .RowSums(RowSums), .RowShift(RowShift), .S0(S0), .S1(S1), .S2(S2), .S3(S3), .S4(S4), .S5(S5),
    .S6(S6), .S7(S7), .S8(S8), .MaxRow(MaxRow), .LenW(LenW), .Style(Style), .DelayRam(DelayRam), .Alone(Alone),
    .Chebyshev(Chebyshev), .Checks(Checks)
