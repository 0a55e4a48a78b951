    .Lanes(Lanes), .BusWords(BusWords), .W(W), .F(F), .E(E), .Guard(Guard), .Phi(Phi), .Before(Before), .After(After), .M0(M0), .S0(S0), .M1(M1), .S1(S1),
    .M2(M2), .S2(S2), .M3(M3), .S3(S3), .N0(N0), .T0(T0), .N1(N1), .T1(T1), .N2(N2), .T2(T2), .N3(N3), .T3(T3),
    .Centre(Centre), .East(East), .North(North), .Corner(Corner), .Z(Z), .ZC(ZC), .MaxLevel(MaxLevel),
    .StoredLevel(StoredLevel), .DW(DW), .UW(UW), .Cores(Cores), .Core(Core), .Checks(Checks)
