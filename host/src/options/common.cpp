// What commands take beside the options of a solve, each declared once. To add one: its name in the enumeration, an
// entry here at the same place, and its user.
#include "mantissa/host/options.hpp"
#include "running/ranks.hpp"

namespace mantissa::options {

namespace {

static_assert(running::kRankWait == 120, "the help of --rank-wait says so");

enum Beside : unsigned { kAdvice = 1, kDense = 2 }; ///< what it may stand beside

Option of(Group group, std::string_view name, Type type, std::string_view help, unsigned beside = 0) {
    return {.name = name,
            .type = type,
            .group = group,
            .help = help,
            .with_advice = (beside & kAdvice) != 0,
            .with_dense = (beside & kDense) != 0,
            .asks = Asks::nothing};
}

std::vector<Option> declared() {
    std::vector<Option> all{
        of(Group::problem, "problem", Type::text,
           "poisson2d:level=8[,anisotropy=A][,rhs=smooth|random], "
           "diffusion2d:level=7[,field=smooth|jump|checker][,contrast=C][,seed=S], poisson3d:level=5, "
           "convection2d:level=7|n=N[,peclet=P][,difference=upwind|central][,wind=constant|recirculating][,rhs=known|"
           "random], "
           "convection3d likewise, mtx:FILE[,rhs=ones|random|file:FILE][,seed=S], or, from meshes, "
           "lscm:FILE[,weight=area|opennl][,pins=axes|boundary][,cut=no|auto] and "
           "dsi:FILE[,task=smooth|interpolate][,weight=W][,coordinate=x|y|z|xyz] (docs/meshes.md); "
           "generated:kind=nd|band|thermal|elasticity|scattered|power|arrow|circuit|supply,n=N[,seed=S][,order=natural|"
           "random], "
           "large and sparse",
           kAdvice),
        of(Group::place, "engine", Type::text, "see mantissa engines", kAdvice | kDense),
        of(Group::place, "check", Type::text, "run this engine beside it and compare every iteration, bit for bit",
           kDense),
        of(Group::place, "threads", Type::whole, "threads, 0 for all cores; results do not depend on it",
           kAdvice | kDense),
        of(Group::place, "parts", Type::whole,
           "share the system out over this many parts, with the same bits (integers, dot=fixed[MSB:LSB], "
           "multilevel cycles, or direct and jacobi-pcg in double; engine emulated); under mpirun each rank is one"),
        of(Group::place, "cut", Type::text,
           "how rows go to parts: contiguous (the default), rcm or bisection; grids are cut in strips"),
        of(Group::place, "exchange", Type::text,
           "how parts exchange: neighbours (the default), or host: through one array in the host's memory; GPUs "
           "of ranks: nccl, or mpi through the hosts' memory (nccl unless given, where it can be used)"),
        of(Group::place, "rank-wait", Type::number,
           "under mpirun: seconds that a rank waits for another before all end; 120 unless given"),
        of(Group::place, "gpus", Type::whole,
           "--engine gpu: share the system out over this many GPUs, with the same bits (integers, or "
           "dot=fixed[MSB:LSB])"),
        of(Group::place, "devices", Type::text,
           "--engine gpu: a part on each of these GPUs, as 0,1; one GPU may have several, as 0,0; under mpirun "
           "the GPUs of a machine's ranks"),
        of(Group::dense, "dense", Type::text,
           "in place of --problem, a dense system by LU: "
           "n=N[,kind=uniform|dominant|graded|randsvd|wilkinson|hilbert|kahan|bubbles][,seed=S]"
           "[,...], or file=FILE, a MatrixMarket matrix (docs/lu.md)",
           kDense),
        of(Group::problem, "advise", Type::truth,
           "estimate the condition of the matrix and propose widths and options; --advise=solve runs them as "
           "well; --engine names those that shall take them, separated by commas; where multilevel cycles are "
           "asked for it proposes one",
           kAdvice),
        of(Group::problem, "device", Type::text,
           "with --advise: area, clock and time of the advised datapath on this device, a name in "
           "experiments/devices or a .toml file",
           kAdvice),
        of(Group::problem, "store", Type::text, "with --device: a results file that keeps what it computes", kAdvice),
        of(Group::problem, "guess", Type::text,
           "begin there in place of zero: a file as --solution writes it, of one column for all right-hand sides or "
           "one for each (Dirichlet nodes keep their zeros; one that leaves more than 1000 times "
           "the right-hand side is left out)"),
        of(Group::output, "history", Type::text, "write the defect of every step to a CSV file; -: standard output"),
        of(Group::output, "solution", Type::text,
           "write the solution to a MatrixMarket file, converged or not; -: standard output", kDense),
        of(Group::output, "json", Type::truth, "print a JSON object", kAdvice | kDense)};

    const auto the = [&](Common which) -> Option& { return all[static_cast<std::size_t>(which)]; };
    const auto between = [&](Common which, double low, double high) {
        the(which).low = low;
        the(which).high = high;
    };
    the(Common::engine).default_text = "emulated";
    the(Common::threads).default_text = "0";
    the(Common::threads).set = [](Request& r, const Value& v) {
        r.options.threads = static_cast<int>(std::get<std::uint64_t>(v));
    };
    between(Common::threads, 0, 1024);
    between(Common::parts, 1, 256); // (in one process they are threads)
    between(Common::gpus, 1, 8);
    between(Common::rank_wait, 1, 86400);
    the(Common::rank_wait).unit = "s";
    the(Common::check).asks = the(Common::parts).asks = Asks::datapath;
    return all;
}

} // namespace

std::span<const Option> common() {
    static const std::vector<Option> all = declared();
    return all;
}

const Option& common(Common which) {
    return common()[static_cast<std::size_t>(which)];
}

} // namespace mantissa::options
