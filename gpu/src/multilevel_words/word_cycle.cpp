#include "mantissa/gpu/word_cycle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <type_traits>

#include <fmt/format.h>

#include "launch.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

using namespace cycle_words;

namespace {

constexpr int kWeightBits = 9, kInverseBits = 16, kShortStored = 15, kLongStored = 29;
constexpr double kLeastHigh = 0.25; ///< as in numerics/src/multilevel/words/grid_words.cpp
constexpr int kWide = 2048;         ///< grids from so many intervals on are bound by throughput, not by latency

/// The least l with x <= 2^l.
int log2_up(double x) {
    return static_cast<int>(std::ceil(std::log2(x)));
}

struct Sizes {
    std::size_t found, sum, leaving, defect, wide;
};
Sizes sizes_of(bool in_double, WordClass words) {
    if (in_double) return {8, 8, 8, 8, 8};
    switch (words) {
    case WordClass::even:
    case WordClass::shortest:
        return {2, 4, 4, 2, 8};
    case WordClass::middle:
        return {4, 4, 4, 4, 8};
    default:
        return {4, 8, 4, 4, 8};
    }
}

/// The symbol is linear in each cosine, so it is largest at corners.
double largest_eigenvalue(const WordStencil& a) {
    double largest = 0;
    for (const double x : {-1.0, 1.0})
        for (const double y : {-1.0, 1.0})
            largest = std::max(largest, a.centre + 2 * a.east_west * x + 2 * a.north_south * y + 4 * a.corner * x * y);
    return largest;
}

/// The k-th of `steps` weights: significand 2^-point.
void make_weight(const WordStencil& a, int k, int steps, int& significand, int& point, double& real) {
    const double largest = largest_eigenvalue(a);
    const double weight =
        1 / (0.75 * largest + 0.25 * largest * std::cos((2 * k + 1) * std::numbers::pi / (2 * steps)));
    int exponent = 0;
    std::frexp(weight, &exponent);
    point = kWeightBits - exponent;
    significand = static_cast<int>(std::floor(std::ldexp(weight, point) + 0.5));
    real = std::ldexp(significand, -point);
}

void make_weights(CyclePlan& plan, const WordStencil& a) {
    for (int k = 0; k < plan.before; ++k)
        make_weight(a, k, plan.before, plan.weight[k], plan.weight_point[k], plan.real_weight[k]);
    for (int k = 0; k < plan.after; ++k)
        make_weight(a, plan.after - 1 - k, plan.after, plan.weight_after[k], plan.weight_point_after[k],
                    plan.real_weight_after[k]);
}

void make_inverse(CyclePlan& plan) {
    plan.real_inverse = 1.0 / plan.centre;
    int exponent = 0; // 2^exponent above the inverse
    std::frexp(plan.real_inverse, &exponent);
    plan.inverse_point = kInverseBits - exponent;
    plan.inverse = std::min((1 << kInverseBits) - 1,
                            static_cast<int>(std::floor(std::ldexp(plan.real_inverse, plan.inverse_point) + 0.5)));
}

int row_sum_log2(const CyclePlan& plan) {
    return log2_up(std::abs(plan.centre) + 2.0 * std::abs(plan.east_west) + 2.0 * std::abs(plan.north_south) +
                   4.0 * std::abs(plan.corner));
}

/// Do 32 bits hold every sum? Upwards: a product that is shifted to the left is cut to 2^28 after the shift, which r,
/// of w + guard bits there, does not bring below what the rest is cut to, 2^(w + guard + 5) (the first condition); r at
/// e's point stays below 2^27, and so does what a weight makes of it (the second); no weight is shifted to the left.
bool fits_32(const CyclePlan& plan) {
    const int sum = row_sum_log2(plan);
    for (int l = 0; l + 1 < plan.levels; ++l) {
        const LevelPlan& level = plan.level[l];
        const int held = level.w + plan.guard + kGuardOfHeld;
        if (held - 1 + 4 > 29 || plan.level[l + 1].e + 1 > 28) return false;
        if (plan.after > 0 && (level.w + plan.guard > 21 || level.w + level.phi > 27)) return false;
        for (int k = 0; k < plan.after; ++k)
            if (plan.weight_point_after[k] + plan.guard < level.phi) return false;
        for (int k = 0; k < plan.before; ++k) {
            const int q = k == 0 ? 0 : plan.guard, r = (k == 0 ? level.w : held) - 1, high = std::max(q, level.phi);
            if (r + kWeightBits + std::max(0, level.phi - q - plan.weight_point[k]) > 30) return false;
            const int most = std::max(r + high - q, level.f - 1 + sum + high - level.phi) + 1;
            if (most + std::max(0, plan.guard - high) > 30) return false;
        }
    }
    return true;
}

WordClass class_of(const CyclePlan& plan) {
    bool shortest = plan.level[0].w <= kShortStored - 3;
    for (int l = 0; l + 1 < plan.levels; ++l)
        shortest = shortest && plan.level[l].f <= 16 && (plan.after == 0 || plan.level[l].w + plan.guard <= 15);
    if (!fits_32(plan)) return WordClass::longest;
    if (!shortest) return WordClass::middle;
    return plan.corner == -1 && plan.east_west == -1 && plan.north_south == -1 ? WordClass::even : WordClass::shortest;
}

/// Tiles of `rows` rows, for about as many warps as there are.
Tiles cut_tiles(int n, int width, int warps, int least) {
    Tiles tiles;
    tiles.strips = (n + width - 1) / width;
    const int wanted = std::max(1, warps / tiles.strips);
    tiles.rows = std::max(least, (n + wanted - 1) / wanted);
    tiles.rows += tiles.rows & 1;
    tiles.chunks = (n + tiles.rows - 1) / tiles.rows;
    if (tiles.strips > 1) tiles.inverse = static_cast<unsigned>((0x100000000 + tiles.strips - 1) / tiles.strips);
    return tiles;
}

void check_stencil(const WordStencil& a) {
    if (a.centre <= 0 || a.centre != -8 * a.corner || a.east_west + a.north_south != 2 * a.corner)
        throw InvalidInput(fmt::format("stencil {}, {}, {}, {}: not one of bilinear elements (centre = -8 corner, "
                                       "east-west + north-south = 2 corner), so not its own coarse operator",
                                       a.centre, a.east_west, a.north_south, a.corner));
    if (a.centre + 2 * std::min(a.east_west, a.north_south) < kLeastHigh * largest_eigenvalue(a))
        throw InvalidInput(
            fmt::format("stencil {}, {}, {}, {}: so much stronger in one direction that smoothing by points "
                        "does not reach what a coarser grid cannot show",
                        a.centre, a.east_west, a.north_south, a.corner));
    if (a.centre > 64 || std::abs(a.east_west) > 64 || std::abs(a.north_south) > 64)
        throw InvalidInput(fmt::format("stencil {}, {}, {}, {}: coefficients above 64 do not fit the words of a cycle",
                                       a.centre, a.east_west, a.north_south, a.corner));
}

} // namespace

std::string to_string(WordSolveEnd end) {
    switch (end) {
    case WordSolveEnd::converged:
        return "converged";
    case WordSolveEnd::cycles:
        return "cycles";
    default:
        return "overflow";
    }
}

struct WordCycle::State {
    int n = 0;
    bool in_double = false;
    WordClass words = WordClass::longest;
    CyclePlan plan;
    OuterPlan outer;
    const void* kernel = nullptr;
    int blocks = 0;
    std::size_t shared = 0;
    std::vector<Buffer<unsigned char>> memory;
    Buffer<Cells> cells;
    Buffer<Outcome> outcome;
    Buffer<unsigned long long> barrier;
    Buffer<unsigned int> overflow;

    void* take(std::size_t bytes) {
        memory.emplace_back(bytes);
        memory.back().zero();
        return memory.back().data();
    }
    [[nodiscard]] std::size_t elements(int l) const {
        return static_cast<std::size_t>(plan.level[l].n + 1) * static_cast<std::size_t>(plan.level[l].pitch);
    }
    void make_plan(int level, const WordStencil& stencil, const CycleSpec& spec);
    void place();
    WordSolveReport run(int repeats, double norm_b);
    template <class T> void upload(std::span<const T> from, void* to) const {
        check(cudaMemcpy2D(to, static_cast<std::size_t>(plan.level[0].pitch) * sizeof(T), from.data(),
                           static_cast<std::size_t>(n + 1) * sizeof(T), static_cast<std::size_t>(n + 1) * sizeof(T),
                           static_cast<std::size_t>(n + 1), cudaMemcpyHostToDevice),
              "cudaMemcpy2D");
    }
    template <class T> void download(std::vector<T>& to, const void* from) const {
        to.resize(static_cast<std::size_t>(n + 1) * static_cast<std::size_t>(n + 1));
        check(cudaMemcpy2D(to.data(), static_cast<std::size_t>(n + 1) * sizeof(T), from,
                           static_cast<std::size_t>(plan.level[0].pitch) * sizeof(T),
                           static_cast<std::size_t>(n + 1) * sizeof(T), static_cast<std::size_t>(n + 1),
                           cudaMemcpyDeviceToHost),
              "cudaMemcpy2D");
    }
    /// b as the kernel reads it, its edge zero.
    template <class T> double upload_b(std::span<const T> b) {
        const std::size_t side = static_cast<std::size_t>(n) + 1;
        double squares = 0;
        std::uint64_t bits = 0;
        for (std::size_t y = 1; y + 1 < side; ++y)
            for (std::size_t x = 1; x + 1 < side; ++x) {
                const T value = b[y * side + x];
                squares += static_cast<double>(value) * static_cast<double>(value);
                if constexpr (std::is_integral_v<T>)
                    bits |= value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
            }
        outer.length_b = std::bit_width(bits);
        const auto row = [&](auto* from, std::size_t y) { return std::span(from + y * side, side); };
        const auto edge_is_zero = [&] {
            const auto zero = [](T x) { return x == T{}; };
            for (std::size_t y = 1; y + 1 < side; ++y)
                if (!zero(b[y * side]) || !zero(b[(y + 1) * side - 1])) return false;
            return std::ranges::all_of(row(b.data(), 0), zero) && std::ranges::all_of(row(b.data(), side - 1), zero);
        };
        if (edge_is_zero()) {
            upload(b, const_cast<void*>(outer.b));
            return std::sqrt(squares);
        }
        std::vector<T> inner(b.begin(), b.end());
        for (const std::size_t y : {std::size_t{0}, side - 1}) std::ranges::fill(row(inner.data(), y), T{});
        for (std::size_t y = 1; y + 1 < side; ++y) inner[y * side] = inner[(y + 1) * side - 1] = T{};
        upload(std::span<const T>(inner), const_cast<void*>(outer.b));
        return std::sqrt(squares);
    }
};

void WordCycle::State::make_plan(int level, const WordStencil& stencil, const CycleSpec& spec) {
    n = 1 << level;
    in_double = spec.in_double;
    plan.levels = level;
    plan.before = spec.before;
    plan.after = spec.after;
    plan.guard = spec.guard;
    plan.centre = stencil.centre;
    plan.east_west = stencil.east_west;
    plan.north_south = stencil.north_south;
    plan.corner = stencil.corner;
    plan.most = std::min(26, std::max(16, 30 - row_sum_log2(plan)));
    make_weights(plan, stencil);
    make_inverse(plan);
    double weights = 0;
    for (int k = 0; k < plan.before; ++k) weights += plan.real_weight[k];
    const int warps = require_device().multiprocessors * kWarps;
    for (int l = 0; l < plan.levels; ++l) {
        LevelPlan& here = plan.level[l];
        here.n = n >> l;
        here.pitch = here.n + 8;
        here.w = CycleSpec::of(spec.w, static_cast<std::size_t>(l));
        here.f = CycleSpec::of(spec.f, static_cast<std::size_t>(l));
        here.e = CycleSpec::of(spec.e, static_cast<std::size_t>(l));
        here.phi = here.f - here.w - log2_up(weights);
        here.columns_down = here.n >= kWide ? 4 : 2;
        here.columns_up = in_double ? 2 : here.columns_down;
        const auto width = [](int columns, int halo) { return (kLanes - 2 * halo) * columns; };
        here.down = cut_tiles(here.n, width(here.columns_down, halo_down(plan.before, here.columns_down)), warps, 2);
        here.up = cut_tiles(here.n, width(here.columns_up, halo_up(plan.after, l == 0, here.columns_up)), warps, 2);
    }
    words = class_of(plan);
    const Sizes size = sizes_of(in_double, words);
    plan.first_small = std::max(1, level - (size.sum == 8 ? 5 : 6)); // small grids and rings share the memory
}

void WordCycle::State::place() {
    const Sizes size = sizes_of(in_double, words);
    for (int l = 0; l < plan.first_small; ++l) plan.level[l].found = take(elements(l) * size.found);
    for (int l = 1; l <= plan.first_small; ++l) {
        plan.level[l].entering = take(elements(l) * size.sum);
        plan.level[l].leaving = take(elements(l) * size.leaving);
    }
    for (void*& u : outer.u) u = take(elements(0) * size.wide);
    for (void*& d : outer.d) d = take(elements(0) * size.defect);
    outer.b = take(elements(0) * size.wide);
    const bool short_stored = size.defect == 2;
    outer.stored_bits = short_stored ? kShortStored : kLongStored;
    outer.headroom = !short_stored ? 2 : plan.level[0].w <= 10 ? 1 : 0;
    cells.allocate(kCellSets);
    outcome.allocate(1);
    barrier.allocate(1);
    overflow.allocate(1);
    outer.cells = cells.data();
    outer.outcome = outcome.data();
    outer.barrier = barrier.data();
    outer.overflow = overflow.data();
    kernel = in_double ? double_kernel() : words_kernel(words);
    blocks = require_device().multiprocessors;
    plan.ring = small_words(plan.level[plan.first_small].n) * static_cast<int>(size.sum);
    plan.ring = (plan.ring + 15) / 16 * 16;
    const std::size_t lane =
        2 * size.wide + size.found + size.leaving / 2 + std::max(size.defect, size.sum); // of a column, upwards
    const std::size_t down = 4 * kRowsDown * std::max(size.defect, size.sum);
    shared = static_cast<std::size_t>(plan.ring) + kThreads * std::max(2 * rows_up(2) * lane, down);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
          "cudaFuncSetAttribute");
}

WordSolveReport WordCycle::State::run(int repeats, double norm_b) {
    if (in_double) load_double_plans(plan, outer);
    else load_words_plans(plan, outer);
    cudaEvent_t begin = nullptr, end = nullptr;
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
    WordSolveReport report;
    for (int i = 0; i < repeats; ++i) {
        check(cudaMemset(outer.u[0], 0, elements(0) * 8), "cudaMemset");
        cells.zero();
        outcome.zero();
        barrier.zero();
        overflow.zero();
        check(cudaEventRecord(begin), "cudaEventRecord");
        check(cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), nullptr, shared,
                                          nullptr),
              "cudaLaunchCooperativeKernel");
        check(cudaEventRecord(end), "cudaEventRecord");
        check(cudaEventSynchronize(end), "multilevel solve");
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
        const double seconds = 1e-3 * static_cast<double>(milliseconds);
        report.seconds = i == 0 ? seconds : std::min(report.seconds, seconds);
    }
    static_cast<void>(cudaEventDestroy(begin));
    static_cast<void>(cudaEventDestroy(end));
    Outcome out;
    check(cudaMemcpy(&out, outcome.data(), sizeof(out), cudaMemcpyDeviceToHost), "cudaMemcpy");
    report.end = static_cast<WordSolveEnd>(out.stop);
    report.cycles = out.cycles;
    report.rebuilt = out.rebuilt;
    for (int k = 0; k <= std::min(out.cycles, kHistory - 1); ++k) {
        double norm = 0;
        if (in_double) norm = std::sqrt(std::bit_cast<double>(out.squares[k]));
        else norm = std::ldexp(std::sqrt(static_cast<double>(out.squares[k])), out.stored[k] - 1);
        report.residual.push_back(norm_b > 0 ? norm / norm_b : 0);
    }
    return report;
}

WordCycle::WordCycle(int level, const WordStencil& stencil, const CycleSpec& spec) : state_(std::make_unique<State>()) {
    if (level < 3 || level > 14) throw InvalidInput(fmt::format("level {}: give 3 to 14", level));
    check_stencil(stencil);
    state_->make_plan(level, stencil, spec);
    state_->place();
}
WordCycle::WordCycle(WordCycle&&) noexcept = default;
WordCycle& WordCycle::operator=(WordCycle&&) noexcept = default;
WordCycle::~WordCycle() = default;

std::size_t WordCycle::nodes() const {
    return (static_cast<std::size_t>(state_->n) + 1) * (static_cast<std::size_t>(state_->n) + 1);
}

WordCorrection WordCycle::correct(std::span<const std::int64_t> d) {
    if (state_->in_double) throw InvalidInput("a cycle in double has no words");
    static_cast<void>(state_->upload_b(d));
    OuterPlan& outer = state_->outer;
    outer.raw = true;
    outer.most_cycles = 1;
    std::ranges::fill(outer.limit, 0ULL);
    static_cast<void>(state_->run(1, 0));
    outer.raw = false;
    WordCorrection c;
    state_->download(c.words, outer.u[1]);
    Outcome out;
    check(cudaMemcpy(&out, state_->outcome.data(), sizeof(out), cudaMemcpyDeviceToHost), "cudaMemcpy");
    c.point = out.point;
    return c;
}

WordSolveReport WordCycle::solve(std::span<const std::int64_t> b, const WordSolveRequest& request,
                                 std::vector<std::int64_t>& u, int repeats) {
    if (state_->in_double) throw InvalidInput("a cycle in double solves systems in double");
    OuterPlan& outer = state_->outer;
    const double norm = state_->upload_b(b), limit = request.tolerance * norm;
    outer.most_cycles = request.most_cycles;
    for (int p = 0; p < 64; ++p)
        outer.limit[p] = static_cast<unsigned long long>(std::min(0x1p63, std::ldexp(limit * limit, 2 - 2 * p)));
    WordSolveReport report = state_->run(repeats, norm);
    state_->download(u, outer.u[report.cycles & 1]);
    return report;
}

WordSolveReport WordCycle::solve(std::span<const double> b, const WordSolveRequest& request, std::vector<double>& u,
                                 int repeats) {
    if (!state_->in_double) throw InvalidInput("a cycle in words solves systems in integers");
    OuterPlan& outer = state_->outer;
    const double norm = state_->upload_b(b), limit = request.tolerance * norm;
    outer.most_cycles = request.most_cycles;
    outer.real_limit = limit * limit;
    WordSolveReport report = state_->run(repeats, norm);
    state_->download(u, outer.u[report.cycles & 1]);
    return report;
}

double WordCycle::bytes_per_node() const {
    const Sizes size = sizes_of(state_->in_double, state_->words);
    const auto bytes = [](std::size_t count, double times) { return static_cast<double>(count) * times; };
    const double steps = state_->plan.after > 0 ? 1 : 0;
    double all = bytes(size.defect, 2 + steps) + bytes(size.found, 2) + bytes(size.wide, 3) +
                 0.25 * bytes(size.sum, 1) + 0.25 * bytes(size.leaving, 1);
    double share = 0.25;
    for (int l = 1; l < state_->plan.first_small; ++l, share /= 4)
        all += share * (bytes(size.sum, 1 + steps) + bytes(size.found, 2) + bytes(size.leaving, 1) +
                        0.25 * bytes(size.sum, 1) + 0.25 * bytes(size.leaving, 1));
    return all;
}

} // namespace mantissa::gpu
