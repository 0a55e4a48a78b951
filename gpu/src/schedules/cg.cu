// The driver of the native grid solvers: layout, plans and launches.
#include "mantissa/gpu/cg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"
#include "parted/exact_residual.cuh"
#include "schedules/launches.hpp"
#include "schedules/solve_watch.hpp"

namespace mantissa::gpu {

namespace {

constexpr const char* kArithmeticNames[] = {"float", "double", "mixed-float", "late-float"};

bool is_mixed(Arithmetic a) {
    return a != Arithmetic::single_precision && a != Arithmetic::double_precision;
}

__global__ void to_float(const double* from, float* to, long long n) {
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += 256LL * gridDim.x)
        to[i] = static_cast<float>(from[i]);
}

/// Two launches where a solve changes its inner arithmetic on the way: double until the residual norm has fallen by
/// `late`, and what follows. Double itself goes on in double, from the true defect. (q.replace is given.)
bool in_two_launches(const CgRequest& q) {
    return q.arithmetic == Arithmetic::late_float ||
           (q.arithmetic == Arithmetic::double_precision && *q.replace > 0 && q.tolerance > 0);
}

/// The first of two launches hands its x and p to the second.
ControlParams head_of(const CgRequest& q, const ControlParams& whole) {
    ControlParams head = whole;
    head.tolerance = std::max(q.arithmetic == Arithmetic::late_float ? q.late : *q.replace, q.tolerance);
    head.hand_over = true;
    return head;
}

} // namespace

std::string to_string(Arithmetic a) {
    return kArithmeticNames[static_cast<int>(a)];
}

std::string to_string(Plan p) {
    return p == Plan::automatic ? "automatic" : p == Plan::resident ? "resident" : "stream";
}

std::string to_string(CgEnd e) {
    constexpr const char* kNames[] = {"converged", "passes", "indefinite", "not finite", "stagnated", "cancelled"};
    return kNames[static_cast<int>(e)];
}

struct GridSolver::Impl {
    std::size_t size = 0;
    int columns = 0, rows = 0;             // points of the device grid
    std::size_t row_length = 0, first = 0; // where they lie in a system vector
    long long pitch = 0, origin = 0, elements = 0;
    double centre = 0, east = 0, north = 0, diagonal = 0, row_sum = 0, side_sum = 0;
    double b_norm = 0;
    Buffer<double> b, x, p, partial;
    Buffer<unsigned long long> words;
    Buffer<Packet> halo[2];
    Buffer<ControlResult> result;
    // Vectors of the stream plan, allocated as bytes when an arithmetic is first asked for.
    Buffer<unsigned char> u, other[4];
    Tag tag = 1;

    explicit Impl(const System& system);
    void zero_vectors(std::size_t element_bytes);
    /// What both plans are given of the grid, the matrix and the vectors.
    template <class Params> [[nodiscard]] Params grid_params() const;
    [[nodiscard]] std::optional<ResidentParams> resident(int multiprocessors, int& depth) const;
    [[nodiscard]] StreamParams stream_base() const;
    [[nodiscard]] ControlParams control_of(const CgRequest& q) const;
    void run_resident(const CgRequest& q, const ControlParams& ask, ResidentParams a, int depth, SolveWatch& watch,
                      CgReport& report);
    void run_stream(const CgRequest& q, const ControlParams& ask, int blocks, SolveWatch& watch, CgReport& report);
    double norm(const double* v);
    /// Forms the true residual and lets it decide how the solve ended.
    void judge(double tolerance, CgReport& report);
    CgReport solve(const CgRequest& request);
};

GridSolver::Impl::Impl(const System& system) {
    static_cast<void>(require_device());
    size = system.size();
    if (system.kind() != System::Kind::stencil)
        throw InvalidInput(
            "grid solver: it takes a constant stencil; nine bands and sparse rows are solved by SparseMatrix");
    row_length = system.row_length();
    const auto& c = std::get<Stencil>(system.matrix()).coefficients();
    if (c[0] != c[2] || c[0] != c[6] || c[0] != c[8] || c[3] != c[5] || c[1] != c[7])
        throw InvalidInput("grid solver: a constant stencil must be the same left, right, up and down; give any other "
                           "as nine bands");
    centre = c[4];
    east = c[5];
    north = c[7];
    diagonal = c[8];
    // Rows are formed by differences times these. They cancel, so a sum's own rounding would be a shift of the matrix:
    // for Poisson, 2e-16 where the row sum is zero, 1.7e-10 of the right-hand side at level 12. Sums of nine doubles of
    // like exponents are exact in 64 bits. Streamed passes take the same ones: with shifted ones the defect differed
    // from the recurrence's residual by a smooth vector, and CG began on that anew.
    row_sum = static_cast<double>(static_cast<long double>(centre) + 2.0L * east + 2.0L * north + 4.0L * diagonal);
    side_sum = static_cast<double>(east + 2.0L * diagonal);
    columns = static_cast<int>(row_length) - 2;
    rows = static_cast<int>(std::get<Stencil>(system.matrix()).rows()) - 2;
    first = row_length + 1;
    pitch = (columns + 1 + 7) / 8 * 8;
    origin = 3 * pitch + 32;
    elements = (rows + 6) * pitch + 512;
    b.allocate(elements);
    b.zero();
    x.allocate(elements);
    x.zero();
    partial.allocate(1024);
    words.allocate(4 * kSumWords); // of two launches
    result.allocate(2);
}

double GridSolver::Impl::norm(const double* v) {
    constexpr int kBlocks = 512;
    sum_of_squares<<<kBlocks, 256>>>(v, elements, partial.data());
    check(cudaGetLastError(), "sum_of_squares");
    std::vector<double> host(kBlocks);
    partial.download(host);
    double s = 0;
    for (double p : host) s += p;
    return std::sqrt(s);
}

void GridSolver::Impl::zero_vectors(std::size_t element_bytes) {
    const std::size_t bytes = elements * element_bytes;
    for (Buffer<unsigned char>* buffer : {&u, &other[0], &other[1], &other[2], &other[3]}) {
        if (buffer->size() != bytes) {
            *buffer = Buffer<unsigned char>();
            buffer->allocate(bytes);
        }
        buffer->zero();
    }
}

template <class Params> Params GridSolver::Impl::grid_params() const {
    Params a{};
    a.columns = columns;
    a.rows = rows;
    a.pitch = pitch;
    a.origin = origin;
    a.centre = centre;
    a.east = east;
    a.north = north;
    a.diagonal = diagonal;
    a.b = b.data();
    a.x = x.data();
    a.words = words.data();
    a.result = result.data();
    return a;
}

StreamParams GridSolver::Impl::stream_base() const {
    auto a = grid_params<StreamParams>();
    a.row_sum = row_sum;
    a.side_sum = side_sum;
    return a;
}

std::optional<ResidentParams> GridSolver::Impl::resident(int multiprocessors, int& depth) const {
    for (depth = 1; depth <= 16; depth *= 2) {
        const int across = (columns + resident_tile_columns(depth) - 1) / resident_tile_columns(depth);
        const int down = (rows + resident_tile_rows(depth) - 1) / resident_tile_rows(depth);
        if (across * down > multiprocessors) continue;
        auto a = grid_params<ResidentParams>();
        a.tiles_across = across;
        return a;
    }
    return std::nullopt;
}

void GridSolver::Impl::run_resident(const CgRequest& q, const ControlParams& ask, ResidentParams a, int depth,
                                    SolveWatch& watch, CgReport& report) {
    for (auto& h : halo)
        if (h.size() == 0) {
            h.allocate(elements);
            h.zero();
        }
    a.halo[0] = halo[0].data();
    a.halo[1] = halo[1].data();
    a.ask = ask;
    // A launch uses up to four tags a pass; the first of two uses one.
    a.first_tag = tag;
    tag += 5ull * ask.max_passes + 32;
    const int tiles = a.tiles_across * ((rows + resident_tile_rows(depth) - 1) / resident_tile_rows(depth));
    if (in_two_launches(q) && p.size() == 0) {
        p.allocate(elements);
        p.zero();
    }
    Timer timer;
    timer.start();
    if (in_two_launches(q)) {
        a.p = p.data();
        ResidentParams head = a;
        head.ask = head_of(q, ask);
        launch_resident(head, Arithmetic::double_precision, depth, tiles);
        a.before = result.data();
        a.result = result.data() + 1;
        a.words += 2 * kSumWords;
        a.first_tag += ask.max_passes + 16;
    }
    launch_resident(a, q.arithmetic, depth, tiles);
    timer.end();
    watch.follow(timer);
    report.seconds = timer.seconds();
    report.plan = Plan::resident;
    report.plan_text = std::to_string(tiles) + " tiles of " + std::to_string(resident_tile_columns(depth)) + " x " +
                       std::to_string(resident_tile_rows(depth));
}

void GridSolver::Impl::run_stream(const CgRequest& q, const ControlParams& ask, int blocks, SolveWatch& watch,
                                  CgReport& report) {
    const StreamTraits traits = stream_traits(q.arithmetic);
    zero_vectors(traits.element_bytes);
    StreamParams a = stream_base();
    a.ask = ask;
    a.u = u.data();
    for (int k = 0; k < 2; ++k) {
        a.r[k] = other[k].data();
        a.p[k] = other[2 + k].data();
    }
    if (!is_mixed(q.arithmetic)) {
        if (traits.element_bytes == 8)
            check(cudaMemcpy(a.r[0], b.data(), elements * sizeof(double), cudaMemcpyDeviceToDevice), "cudaMemcpy");
        else to_float<<<512, 256>>>(b.data(), static_cast<float*>(a.r[0]), elements);
        check(cudaGetLastError(), "to_float");
    }
    const int threads = traits.threads;
    const int warps = blocks * (threads / 32);
    const auto divide = [&](int width, int& strips, int& segments, int& segment_rows) {
        strips = (columns + width - 1) / width;
        segments = std::max(1, std::min(rows, warps / strips));
        segment_rows = (rows + segments - 1) / segments;
        segments = (rows + segment_rows - 1) / segment_rows;
    };
    divide(traits.strip_width, a.strips, a.segments, a.segment_rows);
    divide(60, a.fine_strips, a.fine_segments, a.fine_segment_rows);
    if (a.strips > warps || a.fine_strips > warps)
        throw InvalidInput("stream plan: grid rows of more than " + std::to_string(warps * 30) + " points");
    Timer timer;
    timer.start();
    if (in_two_launches(q)) {
        StreamParams head = a;
        head.ask = head_of(q, ask);
        launch_stream(head, q.arithmetic, blocks);
        a.before = result.data();
        a.result = result.data() + 1;
        a.words += 2 * kSumWords;
    }
    launch_stream(a, q.arithmetic, blocks);
    timer.end();
    watch.follow(timer);
    report.seconds = timer.seconds();
    report.plan = Plan::stream;
    report.plan_text = std::to_string(a.strips) + " x " + std::to_string(a.segments) + " strips of " +
                       std::to_string(traits.strip_width) + " x " + std::to_string(a.segment_rows) + ", " +
                       std::to_string(threads) + " threads per block";
    report.bytes_per_row = traits.bytes_per_row;
    report.operations_per_row = traits.operations_per_row;
}

ControlParams GridSolver::Impl::control_of(const CgRequest& q) const {
    const bool late = q.arithmetic == Arithmetic::late_float, wide = q.arithmetic == Arithmetic::double_precision;
    if (late && !(q.late > 0 && q.late <= 1))
        throw InvalidInput("late: it is a reduction of the residual norm, above 0 and at most 1");
    if (wide && !(*q.replace >= 0 && *q.replace < 1))
        throw InvalidInput("replace: it is a reduction of the residual norm, below 1, or 0 for none");
    ControlParams ask{};
    ask.max_passes = q.max_passes != 0 ? q.max_passes : static_cast<std::uint32_t>(40 * rows + 1000);
    ask.tolerance = q.tolerance;
    ask.inner = wide ? 0 : q.inner;
    ask.gain = wide ? *q.replace : std::pow(10.0, -q.digits);
    ask.patience = wide ? 10 : 100; // an inner solve in double gains five digits where there is anything to gain
    ask.guided = wide || q.guided;
    ask.first_norm = b_norm;
    const double magnitudes = std::abs(centre) + 2 * std::abs(east) + 2 * std::abs(north) + 4 * std::abs(diagonal);
    ask.coefficient_exponent = std::ilogb(magnitudes) + 1;
    return ask;
}

CgReport GridSolver::Impl::solve(const CgRequest& request) {
    // GridReduce counts blocks in a byte.
    const int blocks = std::min(require_device().multiprocessors, 255);
    CgReport report;
    if (b_norm == 0) {
        x.zero();
        report.end = CgEnd::converged;
        return report;
    }
    int depth = 0;
    std::optional<ResidentParams> resident_plan;
    if (request.plan != Plan::stream) resident_plan = resident(blocks, depth);
    CgRequest q = request;
    if (!q.replace) q.replace = resident_plan ? 1e-5 : 1e-2;
    SolveWatch watch(q.watch);
    ControlParams ask = control_of(q);
    ask.window = watch.window();
    report.initial_norm = b_norm;
    if (q.arithmetic == Arithmetic::late_float && !resident_plan)
        throw InvalidInput(
            "late-float has the resident plan only, and " +
            std::string(q.plan == Plan::stream ? "the stream plan was asked for" : "the grid does not fit it") +
            "; use mixed-float");
    if (q.plan == Plan::resident && !resident_plan)
        throw InvalidInput("resident plan: the grid does not fit the registers and shared memory of this device; use "
                           "the stream plan");
    x.zero();
    words.zero();
    if (resident_plan) run_resident(q, ask, *resident_plan, depth, watch, report);
    else run_stream(q, ask, blocks, watch, report);

    std::array<ControlResult, 2> results{};
    result.download(results);
    const ControlResult& done = results[in_two_launches(q) ? 1 : 0];
    report.double_passes = q.arithmetic == Arithmetic::late_float         ? results[0].passes
                           : q.arithmetic == Arithmetic::double_precision ? done.passes
                                                                          : 0;
    report.end = watch.stopped() && done.end == CgEnd::not_finite ? CgEnd::cancelled : done.end;
    report.passes = done.passes;
    report.outer = done.outer;
    report.guards = done.guards;
    judge(q.tolerance, report);
    return report;
}

void GridSolver::Impl::judge(double tolerance, CgReport& report) {
    Buffer<double> defect(elements);
    defect.zero();
    exact_defect<<<1024, 256>>>(stream_base(), defect.data());
    check(cudaGetLastError(), "exact_defect");
    report.true_residual = norm(defect.data()) / b_norm;
    if (tolerance == 0) return;
    if (report.true_residual < tolerance * (1 + kReachedSlack)) report.end = CgEnd::converged;
    else if (report.end == CgEnd::converged) report.end = CgEnd::stagnated;
}

GridSolver::GridSolver(const System& system) : impl_(std::make_unique<Impl>(system)) {}
GridSolver::~GridSolver() = default;

void GridSolver::set_rhs(std::span<const double> b) {
    Impl& i = *impl_;
    if (b.size() != i.size) throw InvalidInput("right-hand side: its size is not the system's");
    check(cudaMemcpy2D(i.b.data() + i.origin, i.pitch * sizeof(double), b.data() + i.first,
                       i.row_length * sizeof(double), i.columns * sizeof(double), i.rows, cudaMemcpyHostToDevice),
          "cudaMemcpy2D of the right-hand side");
    i.b_norm = i.norm(i.b.data());
}

bool GridSolver::fits_chip() const {
    int depth = 0;
    return impl_->resident(std::min(require_device().multiprocessors, 255), depth).has_value();
}

CgReport GridSolver::solve(const CgRequest& request) {
    return impl_->solve(request);
}

void GridSolver::solution(std::span<double> x) const {
    const Impl& i = *impl_;
    if (x.size() != i.size) throw InvalidInput("solution: its size is not the system's");
    std::fill(x.begin(), x.end(), 0.0);
    check(cudaMemcpy2D(x.data() + i.first, i.row_length * sizeof(double), i.x.data() + i.origin,
                       i.pitch * sizeof(double), i.columns * sizeof(double), i.rows, cudaMemcpyDeviceToHost),
          "cudaMemcpy2D of the solution");
}

double copy_bandwidth() {
    static_cast<void>(require_device());
    constexpr std::size_t kBytes = std::size_t{2} << 30;
    Buffer<unsigned char> from(kBytes), to(kBytes);
    check(cudaMemset(from.data(), 0x5A, kBytes), "cudaMemset");
    std::vector<double> seconds;
    Timer timer;
    for (int i = 0; i < 12; ++i) {
        timer.start();
        check(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice), "cudaMemcpy");
        const double s = timer.stop();
        if (i >= 2) seconds.push_back(s);
    }
    std::sort(seconds.begin(), seconds.end());
    return 2.0 * kBytes / seconds[seconds.size() / 2];
}

} // namespace mantissa::gpu
