    // pcg_core's parameters, handed on.
    // Written by rtl/generate.py from rtl/core.toml; edit that and run it again.
    .UExpW(UExpW), .UFracW(UFracW), .URne(URne), .RExpW(RExpW), .RFracW(RFracW), .RRne(RRne), .PExpW(PExpW),
    .PFracW(PFracW), .PRne(PRne), .QExpW(QExpW), .QFracW(QFracW), .QRne(QRne), .CoefExpW(CoefExpW),
    .CoefFracW(CoefFracW), .OperandExpW(OperandExpW), .OperandFracW(OperandFracW), .OperandRne(OperandRne),
    .RowExpW(RowExpW), .RowFracW(RowFracW), .RowRne(RowRne), .Order(Order), .RowSums(RowSums),
    .TimesAlpha(TimesAlpha), .TimesBeta(TimesBeta), .TimesGamma(TimesGamma), .Fixed(Fixed), .Exact(Exact),
    .TermExpW(TermExpW), .TermFracW(TermFracW), .TermRne(TermRne), .SumExpW(SumExpW), .SumFracW(SumFracW),
    .SumRne(SumRne), .Depth(Depth), .Msb(Msb), .Lsb(Lsb), .GuardW(GuardW), .ScalarExpW(ScalarExpW),
    .ScalarFracW(ScalarFracW), .ScalarRne(ScalarRne), .Lanes(Lanes), .CoefMode(CoefMode), .MaxRow(MaxRow),
    .LenW(LenW), .Style(Style), .AddStages(AddStages), .DelayRam(DelayRam), .Chebyshev(Chebyshev)
