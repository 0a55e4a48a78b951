// Every class of wrong request: exit code 2, nothing on standard output, one short line on standard error that names
// what is wrong, and nothing written.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "program.hpp"

namespace {

constexpr std::size_t kLongestLine = 1000;

struct Case {
    std::string arguments;
    std::vector<std::string> parts; ///< of the line
    std::string before = {};        ///< variables
};

void refuse(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        const Outcome o = run(c.arguments, c.before);
        const std::string what = c.before + " mantissa " + c.arguments.substr(0, 200) + ": " + o.err.substr(0, 2000);
        EXPECT_EQ(o.code, 2) << what;
        EXPECT_EQ(o.out, "") << what;
        EXPECT_TRUE(o.err.starts_with("mantissa: ")) << what;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << what;
        EXPECT_LE(o.err.size(), kLongestLine) << what;
        for (const std::string& part : c.parts)
            EXPECT_NE(o.err.find(part), std::string::npos) << part << " in " << what;
    }
}

const std::string kSmall = "solve --threads 1 --problem poisson2d:level=3 ";
const std::string kSimulate = "simulate --problem poisson2d:level=3 ";

/// Options that are of another one, or of nothing here.
TEST(BadInput, WhatHasNoEffectIsRefused) {
    const Scratch scratch;
    const std::string matrix = scratch.write("m.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n"
                                                      "1 1 2\n2 2 2\n"),
                      grid = "--problem poisson2d:level=3 ", dense = "solve --dense n=8 ";
    for (const auto& [line, part] : std::vector<std::pair<std::string, std::string>>{
             {"upset " + grid + "--bound", "--bound: an upset is judged"},
             {"simulate " + grid + "--window 5:1", "--window: it is the clocks of a trace"},
             {"simulate " + grid + "--seed 3", "--seed: it is of random stalls"},
             {dense + "--refine ir --gmres-steps 3", "gmres-steps: refinement by ir has no GMRES"},
             {dense + "--refine ir --gmres-tolerance 1e-3", "gmres-tolerance: refinement by ir"},
             {dense + "--refine none --refine-steps 3", "refine-steps: without refinement"},
             {"solve " + grid + "--spec fx18.16 --parts 2 --cut rcm", "--cut rcm: a grid is cut in strips"},
             {"solve --problem mtx:" + matrix + ",seed=3", "seed= is of rhs=random"},
             {"tune " + grid + "--device xc2v8000 --fix word=8 --budget 1s --store " + scratch.path("t.sqlite"),
              "--fix word=8 on device 'xc2v8000': no areas of cycle cores on xc2v"}}) {
        const Outcome o = run(line);
        EXPECT_EQ(o.code, 2) << line;
        EXPECT_NE(o.err.find(part), std::string::npos) << line << ": " << o.err;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    }
}

/// Of the commands of meshes, at the options' default values too, and before the mesh is read.
TEST(BadInput, WhatHasNoEffectOnMeshesIsRefused) {
    const std::string smooth = "smooth absent.obj -o out.obj ", map = "parameterize absent.obj -o out.obj ";
    refuse(
        {{smooth + "--inner 25", {"inner: scheme jacobi-pcg has no inner solves"}},
         {map + "--inner 25", {"inner: scheme jacobi-pcg has no inner solves"}},
         {map + "--inner 5 --scheme bicgstab", {"inner: scheme bicgstab has no inner solves"}},
         {map + "--inner 5 --scheme multilevel-pcg", {"--inner: scheme multilevel-pcg has no inner solves"}},
         {smooth + "--seed 1", {"--seed: it is of the noise"}},
         {smooth + "--seed 1 --noise 0", {"--seed: it is of the noise"}},
         {smooth + "--scheme direct --format fx18.16", {"scheme direct on fx18.16: fixed-point words want an outer"}},
         {smooth + "--inner 25 --scheme residual-guided", {"absent.obj"}},
         {smooth + "--seed 1 --noise 0.1", {"absent.obj"}}});
}

/// What says less than it seems to, or contradicts itself.
TEST(BadInput, WhatHasNoEffectElsewhereIsRefused) {
    const std::string flow = "flow --cells 2x2 --unknowns 32 --bubbles 4 --steps 1 ", smooth = "smooth a.obj -o b.obj ";
    const Scratch scratch;
    const std::string document = scratch.write("c.json", "{}");
    refuse({{flow + "--lu lu:s2e5 --pivot", {"--lu 'lu:s2e5' with --pivot: it has its own"}},
            {flow + "--lu lu:half --precision double", {"with --precision"}},
            {flow + "--precision half", {"--precision 'half': on the processor it is float or double"}},
            {flow + "--device gpu --refine ir", {"--device gpu with --refine 'ir'"}},
            {flow + "--seed -1", {"--seed: '-1' will not do"}},
            {smooth + "--noise 0.1 --seed -1", {"--seed: '-1' will not do"}},
            {smooth + "--noise 1e300", {"--noise 1e+300: give 0 to 1000"}},
            {"compare " + document + " --stored", {"nothing is computed; leave --stored out"}},
            {"compare " + document + " --threads 2", {"nothing is computed; leave --threads out"}},
            {"compare " + document + " --threads -7", {"--threads -7"}},
            {"compare " + document + " --store " + document, {"the command reads this file"}},
            {"reproduce table1 --figure 7", {"table1: it has no meshes, figures"}},
            {"reproduce table5 --mesh a.obj", {"table5: it has no meshes, figures"}},
            {"reproduce table5 --levels 8", {"--levels: table5 has no such option, it is for table1, table2"}},
            {"reproduce table1 --size 64", {"--size: table1 has no such option, it is for lu"}},
            {"reproduce lu --table 1 --store x.sqlite", {"--store: lu has no such option"}},
            {"reproduce lu --figure 5 --size 64", {"--size: figure 5 has no use for it"}},
            {"reproduce cnc --figure 3 --noise 1", {"--noise: it is of Figure 7"}},
            {"reproduce cevahir --figure 4 --parts 3", {"--parts: figure 4 has no use for it"}},
            {"flow --arrangement square --seed 2", {"--seed: a square arrangement has nothing at random"}},
            {"solve --problem poisson2d:level=3 --advise --preconditioner multilevel --store x.sqlite",
             {"--store: an advice on cycles computes nothing"}},
            {"solve --problem poisson2d:level=3 --recurrence bicgstab --spec fx18.16", {"use defect-correction"}},
            {"solve --problem diffusion2d:level=3 --scheme jacobi-pcg --format double", {"this problem is a grid's"}}});
}

/// A key that exists, but is of another one; and one that does not, after a file that does.
TEST(BadInput, KeysThatAreOfOthers) {
    const Scratch scratch;
    const std::string matrix =
        scratch.write("m.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 2\n");
    const auto solve = [](const std::string& problem) { return "solve --problem " + problem; };
    refuse({{solve("poisson2d:level=4,seed=3"), {"seed= is of rhs=random: give that, or leave it out"}},
            {solve("poisson2d:level=4,speed=3"), {"no option 'speed'; the keys are level, anisotropy, rhs and seed"}},
            {solve("diffusion2d:level=4,field=checker,seed=3"), {"seed= is of field=smooth and field=jump"}},
            {solve("convection2d:level=3,n=5"), {"level= does not go beside n=: leave one out"}},
            {solve("convection2d:level=3,seed=5"), {"seed= is of rhs=random"}},
            {solve("mtx:" + matrix + ",sed=3"), {"no option 'sed'; the keys are rhs and seed"}},
            {solve("mtx:" + matrix + ",sed=3,rhs=random"), {"no option 'sed'; the keys are rhs and seed"}},
            {solve("mtx:a,b=c.mtx"), {"a,b=c.mtx: cannot open"}},
            {solve("lscm:" + matrix + ",foo=1"), {"no option 'foo'; the keys are weight, pins and cut"}},
            {solve("dsi:g.obj,share=0.5"), {"share= is of task=interpolate"}},
            {solve("dsi:g.obj,nodes=hard"), {"nodes= is of task=interpolate"}},
            {solve("dsi:g.obj,seed=2"), {"seed= is of task=interpolate"}},
            {solve("dsi:g.obj,task=interpolate,nodes=hard,weight=2"), {"weight= is of nodes=fuzzy"}},
            {solve("mtx:" + matrix + ",seed=2"), {"seed= is of rhs=random"}},
            {solve("mtx:" + matrix + ",rhs=file:"), {"rhs=file: must be ones, random or file:PATH"}},
            {solve("mtx:" + matrix + ",rhs=file:b,c.mtx,seed=2"), {"seed= is of rhs=random"}},
            {solve("mtx:" + matrix + ",rhs=file:b,c.mtx"), {"b,c.mtx: cannot open"}},
            {"solve --dense n=8,kappa=10", {"kappa= is of kind=randsvd"}},
            {"solve --dense n=8,kind=hilbert,seed=1", {"seed= does not go beside kind=hilbert"}},
            {"solve --dense file=a.mtx,n=8", {"n= does not go beside file=: leave one out"}}});
}

/// What a line advises must be taken when it is done.
TEST(BadInput, AdviceIsTaken) {
    const Scratch scratch;
    const std::string banner = "%%MatrixMarket matrix coordinate real ";
    const std::string skewed = "--problem mtx:" + scratch.write("n.mtx", banner + "general\n2 2 4\n1 1 4\n1 2 1\n"
                                                                                  "2 1 -1\n2 2 3\n");
    for (const char* key : {"scalar", "operand", "row"})
        refuse({{kSmall + "--spec s17e8," + key + "=fx18.16", {"fx18.16 is fixed: it takes a floating format"}}});
    refuse({{kSmall + "--spec s17e8,q=fx18.16", {"begin with the vectors' fixed format"}}});
    refuse({{"solve " + skewed + " --stop energy=1e-6",
             {"stop energy: the matrix of", "is not symmetric", "stop on the residual"}},
            {"solve " + skewed + " --spec float,sum=free --scheme defect-correction --recurrence bicgstab",
             {"scheme defect-correction does not go with sums that are free in order; here go bicgstab\n"}}});
    EXPECT_EQ(run("solve " + skewed + " --spec float,sum=free --scheme bicgstab --tolerance 1e-5").code, 0);
    const std::string of_cg =
        "--problem mtx:" + scratch.write("s.mtx", banner + "symmetric\n2 2 3\n1 1 4\n2 1 1\n2 2 3\n");
    // Cycles are no outer loop's where CG does not take the matrix: there the loop goes without them.
    const std::string wind =
        "solve --threads 1 --problem convection2d:level=4,peclet=100 --recurrence bicgstab --format s17e8 ";
    const Outcome stays = run(wind + "--preconditioner multilevel");
    EXPECT_EQ(stays.code, 1);
    EXPECT_NE(stays.out.find("or the outer loop defect-correction without the preconditioner"), std::string::npos)
        << stays.out;
    EXPECT_EQ(run(wind + "--outer-loop defect-correction").code, 0);
    // With no scheme named, one that sees the energy.
    const Outcome energy = run("solve " + of_cg + " --stop energy=1e-6");
    EXPECT_EQ(energy.code, 0) << energy.err;
    EXPECT_NE(energy.out.find("direct, Jacobi scaling, to an energy error of 1e-06"), std::string::npos) << energy.out;
    refuse({{"solve " + of_cg + " --spec double,sum=free --scheme residual-guided",
             {"here go direct, pipelined, bicgstab, defect-correction with the recurrence chebyshev\n"}}});
}

/// --advise=solve makes a solve, whose outputs and beginning may be given; --advise alone makes none.
TEST(BadInput, OutputsOfAnAdvisedSolve) {
    const Scratch scratch;
    const std::string u = scratch.path("u.mtx"), h = scratch.path("h.csv");
    const std::string files = " --solution " + u + " --history " + h;
    const Outcome solved = run(kSmall + "--advise=solve --bound" + files);
    ASSERT_EQ(solved.code, 0) << solved.err;
    EXPECT_NE(solved.out.find("\nerror bound    "), std::string::npos) << solved.out;
    EXPECT_TRUE(scratch.read("u.mtx").starts_with("%%MatrixMarket matrix array real general\n"));
    EXPECT_TRUE(scratch.read("h.csv").starts_with("inner_iterations,"));
    const Outcome again = run(kSmall + "--advise=solve --guess " + u);
    EXPECT_NE(again.out.find("\niterations     0 inner"), std::string::npos) << again.out << again.err;
    const Outcome cycles = run("solve --threads 1 --problem poisson2d:level=6 --preconditioner multilevel "
                               "--advise=solve --solution " +
                               scratch.path("c.mtx"));
    EXPECT_EQ(cycles.code, 0) << cycles.err;
    EXPECT_FALSE(scratch.read("c.mtx").empty());
    refuse({{kSmall + "--advise=solve --solution -", {"--solution -: the advice goes to standard output"}},
            {kSmall + "--advise=solve --history -", {"--history -: the advice goes to standard output"}},
            {kSmall + "--advise=solve --solution /absent/u.mtx", {"/absent"}},
            {kSmall + "--advise=solve --scheme direct", {"--scheme: --advise chooses"}},
            {kSmall + "--advise --solution " + u, {"--solution: it is of a solve", "give --advise=solve"}},
            {kSmall + "--advise --history " + h, {"--history: it is of a solve"}},
            {kSmall + "--advise --bound", {"--bound: it is of a solve"}}});
}

/// Names and words of formats that a datapath does not have.
TEST(BadInput, FormatsOfArrays) {
    refuse({{kSmall + "--spec fp8_e4m3", {"format 'fp8_e4m3': it is for arrays alone"}},
            {kSmall + "--format binary8p3se", {"format 'binary8p3se': it is for arrays alone"}},
            {kSmall + "--format ufx18.16", {"format 'ufx18.16': it is for arrays alone"}},
            {kSmall + "--format s17e8:rne:rz", {"format 's17e8:rne:rz': rne and rz are two words for one thing"}},
            {kSmall + "--format s17e8:rne:rne", {"two words for one thing"}},
            {kSmall + "--format fx18.16:sat:wrap", {"sat and wrap are two words for one thing"}},
            {kSmall + "--format fx18", {"format 'fx18': no point after the word width"}}});
    EXPECT_EQ(run(kSmall + "--format float:rz").code, 0); // a name's own words are replaced
}

TEST(BadInput, Subcommands) {
    refuse({{"", {"a subcommand is required", "solve", "bench", "see mantissa --help"}},
            {"bogus", {"no such subcommand 'bogus'", "the subcommands are solve"}},
            {"slove --problem x", {"no such subcommand 'slove'", "did you mean solve;"}},
            {"synth", {"no such subcommand 'synth'", "did you mean synthesize;"}},
            {"''", {"no such subcommand ''"}},
            {"--bogus", {"--bogus"}},
            {"solve --bogus", {"mantissa solve --help"}},
            {"reproduce table7", {"table7"}}});
}

TEST(BadInput, ResidentSolves) {
    const std::string solve = kSmall + "--resident --spec fx18.16 ";
    refuse({{kSmall + "--resident --format s23e8", {"resident: vectors are floating"}},
            {kSmall + "--resident --spec fx18.16,q=fx20.16", {"one format"}},
            {kSmall + "--resident --spec fx18.16,point=moving", {"the point moves"}},
            {kSmall + "--resident --spec fx18.16,u=s23e8", {"u is floating"}},
            {kSmall + "--resident --spec fx18.16,dot=fixed[13:-40]", {"dot products have a window"}},
            {"solve --resident --spec fx18.16 --problem diffusion2d:level=3", {"constant stencil", "bands"}},
            {"solve --resident --spec fx18.16 --problem poisson3d:level=3", {"constant stencil"}},
            {solve + "--outer fx48.40", {"64 bits", "fx64.54"}},
            {solve + "--outer s52e11", {"outer"}},
            {solve + "--scheme defect-correction", {"resident", "residual-guided", "leave it out"}},
            {solve + "--digits 2", {"resident", "digits"}},
            {solve + "--jacobi", {"resident", "Jacobi", "leave jacobi out, and resident too for a matrix in rows"}},
            {solve + "--middle s36e11", {"middle"}},
            {solve + "--middle s36e11,", {"middle", "a comma at its end"}},
            {solve + "--recurrence cg", {"scheme direct"}},
            {solve + "--headroom 41", {"headroom 41"}},
            {solve + "--engine hls", {"engine 'hls' has no resident solver"}},
            {kSmall + "--resident --schedule '1:fx18.16;2e-3:fx20.18'", {"resident", "schedule"}},
            {kSimulate + "--spec fx18.16 --resident --bandwidth 3", {"--bandwidth", "resident core keeps all vectors"}},
            {kSimulate + "--spec fx18.16 --resident --trace t.fst", {"--trace", "resident core", "no waveforms"}},
            {kSimulate + "--spec fx18.16 --resident --cores 10", {"10 resident cores", "take fewer"}},
            {kSimulate + "--spec fx18.16 --lanes 2", {"--lanes", "cycle core"}},
            {kSmall + "--advise --resident", {"--resident", "--advise chooses"}}});
}

TEST(BadInput, BlocksOfMxWords) {
    const std::string alone = "blocks of MX words are the emulated engine's alone", spec = "--spec s23e8,p=mxint8 ";
    refuse({{kSmall + spec + "--engine hls", {"engine 'hls': p=mxint8", alone}},
            {kSmall + spec + "--engine rtl", {"p=mxint8", alone}},
            {kSmall + spec + "--engine systemc", {"p=mxint8", alone}},
            {kSmall + spec + "--check hls", {"p=mxint8", alone}},
            {kSmall + "--parts 3", {"depend on their order", "--spec 's17e8,dot=fixed[13:-50]'"}},
            {kSmall + "--preconditioner multilevel --parts 40", {"40 parts: this system has rows for at most"}},
            {kSmall + "--spec s23e8,coef=mxint8,dot=fixed[13:-50] --parts 2",
             {"over 2 parts: blocks of MX words would be cut"}},
            {kSmall + spec + "--resident", {"resident: vectors are floating"}},
            {kSmall + spec + "--recurrence 'gmres(5)'", {"gmres with p=mxint8"}},
            {kSimulate + spec, {"p=mxint8", alone}},
            {"synthesize " + spec, {"--spec s23e8,p=mxint8: the RTL core: p=mxint8", alone}},
            {"synthesize --spec s17e8 --spec s17e8,lanes=8", {"--spec s17e8,lanes=8: the RTL core has", "give one of"}},
            {kSmall + "--spec s23e8,p=mxint9", {"block format 'mxint9'", "mxint8, mxfp8_e4m3"}},
            {kSmall + "--spec s23e8,p=mxint8:up", {"floor, ceil, even or rceil"}},
            {kSmall + "--spec fx18.16,p=mxint8", {"beside fixed vectors", "s23e8,p=mxint8"}},
            {kSmall + "--spec s23e8,r=mxint8", {"p and coef alone take blocks"}},
            {kSmall + "--format mxint8", {"p and coef alone take blocks"}}});
}

TEST(BadInput, EmptyTexts) {
    for (const char* option : {"--format", "--spec", "--schedule", "--problem", "--scheme", "--engine", "--check",
                               "--history", "--solution", "--middle", "--inner", "--digits", "--tolerance", "--threads",
                               "--recurrence", "--max-iterations", "--middle-digits"})
        refuse({{kSmall + option + " ''", {std::string(option) + " ''", "the text is empty"}}});
    refuse({{kSmall + "--format=", {"--format=", "empty"}},
            {kSmall + "--inner=", {"--inner=", "empty"}},
            {"reproduce table4 --levels ''", {"--levels ''"}},
            {"report x.sqlite -o ''", {"-o ''"}},
            {"report ''", {"''"}},
            {"sweep ''", {"''"}},
            {"sweep x.toml --store ''", {"--store ''"}},
            {"synthesize --spec ''", {"--spec ''"}},
            {"simulate --problem ''", {"--problem ''"}},
            {"compare ''", {"''"}},
            {"bench --spec double ''", {"''"}}});
}

TEST(BadInput, Numbers) {
    const std::string whole = "give a whole number from";
    for (const char* value : {"-1", "99999999999999999999", "1.5", "x", "nan", "0x10", "' 1'"})
        refuse({{kSmall + "--inner " + value, {"--inner", whole}}});
    for (const std::string& option :
         {kSmall + "--max-iterations ", kSimulate + "--max-iterations ", kSimulate + "--inner ", kSimulate + "--seed "})
        refuse({{option + "-1", {whole}}, {option + "99999999999999999999", {whole}}});
    for (const char* value : {"0", "-1", "17", "nan", "inf", "x", "1e999"})
        refuse({{kSmall + "--digits " + value, {"--digits"}}});
    for (const char* value : {"0", "1", "nan", "x"}) refuse({{kSmall + "--tolerance " + value, {"--tolerance"}}});
    for (const char* value : {"-1", "inf"}) refuse({{kSimulate + "--tolerance " + value, {"--tolerance"}}});
    for (const char* value : {"0", "nan"})
        refuse({{kSmall + "--scheme defect-correction --middle s36e11 --middle-digits " + value, {"--middle-digits"}}});
    const Scratch scratch;
    const std::string toml = scratch.write("s.toml", "[[grid]]\nproblem = \"poisson2d:level=3\"\n");
    for (const std::string& command : {std::string("solve --problem poisson2d:level=3"), std::string("bench"),
                                       "sweep " + toml, std::string("reproduce table4")})
        for (const char* value : {"-1", "1025", "100000", "99999999999999999999"})
            refuse({{command + " --threads " + value, {"--threads"}}});
    for (const char* value : {"0", "65"}) refuse({{std::string("synthesize --jobs ") + value, {"--jobs"}}});
    for (const char* value : {"0", "-1", "100", "x"})
        refuse({{std::string("synthesize --seeds ") + value, {"--seeds"}}});
    refuse(
        {{kSmall + "--inner 0", {"--inner"}},
         {"reproduce table5 --jobs -1", {"--jobs -1"}},
         {"reproduce table4 --levels 99", {"--levels 99"}},
         {"reproduce table4 --levels 8,x", {"--levels"}},
         {kSimulate + "--clock 0", {"--clock 0"}},
         {kSimulate + "--clock inf", {"--clock inf"}},
         {kSimulate + "--bandwidth -1", {"--bandwidth -1"}},
         {kSimulate + "--bandwidth inf", {"--bandwidth inf"}},
         {kSimulate + "--latency nan", {"--latency nan"}},
         {kSimulate + "--stall 1", {"--stall 1"}},
         {"bench --seconds 0", {"--seconds 0"}},
         {"bench --seconds nan", {"--seconds nan"}},
         {"bench gpu --sizes 64", {"--sizes", "--dense"}},
         {"bench gpu --blas1 --tolerance 0.5", {"--tolerance", "--blas1 has no such option"}},
         {"bench gpu --several --levels 3 4", {"--levels", "--several has no such option"}},
         {"bench gpu --several", {"--several", "--problem dsi:FILE"}},
         {"bench gpu --several --problem dsi:a.off,coordinate=x", {"dsi:a.off,coordinate=x", "without a coordinate"}},
         {"bench gpu --dense --cg", {"--cg and --dense"}},
         {"solve --dense n=4 --lu tensor:half --engine emulated", {"tensor:half", "engine gpu"}},
         {"solve --dense n=4 --lu tensor:quarter", {"tensor:quarter", "half-pair"}},
         {"solve --dense n=4 --lu lu:double,sum=free", {"lu:s52e11", "sum=free", "engine gpu"}},
         {"solve --dense n=4 --lu lu:half,sum=free", {"sum=free is of lu:double and lu:float"}},
         {"solve --dense n=4 --lu lu:float,sum=free,pivot=full", {"sum=free is of lu:double and lu:float"}},
         {"solve --dense n=4 --lu lu:double --format float", {"--format float", "leave one out"}},
         {"solve --dense n=4 --engine emulated --check gpu --lu tensor:half", {"--check gpu", "no bits"}},
         {"solve --dense n=4 --engine emulated --lu tensor:half --method gauss-jordan", {"--method"}}});
}

TEST(BadInput, NamesAndTexts) {
    refuse({{kSmall + "--format s99e8", {"s99e8"}},
            {kSmall + "--spec s17e8,row=s99e8", {"s99e8"}},
            {kSmall + "--scheme magic", {"magic"}},
            {kSmall + "--plan fastest", {"fastest", "grid-resident"}},
            {kSmall + "--plan grid-stream", {"grid-stream", "only a native solver has plans"}},
            {kSmall + "--plan automatic", {"plan automatic", "only a native solver has plans"}},
            {kSmall + "--spec double,sum=free", {"native loops on this processor take sparse rows"}},
            {kSmall + "--format double --advise --plan grid-stream", {"--advise chooses"}},
            {kSmall + "--engine abacus", {"no such engine", "emulated"}},
            {kSmall + "--check abacus", {"no such engine"}},
            {kSmall + "--check emulated", {"--check emulated", "name another"}},
            {"simulate --problem poisson2d:level=3 --check rtl", {"--check rtl", "name another"}},
            {kSmall + "--inner 3 --digits 2", {"excludes"}},
            {kSmall + "--format s17e8 --spec s17e8", {"excludes"}},
            {kSmall + "--schedule 1:s17e8 --spec s17e8", {"excludes"}},
            {kSmall + "--schedule s17e8", {"schedule: stage 's17e8'", "a colon and a datapath"}},
            {kSmall + "--schedule '1:s17e8;'", {"schedule: stage ''"}},
            {kSmall + "--schedule '1:s17e8;1e-3:s99e8'", {"s99e8"}},
            {kSmall + "--schedule '1e-3:s17e8'", {"schedule: the first stage", "write 1"}},
            {kSmall + "--schedule '1:s17e8;1e-3:s9e8' --scheme direct", {"schedule: only residual-guided"}},
            {"solve --problem poisson2d:level=99", {"level=99"}},
            {"solve --problem torus:level=3", {"no kind 'torus'"}},
            {"solve --problem matrix.mtx", {"write mtx: in front of it"}},
            {"advise matrix.mtx", {"no such subcommand 'advise'", "--problem mtx:FILE --advise"}},
            {"solve m.mtx", {"not expected: m.mtx", "a matrix file is given as --problem mtx:m.mtx;"}},
            {"solve --matrix a/m.mtx.gz", {"--matrix", "given as --problem mtx:a/m.mtx.gz;"}},
            {"solve --problem 'mtx:~/m.mtx'", {"~/m.mtx: cannot open", "write $HOME in its place"}},
            {"solve", {"--problem"}},
            {"bench --engine abacus", {"no such engine"}}});
}

TEST(BadInput, LongAndUnprintableTextIsShortened) {
    const Scratch scratch;
    const std::string word(100'000, 'x'); // about as long as the system lets an argument be
    for (const char* option : {"--format ", "--spec ", "--schedule ", "--scheme ", "--engine ", "--problem ",
                               "--inner ", "--history ", "--tolerance ", "--threads ", "--middle ", "--recurrence "})
        refuse({{"solve --problem poisson2d:level=3 " + (option + word), {}}});
    refuse(
        {{word, {"no such subcommand 'xxx"}}, {"report " + word, {}}, {"sweep " + word, {}}, {"compare " + word, {}}});
    refuse({{"solve --problem \"$(printf 'poisson2d:\\001\\033[2Jlevel=3')\"", {"\\x1B[2J"}}});
    const std::string long_text(5'000'000, 'y');
    const std::string sweep = scratch.write("s.toml", "[[grid]]\nproblem = \"" + long_text + "\"\n");
    const std::string matrix = scratch.write("m.mtx", "%%MatrixMarket " + long_text + "\n");
    const std::string value =
        scratch.write("v.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 " + long_text + "\n");
    refuse({{"sweep " + sweep, {"s.toml:2"}},
            {"compare " + sweep, {"s.toml"}},
            {"solve --problem mtx:" + matrix, {"m.mtx:1"}},
            {"solve --problem mtx:" + value, {"v.mtx:3"}}});
    EXPECT_EQ(scratch.files(), 3u) << "nothing may be left behind";
}

TEST(BadInput, MatrixFiles) {
    const Scratch scratch;
    const std::string bad =
        scratch.write("bad.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 x\n");
    const std::string folder = scratch.path("");
    refuse({{"solve --problem 'poisson2d: level=3'", {"the key ' level' has a blank; leave it out"}}});
    refuse({{"solve --problem mtx:" + bad, {bad + ":4: the value is missing or no number: 'x'"}},
            {"solve --problem mtx:/dev/zero", {"/dev/zero", "a device"}},
            {"solve --problem mtx:/dev/null", {"/dev/null", "a device"}},
            {"solve --problem mtx:" + folder, {"Is a directory"}},
            {"solve --problem mtx:/nowhere/a.mtx", {"/nowhere/a.mtx", "No such file"}},
            {"solve --problem mtx:", {"no file"}},
            {"sweep /dev/zero", {"/dev/zero", "a device"}},
            {"sweep " + folder, {"Is a directory"}},
            {"compare /dev/zero", {"/dev/zero", "a device"}}});
    // Streams without an end, the second after a good beginning.
    refuse({{"solve --problem mtx:/dev/stdin", {"/dev/stdin:1", "%%MatrixMarket"}, "yes |"},
            {"solve --problem mtx:/dev/stdin",
             {"/dev/stdin", "its size line"},
             "{ echo '%%MatrixMarket matrix coordinate real symmetric'; echo 2 2 2; yes 1 1 1; } |"},
            {"solve --problem mtx:/dev/stdin",
             {"/dev/stdin", "no size line"},
             "{ echo '%%MatrixMarket matrix coordinate real symmetric'; yes %; } |"}});
}

TEST(BadInput, Outputs) {
    const Scratch scratch;
    const std::string toml = scratch.write("s.toml", "[[grid]]\nproblem = \"poisson2d:level=3\"\n");
    const std::string folder = scratch.path("folder"), missing = scratch.path("missing/file");
    std::filesystem::create_directory(folder);
    std::vector<std::string> commands{
        kSmall + "--history ",         kSmall + "--solution ",        "sweep " + toml + " --csv ",
        "sweep " + toml + " --jsonl ", "sweep " + toml + " --store ", "report " + toml + " -o ",
        kSimulate + "--trace ",        "synthesize --store ",         "reproduce table4 --store "};
    // A build without CUDA says that first.
    if (run("engines").out.find("built without CUDA") == std::string::npos) commands.push_back("bench gpu --output ");
    for (const std::string& command : commands)
        refuse({{command + folder, {folder, "file"}},
                {command + missing, {missing, "there is no folder"}},
                {command + "/dev/null/file", {"/dev/null/file"}}});
    for (const std::string& command : {"sweep " + toml, std::string("synthesize"), std::string("reproduce table4")})
        refuse({{command + " --store :memory:", {"--store ':memory:'", "give a file name"}},
                {command + " --store -", {"--store '-'", "give a file name"}}});
    refuse({{kSmall + "--history - --json", {"--history - and --json"}},
            {kSmall + "--history - --solution -", {"--solution - and --history"}},
            {"sweep " + toml + " --csv - --json", {"--csv - and --json"}},
            {"reproduce table5 --plot " + missing, {"--plot", "there is no folder"}},
            {"smooth x.obj -o y.obj --picture map.png", {"--picture 'map.png'", "written as SVG; name it .svg"}},
            {"reproduce cnc --figure 3 -o map.pdf", {"-o 'map.pdf'", "written as SVG; name it .svg"}},
            {kSimulate + "--trace -", {"--trace '-'"}},
            {kSimulate + "--trace /dev/null", {"--trace '/dev/null'"}},
            {kSimulate + "--trace " + scratch.path("x.gtkw"), {"save file"}}});
    for (const char* window : {"9:3", "5", ":", "1:", ":1", "-1:5", "1:2:3", "a:b", "1:99999999999999999999"})
        refuse({{kSimulate + "--trace " + scratch.path("x.fst") + " --window " + window, {"--window", "as 0:2000"}}});
    EXPECT_EQ(scratch.files(), 2u) << "nothing may be left behind";
}

TEST(BadInput, FoldersOfTheEnvironment) {
    refuse({{kSimulate, {"/dev/null/x", "set MANTISSA_CACHE"}, "MANTISSA_CACHE=/dev/null/x"},
            {"synthesize", {"/dev/null/x", "set MANTISSA_CACHE"}, "MANTISSA_CACHE=/dev/null/x"},
            {"synthesize", {"/dev/null/x", "set TMPDIR"}, "TMPDIR=/dev/null/x"},
            {kSmall + "--engine hls --format s11e6",
             {"/dev/null/x", "set MANTISSA_CACHE"},
             "MANTISSA_CACHE=/dev/null/x"}});
}

} // namespace
