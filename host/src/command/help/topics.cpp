// The topics of `mantissa help`. tests/host/help_test.cpp holds them to what the program takes.
#include <array>

#include "pages.hpp"

namespace mantissa::cli::help {

namespace {

constexpr const char* kSpec =
    R"(A spec names every number format and every order of summation of a datapath. Engines that
take the spec return the same bits.

    mantissa solve --problem poisson2d:level=8 --spec s14e8,u=s23e8,row=s20e8

A spec begins with a format for everything. KEY=VALUE after it says what differs.

  s17e8            floating point: sign, 17 stored fraction bits, 8 exponent bits
  s17e8:rne        ... rounded to nearest even (without: truncated, rz)
  s10e5:rne:subnormals   IEEE half precision; also double, float, half, bfloat16, tf32
  fx18.16          fixed point: words of 18 bits, 16 of them fraction

  u= r= p= q=      the four vectors: iterate, residual, search direction, A p
  coef=            coefficients of the matrix
  operand=         alpha and beta, where they meet a vector
  row=             products and sums of a row
  order=           chain | tree | flux | second-difference: how a row is formed
  point=           still | moving: does the vectors' binary point move from pass to pass?
  product=         FORMAT | exact: terms of a dot product
  dot=             FORMAT[/DEPTH] | fixed[MSB:LSB] | exact: sums of a dot product
  scalar=          the format in which alpha and beta are formed
  lanes=           vector elements per clock: 1, 2, 4 ... 64
  sum=             ordered | free; free, after double or float alone: native arithmetic of the engine
                   gpu, whose sums have no order and whose bits are not promised

p and coef of a floating datapath also take blocks of MX words, 32 numbers with one power of two for
a scale: mxint8, mxfp8_e4m3, mxfp8_e5m2, mxfp6_e3m2, mxfp6_e2m3, mxfp4_e2m1. After it stand the
scale's rule (:floor :ceil :even :rceil) and another length (/64), as in s23e8,p=mxint8:ceil. The
engine emulated has them (docs/mx.md).

--format F is the spec F alone; with --engine gpu and no scheme, double and float are native.
docs/arithmetic.md defines the formats bit by bit, and numerics/include/mantissa/engine.hpp defines
a pass.
)";

constexpr const char* kProblem =
    R"(A problem is a system A u = b, as KIND:KEY=VALUE,...  Symmetric positive definite, unless it says otherwise.

  poisson2d:level=8[,anisotropy=A][,rhs=smooth|random][,seed=S]
                                        Poisson's equation on a grid of 2^level + 1 nodes a side
  diffusion2d:level=7[,field=smooth|jump|checker][,contrast=C][,seed=S]
                                        a coefficient that varies: nine bands
  poisson3d:level=5                     the seven-point Laplacian, as sparse rows
  convection2d:level=7|n=N[,peclet=P][,difference=upwind|central][,wind=constant|recirculating]
    [,rhs=known|random][,seed=S]        convection-diffusion on N^2 nodes inside, N = 2^level - 1: not
                                        symmetric
  convection3d:level=4|n=N[...]         the same on N^3 nodes
  mtx:FILE[,rhs=ones|random|file:FILE][,seed=S]
                                        a MatrixMarket file, also gzipped; symmetric or general
  generated:kind=nd|band|thermal|elasticity|scattered|power|arrow|circuit|supply,n=N[,seed=S][,order=natural|random]
                                        large matrices, made on the spot
  lscm:MESH[,weight=area|opennl][,pins=axes|boundary][,cut=no|auto]
                                        texture coordinates of a mesh (OBJ, OFF, PLY)
  dsi:MESH[,task=smooth|interpolate][,weight=W][,nodes=fuzzy|hard][,share=P][,seed=S]
    [,mu=harmonic|normalised][,coordinate=x|y|z|xyz]
                                        a smoothed mesh

A dense system is given by --dense, as n=1024 or n=1024,kind=dominant (docs/lu.md).
)";

constexpr const char* kMultilevel =
    R"(A multilevel cycle solves on coarser and coarser levels what the finer ones cannot: ten or twenty
cycles where CG takes hundreds of iterations, and no more of them on larger grids. A loop in
double judges, so the words of a cycle may be short.

    mantissa solve --problem poisson2d:level=10 --preconditioner multilevel:b2,w=10
    mantissa solve --problem mtx:FILE --preconditioner multilevel

  v11,w=10         V cycles, as CG's preconditioner (scheme inexact-pcg): one smoothing step before
                   and one after the correction from the coarser level, words of 10 bits
  b2,w=10          smoothing on the way down alone, as a solver of its own (defect-correction)
  v22,w=double     the same cycle in double precision, to compare with

No cycle stands for v11,w=10. With the recurrence bicgstab, which wants the same M at each step, it
stands for v11,w=double.

Bits, one number for all levels or several from the finest on, as w=12/10/8:

  w=               words of r, as they enter a level
  f=               of f, what smoothing found; 7 more than w
  e=               of e, the correction, as it goes up a level; 16
  c=               coefficients; 12
  p=               an interpolation's entries; 14, or as c where that is more
  s=               32 or 64: of a sum with e, which is as long as sums have room; 32, or 64
                   where c has more than 12 bits, beside which 32 leave e too short
  g=               fraction bits of r inside a level; 4

CG around a cycle whose r has at most 12 bits keeps three directions in place of one, since words
round anew in every step (--directions).

Poisson's equation has levels of its grid and integers for coefficients, without a multiplication in
a row; other grids of 2^n + 1 nodes a side have interpolation that follows the operator; sparse rows
are gathered by smoothed aggregation. Plates and shells (fourth order) want other preconditioners:

    mantissa solve --problem mtx:FILE --advise --preconditioner multilevel

says which a matrix is, and finds the shortest words. With --engine gpu cycles run on the device: alone
on Poisson's grids, there without floating point, and of any other system as rows, with CG in double
around them. Engines hls, systemc and rtl make those of Poisson's grids, a whole solve or, for CG in
double on this processor, each cycle.
docs/multilevel.md has figures, numerics/include/mantissa/multilevel/cycle.hpp the definition to the
bit.
)";

constexpr const char* kErrors =
    R"(What is known of the error, where a residual is not enough:

    mantissa solve --problem poisson2d:level=8 --stop energy=1e-6
    mantissa solve --problem poisson2d:level=8 --bound

  --stop energy=E   in place of --tolerance: stop once ||x - x*|| / ||x*|| in the A-norm is at most E,
                    by the energies of CG's steps (alpha and p.A p of every pass); the verdict is an
                    estimate by steps in double from the defect of x as it is, between two numbers
  --stop residual=R the same as --tolerance R
  --bound           no element of the error x - x* is larger, for sure: by a positive vector where A
                    is an M-matrix, else by a Cholesky factor in double or in pairs of doubles, up to
                    2^25 numbers and 2^34 products; else the reason why there is none

The estimate wants a scheme whose alpha and beta this process sees: not jacobi-pcg, native solvers,
GMRES, BiCGSTAB, Chebyshev, cycles alone, cascades or resident cores. Both want a symmetric positive
definite matrix. docs/error_bounds.md says what they cost and where they fail.
)";

constexpr const char* kFiles =
    R"(Files that the program reads:

  SWEEP.toml        points to solve: docs/sweeps.md, experiments/which_bits.toml
  COMPARISON.toml   designs and devices to compare: docs/compare.md, experiments/compare.toml
  DEVICE.toml       a device's units and memory: docs/compare.md, experiments/devices/
  MATRIX.mtx[.gz]   a MatrixMarket matrix, coordinate or array
  MESH.obj|off|ply  a mesh of triangles

Files that it writes:

  RESULTS.sqlite    the store of sweeps, comparisons and syntheses. A run that was stopped and is
                    started again goes on where it stopped.
  REPORT.html       one page that needs no network: docs/report.md
  FILE.csv, FILE.svg, FILE.json    as the options say; "-" is standard output

Netlists and models are kept in MANTISSA_CACHE; each can be made again.
)";

constexpr const char* kEnvironment =
    R"(Variables that the program reads:

  MANTISSA_CACHE      folder of built models and netlists; else XDG_CACHE_HOME/mantissa, else
                      ~/.cache/mantissa; only folders that no other user can write
  MANTISSA_ISA        baseline, avx2 or avx512: the widest instructions that kernels may use. Results
                      do not depend on it.
  MANTISSA_SOURCE     folder with the RTL's sources, where the program runs far from them
  MANTISSA_HLS_KERNEL folder with the HLS kernel's sources (hls/kernel), likewise
  CXX                 the compiler for kernels and models
  VERILATOR           the program that makes models of the RTL; else verilator in the PATH
  MANTISSA_YOSYS      the program that makes netlists; else yosys in the PATH
  MANTISSA_MODEL_FLAGS  how models of the RTL are optimised; else -O3 -funroll-loops. With -O1 a model is
                      ready in two thirds of the time, for short solves.
  MANTISSA_DATA       folder of matrices and meshes that `bench gpu` measures
  TMPDIR              folder for temporary files
  OMP_WAIT_POLICY     how threads wait; the program sets "passive" where nothing is set
  GLIBC_TUNABLES      of the C library; where nothing is set, memory comes in pages of 2 MiB
                      (glibc.malloc.hugetlb=1)
)";

constexpr const char* kExitCodes =
    R"(  0   done; a solve reached its tolerance in the true residual. What sweep, compare, reproduce and bench
      solve are results: they end with 0 where one did not reach it, and say so beside it
  1   the solve ended without reaching it, or two engines differed (--check)
  2   the request was wrong, a tool is missing or failed, or output could not be written: one
      line on standard error says what, where, and the mend
  128 + N   ended by signal N. A store keeps what was finished; the next run goes on from there.
)";

constexpr std::array kTopics{
    Topic{"spec", "the text form of a datapath, as s14e8,u=s23e8", kSpec},
    Topic{"problem", "the text form of a problem, as poisson2d:level=8", kProblem},
    Topic{"multilevel", "the text form of a multilevel cycle, as v11,w=10", kMultilevel},
    Topic{"errors", "bounds and estimates of the error", kErrors},
    Topic{"files", "what the program reads and writes", kFiles},
    Topic{"environment", "environment variables", kEnvironment},
    Topic{"exit-codes", "what the program's exit code says", kExitCodes},
};

} // namespace

std::span<const Topic> topics() {
    return kTopics;
}

} // namespace mantissa::cli::help
