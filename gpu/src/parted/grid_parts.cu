// The parts of the grid solver: the cut into strips, memory on each device, vectors that go in and out.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "grid_driver.hpp"
#include "mantissa/format.hpp"
#include "part_block.cuh"

namespace mantissa::gpu {

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

template <class T> std::vector<GridPart<T>> PartedGridSolver::Impl::base_parts() {
    std::vector<GridPart<T>> list;
    for (std::size_t p = 0; p < memory.size(); ++p) {
        PartMemory& m = memory[p];
        GridPart<T> a{};
        a.view = peers.view(static_cast<int>(p));
        a.columns = columns;
        a.rows = m.rows;
        a.before = m.first_row;
        a.after = rows - m.first_row - m.rows;
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

template std::vector<GridPart<double>> PartedGridSolver::Impl::base_parts();
template std::vector<GridPart<float>> PartedGridSolver::Impl::base_parts();

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
