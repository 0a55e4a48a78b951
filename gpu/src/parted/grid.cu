// The driver of the grid solver over parts: the cut, memory on each device, plans and launches.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include "../peers/part_timer.hpp"
#include "exact_residual.cuh"
#include "grid_launches.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/parted_grid.hpp"
#include "mantissa/reached.hpp"
#include "part_block.cuh"

namespace mantissa::gpu {

namespace {

__global__ void part_to_float(const double* from, float* to, long long n) {
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += 256LL * gridDim.x)
        to[i] = static_cast<float>(from[i]);
}

constexpr int kLaps = 5; // of PartLaps

/// A part's vectors in its device's memory.
struct PartMemory {
    int first_row = 0, rows = 0;
    Buffer<double> b, x, partial;
    Buffer<unsigned char> vectors[5]; ///< u, r twice, p twice
    Buffer<PeerPacket> halo[2];
    Buffer<unsigned long long> words;
    Buffer<ControlResult> result;
    Buffer<long long> laps;
};

struct Cut {
    int strips, segments, rows;
};
Cut cut_strips(int columns, int rows, int width, int warps) {
    const int strips = (columns + width - 1) / width;
    int segments = std::max(1, std::min(rows, warps / strips));
    const int each = (rows + segments - 1) / segments;
    segments = (rows + each - 1) / each;
    return {strips, segments, each};
}

} // namespace

struct PartedGridSolver::Impl {
    Peers& peers;
    std::size_t size = 0, row_length = 0, first = 0;
    int columns = 0, rows = 0;
    long long pitch = 0, origin = 0;
    double centre = 0, east = 0, north = 0, diagonal = 0, row_sum = 0, side_sum = 0;
    double b_norm = 0;
    std::array<int, 2> first_ratios{}; ///< exponents of p.A p and of |A p|^2 over |p|^2 for p = b, about
    std::vector<PartMemory> memory;

    Impl(Peers& over, const System& system);
    [[nodiscard]] long long elements(const PartMemory& m) const { return (m.rows + 6) * pitch + 512; }
    [[nodiscard]] ControlParams control_of(const PartedRequest& q) const;
    template <class T> [[nodiscard]] std::vector<GridPart<T>> base_parts();
    /// Rows of a thread with which every part's tiles fit its multiprocessors; 0: none.
    [[nodiscard]] int resident_depth(const PartedRequest& q) const;
    template <class T> void prepare_stream(std::vector<GridPart<T>>& parts, int blocks) const;
    template <class T> int prepare_resident(std::vector<GridPart<T>>& parts, int depth) const;
    template <class T> void run(const PartedRequest& q, PartedReport& report);
    [[nodiscard]] double norm(const std::vector<Buffer<double>>& v) const;
    void guess_ratios(std::span<const double> b);
    void exchange_x();
    void judge(double tolerance, PartedReport& report);
    PartedReport solve(const PartedRequest& request);
};

PartedGridSolver::Impl::Impl(Peers& over, const System& system) : peers(over), size(system.size()) {
    if (system.kind() != System::Kind::stencil)
        throw InvalidInput("grid solver over GPUs: it takes a constant stencil");
    row_length = system.row_length();
    const auto& c = std::get<Stencil>(system.matrix()).coefficients();
    if (c[0] != c[2] || c[0] != c[6] || c[0] != c[8] || c[3] != c[5] || c[1] != c[7])
        throw InvalidInput("grid solver over GPUs: a constant stencil must be the same left, right, up and down");
    centre = c[4];
    east = c[5];
    north = c[7];
    diagonal = c[8];
    // Rounded once: see cg.cu.
    row_sum = static_cast<double>(static_cast<long double>(centre) + 2.0L * east + 2.0L * north + 4.0L * diagonal);
    side_sum = static_cast<double>(east + 2.0L * diagonal);
    columns = static_cast<int>(row_length) - 2;
    rows = static_cast<int>(std::get<Stencil>(system.matrix()).rows()) - 2;
    first = row_length + 1;
    pitch = (columns + 1 + 7) / 8 * 8;
    origin = 3 * pitch + 32;
    const int parts = peers.parts();
    if (parts > 1 && rows < 4 * parts)
        throw InvalidInput("grid solver over GPUs: " + std::to_string(rows) + " rows over " + std::to_string(parts) +
                           " parts; give at most " + std::to_string(std::max(1, rows / 4)) + " parts");
    for (int p = 0; p < parts; ++p) {
        const OnDevice here(peers.device(p));
        PartMemory m;
        m.first_row = static_cast<int>(static_cast<long long>(rows) * p / parts);
        m.rows = static_cast<int>(static_cast<long long>(rows) * (p + 1) / parts) - m.first_row;
        const auto count = static_cast<std::size_t>(elements(m));
        m.b.allocate(count);
        m.b.zero();
        m.x.allocate(count);
        m.x.zero();
        m.partial.allocate(1024);
        m.words.allocate(kPartSumWords);
        m.result.allocate(1);
        m.laps.allocate(kLaps);
        memory.push_back(std::move(m));
    }
}

double PartedGridSolver::Impl::norm(const std::vector<Buffer<double>>& v) const {
    constexpr int kBlocks = 512;
    double s = 0;
    for (std::size_t p = 0; p < memory.size(); ++p) {
        const OnDevice here(peers.device(static_cast<int>(p)));
        const PartMemory& m = memory[p];
        sum_of_squares<<<kBlocks, 256>>>(v.empty() ? m.b.data() : v[p].data(), elements(m), m.partial.data());
        check(cudaGetLastError(), "sum_of_squares");
        std::vector<double> host(kBlocks);
        m.partial.download(host);
        for (const double x : host) s += x;
    }
    return std::sqrt(s);
}

ControlParams PartedGridSolver::Impl::control_of(const PartedRequest& q) const {
    const bool wide = q.arithmetic == Arithmetic::double_precision;
    if (!(*q.replace >= 0 && *q.replace < 1))
        throw InvalidInput("replace: it is a reduction of the residual norm, below 1, or 0 for none");
    ControlParams ask{};
    ask.max_passes = q.max_passes != 0 ? q.max_passes : static_cast<std::uint32_t>(40 * rows + 1000);
    ask.tolerance = q.tolerance;
    ask.inner = wide ? 0 : q.inner;
    ask.gain = wide ? *q.replace : 0;
    ask.patience = wide ? 10 : 100;
    ask.guided = true;
    ask.first_norm = b_norm;
    const double magnitudes = std::abs(centre) + 2 * std::abs(east) + 2 * std::abs(north) + 4 * std::abs(diagonal);
    ask.coefficient_exponent = std::ilogb(magnitudes) + 1;
    return ask;
}

template <class T> std::vector<GridPart<T>> PartedGridSolver::Impl::base_parts() {
    std::vector<GridPart<T>> list;
    for (std::size_t p = 0; p < memory.size(); ++p) {
        PartMemory& m = memory[p];
        GridPart<T> a{};
        a.view = peers.view(static_cast<int>(p));
        a.columns = columns;
        a.rows = m.rows;
        a.before = m.first_row;
        a.behind = rows - m.first_row - m.rows;
        a.points = static_cast<long long>(columns) * rows;
        a.pitch = pitch;
        a.origin = origin;
        a.centre = centre;
        a.east = east;
        a.north = north;
        a.diagonal = diagonal;
        a.row_sum = row_sum;
        a.side_sum = side_sum;
        a.b = m.b.data();
        a.x = m.x.data();
        for (std::size_t to = 0; to < memory.size(); ++to) a.words[to] = memory[to].words.data();
        a.result = m.result.data();
        a.laps = m.laps.data();
        for (int k = 0; k < 2; ++k) {
            a.halo[k] = m.halo[k].data();
            if (p > 0) a.low_halo[k] = memory[p - 1].halo[k].data() + memory[p - 1].rows * pitch;
            if (p + 1 < memory.size()) a.high_halo[k] = memory[p + 1].halo[k].data() - m.rows * pitch;
        }
        const auto vector = [](PartMemory& of, int k) { return reinterpret_cast<T*>(of.vectors[k].data()); };
        a.u = vector(m, 0);
        for (int k = 0; k < 2; ++k) {
            a.r[k] = vector(m, 1 + k);
            a.p[k] = vector(m, 3 + k);
        }
        if (p > 0) {
            PartMemory& low = memory[p - 1];
            const long long shift = low.rows * pitch;
            a.low_x = low.x.data() + shift;
            for (int k = 0; k < 2; ++k) {
                a.low_r[k] = vector(low, 1 + k) + shift;
                a.low_p[k] = vector(low, 3 + k) + shift;
            }
        }
        if (p + 1 < memory.size()) {
            PartMemory& high = memory[p + 1];
            const long long shift = -m.rows * pitch;
            a.high_x = high.x.data() + shift;
            for (int k = 0; k < 2; ++k) {
                a.high_r[k] = vector(high, 1 + k) + shift;
                a.high_p[k] = vector(high, 3 + k) + shift;
            }
        }
        list.push_back(a);
    }
    return list;
}

int PartedGridSolver::Impl::resident_depth(const PartedRequest& q) const {
    if (q.plan == Plan::stream) return 0;
    int most = 0;
    for (const PartMemory& m : memory) most = std::max(most, m.rows);
    // (64 rows, which only float has room for, are slower than a stream)
    const int deepest = q.arithmetic != Arithmetic::double_precision && q.plan == Plan::resident ? 64 : 32;
    for (int depth = 4; depth <= deepest; depth *= 2) {
        const ChipTiles tile = chip_tiles(depth);
        const int across = (columns + tile.columns - 1) / tile.columns, down = (most + tile.rows - 1) / tile.rows;
        if (across * down <= std::min(peers.multiprocessors(), 255)) return depth;
    }
    if (q.plan == Plan::resident)
        throw InvalidInput("resident plan: the grid does not fit the registers and shared memory of these devices; use "
                           "the stream plan");
    return 0;
}

template <class T> void PartedGridSolver::Impl::prepare_stream(std::vector<GridPart<T>>& parts, int blocks) const {
    const int warps = blocks * (stream_threads(sizeof(T)) / 32);
    for (GridPart<T>& a : parts) {
        const Cut cut = cut_strips(columns, a.rows, sizeof(T) == 8 ? 60 : 120, warps);
        const Cut fine = cut_strips(columns, a.rows, 60, warps);
        if (fine.strips > warps)
            throw InvalidInput("grid solver over GPUs: grid rows of more than " + std::to_string(warps * 60) +
                               " points");
        a.strips = cut.strips;
        a.segments = cut.segments;
        a.segment_rows = cut.rows;
        a.fine_strips = fine.strips;
        a.fine_segments = fine.segments;
        a.fine_segment_rows = fine.rows;
    }
}

/// Returns the blocks of a part.
template <class T> int PartedGridSolver::Impl::prepare_resident(std::vector<GridPart<T>>& parts, int depth) const {
    const ChipTiles tile = chip_tiles(depth);
    int blocks = 0;
    for (GridPart<T>& a : parts) {
        a.strips = (columns + tile.columns - 1) / tile.columns;
        // As many tiles as there is room for, so that each is small.
        a.segments = std::max((a.rows + tile.rows - 1) / tile.rows, std::min(peers.multiprocessors(), 255) / a.strips);
        a.segment_rows = (a.rows + a.segments - 1) / a.segments;
        blocks = std::max(blocks, a.strips * a.segments);
    }
    return blocks;
}

template <class T> void PartedGridSolver::Impl::run(const PartedRequest& q, PartedReport& report) {
    const int depth = resident_depth(q);
    for (std::size_t p = 0; p < memory.size(); ++p) {
        const OnDevice here(peers.device(static_cast<int>(p)));
        PartMemory& m = memory[p];
        const std::size_t bytes = static_cast<std::size_t>(elements(m)) * sizeof(T);
        for (Buffer<unsigned char>& v : m.vectors) {
            if (v.size() != bytes) {
                v = {};
                v.allocate(bytes);
            }
            v.zero();
        }
        if (depth != 0)
            for (Buffer<PeerPacket>& h : m.halo)
                if (h.size() == 0) {
                    h.allocate(static_cast<std::size_t>(elements(m)));
                    h.zero();
                }
        m.x.zero();
        m.words.zero();
    }
    std::vector<GridPart<T>> parts = base_parts<T>();
    const ControlParams ask = control_of(q);
    const bool plain = q.arithmetic == Arithmetic::single_precision ||
                       (q.arithmetic == Arithmetic::double_precision && *q.replace == 0);
    // Each pass is one round, and a few are made twice; a restart is two.
    const unsigned long long round = peers.next_round(8ull * ask.max_passes + 64);
    for (std::size_t p = 0; p < memory.size(); ++p) {
        GridPart<T>& a = parts[p];
        a.ask = ask;
        a.plain = plain;
        a.first_round = round;
        std::ranges::copy(first_ratios, a.first_ratios);
        const OnDevice here(peers.device(static_cast<int>(p)));
        if (!plain) continue;
        // The halo rows of r[0] are b's, which every part has.
        const long long count = elements(memory[p]);
        if constexpr (std::is_same_v<T, float>) part_to_float<<<512, 256>>>(a.b, a.r[0], count);
        else
            check(cudaMemcpy(a.r[0], a.b, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDeviceToDevice),
                  "cudaMemcpy");
        check(cudaGetLastError(), "part_to_float");
    }
    int blocks = std::min(peers.multiprocessors(), 255);
    if (depth != 0) blocks = prepare_resident(parts, depth);
    else prepare_stream(parts, blocks);
    for (const int d : peers.distinct()) {
        const OnDevice here(d);
        check(cudaDeviceSynchronize(), "preparation of a solve over parts");
    }
    std::optional<PartTimer> timer;
    timer.emplace(peers, 0);
    if (depth != 0) launch_part_resident(peers, std::span<const GridPart<T>>(parts), depth, blocks);
    else launch_part_stream(peers, std::span<const GridPart<T>>(parts), blocks);
    timer->stop();
    peers.wait();
    report.seconds = timer->seconds();
    const GridPart<T>& a = parts[0];
    report.plan = depth != 0 ? Plan::resident : Plan::stream;
    const int width = depth != 0 ? chip_tiles(depth).columns : sizeof(T) == 8 ? 60 : 120;
    report.plan_text = std::to_string(peers.parts()) + " parts, each of " + std::to_string(a.strips) + " x " +
                       std::to_string(a.segments) + (depth != 0 ? " tiles of " : " strips of ") +
                       std::to_string(width) + " x " + std::to_string(a.segment_rows);
    report.bytes_per_row = depth != 0 ? 0.0 : 5.0 * sizeof(T);
}

/// Where the first pass's sums are to be expected, from some rows of b: a wrong guess costs that pass a second time.
void PartedGridSolver::Impl::guess_ratios(std::span<const double> b) {
    constexpr int kRows = 64;
    double pp = 0, pq = 0, qq = 0;
    for (int y = 0; y < rows; y += std::max(1, rows / kRows))
        for (int x = 0; x < columns; ++x) {
            const double* at = b.data() + first + static_cast<std::size_t>(y) * row_length + x;
            // (zero beyond the grid's edge, whatever b has there)
            const auto value = [&](int dy, int dx) {
                const bool in = y + dy >= 0 && y + dy < rows && x + dx >= 0 && x + dx < columns;
                return in ? at[dy * static_cast<std::ptrdiff_t>(row_length) + dx] : 0.0;
            };
            const double q = centre * *at + east * (value(0, -1) + value(0, 1)) + north * (value(-1, 0) + value(1, 0)) +
                             diagonal * (value(-1, -1) + value(-1, 1) + value(1, -1) + value(1, 1));
            pp += *at * *at;
            pq += *at * q;
            qq += q * q;
        }
    const double magnitudes = std::abs(centre) + 2 * std::abs(east) + 2 * std::abs(north) + 4 * std::abs(diagonal);
    const int largest = std::ilogb(magnitudes) + 1;
    const auto places = [&](double sum, int otherwise) {
        return std::isnormal(sum / pp) ? std::ilogb(std::abs(sum / pp)) + 1 : otherwise;
    };
    first_ratios = {places(pq, largest), places(qq, 2 * largest)};
}

void PartedGridSolver::Impl::exchange_x() {
    // Whole rows of the neighbours, pitch and all.
    const auto row = [&](const PartMemory& m, int y) { return m.x.data() + origin + y * pitch - 8; };
    const std::size_t bytes = static_cast<std::size_t>(pitch) * sizeof(double);
    for (std::size_t p = 0; p + 1 < memory.size(); ++p) {
        PartMemory &low = memory[p], &high = memory[p + 1];
        check(cudaMemcpy(row(low, low.rows), row(high, 0), bytes, cudaMemcpyDefault), "cudaMemcpy between parts");
        check(cudaMemcpy(row(high, -1), row(low, low.rows - 1), bytes, cudaMemcpyDefault), "cudaMemcpy between parts");
    }
}

void PartedGridSolver::Impl::judge(double tolerance, PartedReport& report) {
    exchange_x();
    std::vector<GridPart<double>> parts = base_parts<double>();
    std::vector<Buffer<double>> defects;
    for (std::size_t p = 0; p < memory.size(); ++p) {
        const OnDevice here(peers.device(static_cast<int>(p)));
        check(cudaDeviceSynchronize(), "cudaMemcpy between parts");
        defects.emplace_back(static_cast<std::size_t>(elements(memory[p])));
        defects.back().zero();
        exact_defect<<<1024, 256>>>(parts[p], defects.back().data());
        check(cudaGetLastError(), "exact_defect");
    }
    report.true_residual = norm(defects) / b_norm;
    if (tolerance == 0) return;
    if (report.true_residual < tolerance * (1 + kReachedSlack)) report.end = CgEnd::converged;
    else if (report.end == CgEnd::converged) report.end = CgEnd::stagnated;
}

PartedReport PartedGridSolver::Impl::solve(const PartedRequest& request) {
    PartedRequest q = request;
    // By size alone, so that bits depend on nothing else.
    if (!q.replace) q.replace = static_cast<long long>(columns) * rows <= 1 << 20 ? 1e-5 : 1e-2;
    PartedReport report;
    if (b_norm == 0) {
        for (PartMemory& m : memory) m.x.zero();
        report.end = CgEnd::converged;
        return report;
    }
    report.initial_norm = b_norm;
    switch (q.arithmetic) {
    case Arithmetic::double_precision:
        run<double>(q, report);
        break;
    case Arithmetic::single_precision:
    case Arithmetic::mixed_float:
        run<float>(q, report);
        break;
    default:
        throw InvalidInput("grid solver over GPUs: " + to_string(q.arithmetic) +
                           " is not there; it has float, double and mixed-float");
    }
    std::array<ControlResult, 1> result{};
    memory[0].result.download(result);
    const ControlResult& done = result[0];
    report.double_passes = q.arithmetic == Arithmetic::double_precision ? done.passes : 0;
    report.end = done.end;
    report.passes = done.passes;
    report.outer = done.outer;
    report.guards = done.guards;
    std::array<long long, kLaps> laps{};
    memory[0].laps.download(laps);
    double all = 0;
    for (const long long l : laps) all += static_cast<double>(l);
    if (all > 0)
        report.shares = {static_cast<double>(laps[0]) / all, static_cast<double>(laps[1]) / all,
                         static_cast<double>(laps[2]) / all, static_cast<double>(laps[3]) / all,
                         static_cast<double>(laps[4]) / all};
    judge(q.tolerance, report);
    return report;
}

PartedGridSolver::PartedGridSolver(Peers& peers, const System& system) : impl_(std::make_unique<Impl>(peers, system)) {}
PartedGridSolver::~PartedGridSolver() = default;

void PartedGridSolver::set_rhs(std::span<const double> b) {
    Impl& i = *impl_;
    if (b.size() != i.size) throw InvalidInput("right-hand side: its size is not the system's");
    for (PartMemory& m : i.memory) {
        // With the neighbours' rows beside the part's own.
        const int from = std::max(0, m.first_row - 2), to = std::min(i.rows, m.first_row + m.rows + 2);
        check(cudaMemcpy2D(m.b.data() + i.origin + (from - m.first_row) * i.pitch, i.pitch * sizeof(double),
                           b.data() + i.first + static_cast<std::size_t>(from) * i.row_length,
                           i.row_length * sizeof(double), i.columns * sizeof(double), to - from,
                           cudaMemcpyHostToDevice),
              "cudaMemcpy2D of the right-hand side");
    }
    // Of the own rows alone: each element once.
    double squares = 0;
    for (int y = 0; y < i.rows; ++y)
        for (int x = 0; x < i.columns; ++x) {
            const double v = b[i.first + static_cast<std::size_t>(y) * i.row_length + static_cast<std::size_t>(x)];
            squares += v * v;
        }
    i.b_norm = std::sqrt(squares);
    i.guess_ratios(b);
}

PartedReport PartedGridSolver::solve(const PartedRequest& request) {
    return impl_->solve(request);
}

void PartedGridSolver::solution(std::span<double> x) const {
    const Impl& i = *impl_;
    if (x.size() != i.size) throw InvalidInput("solution: its size is not the system's");
    std::fill(x.begin(), x.end(), 0.0);
    for (const PartMemory& m : i.memory)
        check(cudaMemcpy2D(x.data() + i.first + static_cast<std::size_t>(m.first_row) * i.row_length,
                           i.row_length * sizeof(double), m.x.data() + i.origin, i.pitch * sizeof(double),
                           i.columns * sizeof(double), m.rows, cudaMemcpyDeviceToHost),
              "cudaMemcpy2D of the solution");
}

} // namespace mantissa::gpu
