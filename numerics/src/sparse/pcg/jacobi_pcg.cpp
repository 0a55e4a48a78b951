#include "mantissa/sparse/jacobi_pcg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <string>

#include <fmt/format.h>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "../../isa/isa.hpp"
#include "mantissa/format.hpp"
#include "mantissa/reached.hpp"
#include "passes.hpp"
#include "pcg_rows.hpp"

namespace mantissa {

namespace detail {

const PcgPasses& best_pcg_passes(int columns) {
#if defined(__x86_64__)
    if (best_isa() == Isa::avx512) return avx512::pcg_passes(columns);
    if (best_isa() == Isa::avx2) return avx2::pcg_passes(columns);
#endif
    return baseline::pcg_passes(columns);
}

} // namespace detail

namespace {

using detail::kMostColumns, detail::kRowBlock, detail::PcgRows;

/// Iterations after which a matrix is put into slices: those take as long to make as some hundred products save.
constexpr int kWorthSlices = 64;
using Columns = std::array<double, kMostColumns>;

/// d = b - A x, rows in order.
void defect_of(const CompressedRows& a, const std::vector<double>& b, const std::vector<double>& x,
               std::vector<double>& d, [[maybe_unused]] int threads) {
    const std::uint64_t* const begin = a.row_begin().data();
    const std::uint32_t* const column = a.column().data();
    const double* const value = a.value().data();
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::size_t i = 0; i < a.rows(); ++i) {
        double sum = b[i];
        for (std::uint64_t k = begin[i]; k < begin[i + 1]; ++k) sum -= value[k] * x[column[k]];
        d[i] = sum;
    }
}

double norm_of(const std::vector<double>& v) {
    double largest = 0, sum = 0;
    for (const double e : v) {
        if (std::isnan(e)) return e;
        largest = std::max(largest, std::abs(e));
    }
    if (!(largest > 0) || !std::isfinite(largest)) return largest;
    const double scale = std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000));
    for (std::size_t i = 0; i < v.size(); i += kRowBlock) {
        double part = 0;
        for (std::size_t k = i; k < std::min(i + kRowBlock, v.size()); ++k) part += (v[k] * scale) * (v[k] * scale);
        sum += part;
    }
    return std::sqrt(sum) / scale;
}

/// What the scalars of a run are, the same on every thread: each forms them for itself from the blocks' sums.
struct Scalars {
    Columns alpha{}, beta{}, delta{}, first_delta{}, squares{};
    std::array<bool, kMostColumns> active{};
    std::array<PcgEnd, kMostColumns> end{};
    std::array<std::uint64_t, kMostColumns> iterations{};
    [[nodiscard]] bool any() const { return std::find(active.begin(), active.end(), true) != active.end(); }
};

/// One group of right-hand sides. System s has columns s * width .. (s + 1) * width - 1: two where it is complex.
class Group {
public:
    Group(const CompressedRows& a, PcgRows& matrix, const PcgOptions& options, std::size_t systems)
        : a_(a), m_(matrix), o_(options), systems_(systems), width_(matrix.complex() ? 2 : 1),
          columns_(systems * width_), passes_(detail::best_pcg_passes(static_cast<int>(columns_))) {
        for (auto* v : {&x_, &r_, &p_, &q_}) v->assign(m_.padded() * columns_ + detail::kTail, 0.0);
        sums_.resize(3 * columns_ * m_.blocks());
    }

    void solve(const std::vector<double>* b, std::vector<double>* x, PcgReport* report) {
        Columns norm{}, before{};
        std::array<bool, kMostColumns> active{};
        for (std::size_t s = 0; s < systems_; ++s) {
            norm[s] = norm_of(b[s]);
            report[s].complex_blocks = m_.complex();
            put(x_, x[s], s);
            place_defect(b[s], x[s], s, norm[s], report[s]);
            before[s] = report[s].true_residual;
            active[s] =
                norm[s] > 0 && std::isfinite(before[s]) && (o_.test == PcgTest::delta || !(before[s] <= o_.tolerance));
            report[s].end = active[s] ? PcgEnd::limit : std::isfinite(before[s]) ? PcgEnd::reached : PcgEnd::not_finite;
            if (norm[s] == 0) std::fill(x[s].begin(), x[s].end(), 0.0); // (A x = 0 has that solution)
        }
        while (std::find(active.begin(), active.end(), true) != active.end()) {
            run(active, norm, report);
            for (std::size_t s = 0; s < systems_; ++s) {
                if (!active[s]) continue;
                std::vector<double> last(x[s].size());
                last.swap(x[s]);
                take(x_, x[s], s);
                place_defect(b[s], x[s], s, norm[s], report[s]);
                if (!std::isfinite(report[s].true_residual)) { // the iterate before it is worth more
                    x[s].swap(last);
                    report[s].true_residual = before[s];
                }
                active[s] = goes_on(report[s], before[s]);
                before[s] = report[s].true_residual;
            }
        }
    }

private:
    void put(std::vector<double>& v, const std::vector<double>& from, std::size_t s) const {
        for (std::size_t i = 0; i < from.size(); ++i)
            v[m_.place(i / width_) * columns_ + s * width_ + i % width_] = from[i];
    }
    void take(const std::vector<double>& v, std::vector<double>& to, std::size_t s) const {
        for (std::size_t i = 0; i < to.size(); ++i)
            to[i] = v[m_.place(i / width_) * columns_ + s * width_ + i % width_];
    }
    void place_defect(const std::vector<double>& b, const std::vector<double>& x, std::size_t s, double norm,
                      PcgReport& report) {
        std::vector<double> d(b.size());
        defect_of(a_, b, x, d, o_.threads);
        put(r_, d, s);
        report.true_residual = norm > 0 ? norm_of(d) / norm : 0;
    }
    /// Judges a run that ended; true where it is worth another from the true residual.
    [[nodiscard]] bool goes_on(PcgReport& report, double before) const {
        if (report.end != PcgEnd::reached || o_.test == PcgTest::delta) return false;
        if (report.true_residual < o_.tolerance * (1 + kReachedSlack)) return false;
        if (report.true_residual < 0.5 * before && report.iterations < o_.max_iterations) return true;
        report.end = report.iterations < o_.max_iterations ? PcgEnd::stagnated : PcgEnd::limit;
        return false;
    }

    /// p = M^-1 r, then iterations until no system is active.
    void run(const std::array<bool, kMostColumns>& active, const Columns& norm, PcgReport* report) {
        norm_ = norm;
        cancelled_ = false;
        Scalars start;
        start.active = active;
        for (std::size_t s = 0; s < systems_; ++s) start.iterations[s] = report[s].iterations;
        const auto threads = static_cast<int>(
            std::min<std::size_t>(static_cast<std::size_t>(std::max(1, o_.threads)), (m_.blocks() + 7) / 8));
        std::fill(p_.begin(), p_.end(), 0.0);
        Scalars final;
        for (bool fresh = true; fresh || start.any(); fresh = false) {
#pragma omp parallel num_threads(threads)
            {
                Scalars mine = start;
                iterate(mine, report, fresh);
#pragma omp master
                final = mine;
            }
            if (thrown_) std::rethrow_exception(thrown_); // (none may leave threads that run side by side)
            start = final;
            if (start.any()) m_.slice(o_.threads); // (whoever is still at it has iterations to save time in)
        }
        for (std::size_t s = 0; s < systems_; ++s) {
            if (!active[s]) continue;
            report[s].iterations = final.iterations[s];
            report[s].end = final.end[s];
            report[s].recursive_residual = std::sqrt(final.squares[s]) / norm_[s];
        }
    }
    void iterate(Scalars& mine, PcgReport* report, bool fresh);
    void tell(const Scalars& mine);
    /// sums of a kind over all blocks, a number for each system
    [[nodiscard]] Columns total(std::size_t kind) const;
    [[nodiscard]] Columns spread(const Columns& of_system) const {
        Columns c{};
        for (std::size_t k = 0; k < columns_; ++k) c[k] = of_system[k / width_];
        return c;
    }
    [[nodiscard]] detail::PcgVectors vectors() {
        return {x_.data(), r_.data(), p_.data(), q_.data(), m_.inverse().data()};
    }
    void finish(Scalars& mine, std::size_t s, PcgEnd end) const {
        mine.active[s] = false;
        mine.end[s] = end;
        mine.beta[s] = 0;
    }
    [[nodiscard]] bool reached(const Scalars& mine, std::size_t s) const {
        if (o_.test == PcgTest::delta) return mine.delta[s] <= o_.tolerance * o_.tolerance * mine.first_delta[s];
        return std::sqrt(mine.squares[s]) <= o_.tolerance * norm_[s];
    }
    /// After p . A p: alpha, and a step more for who goes on.
    void step_lengths(Scalars& mine, const Columns& pq) const;
    /// After delta and ||r||^2: who goes on, and along which beta.
    void turn(Scalars& mine, const Columns& delta) const;

    const CompressedRows& a_;
    PcgRows& m_;
    const PcgOptions& o_;
    std::size_t systems_, width_, columns_;
    const detail::PcgPasses& passes_;
    std::vector<double> x_, r_, p_, q_, sums_;
    Columns norm_{};
    bool cancelled_ = false;
    std::exception_ptr thrown_; ///< by whoever was told
};

Columns Group::total(std::size_t kind) const {
    Columns sum{};
    const std::size_t blocks = m_.blocks();
    const double* at = sums_.data() + kind * columns_ * blocks;
    for (std::size_t block = 0; block < blocks; ++block, at += columns_)
        for (std::size_t k = 0; k < columns_; ++k) sum[k] += at[k];
    Columns of_system{};
    for (std::size_t k = 0; k < columns_; ++k) of_system[k / width_] += sum[k];
    return of_system;
}

void Group::step_lengths(Scalars& mine, const Columns& pq) const {
    mine.alpha = {};
    for (std::size_t s = 0; s < systems_; ++s) {
        if (!mine.active[s]) continue;
        if (!std::isfinite(pq[s])) finish(mine, s, PcgEnd::not_finite);
        else if (!(pq[s] > 0)) finish(mine, s, PcgEnd::indefinite);
        else {
            mine.alpha[s] = mine.delta[s] / pq[s];
            ++mine.iterations[s];
        }
    }
}

void Group::turn(Scalars& mine, const Columns& delta) const {
    for (std::size_t s = 0; s < systems_; ++s) {
        if (!mine.active[s]) continue;
        mine.beta[s] = mine.delta[s] > 0 ? delta[s] / mine.delta[s] : 0;
        mine.delta[s] = delta[s];
        if (!std::isfinite(delta[s]) || !std::isfinite(mine.squares[s])) finish(mine, s, PcgEnd::not_finite);
        else if (reached(mine, s)) finish(mine, s, PcgEnd::reached);
        else if (mine.iterations[s] >= o_.max_iterations) finish(mine, s, PcgEnd::limit);
        else if (cancelled_) finish(mine, s, PcgEnd::cancelled);
    }
}

void Group::tell(const Scalars& mine) {
    if (!o_.progress && !o_.pace) return;
    double worst = 0;
    std::uint64_t iterations = 0;
    for (std::size_t s = 0; s < systems_; ++s) {
        if (mine.active[s]) worst = std::max(worst, std::sqrt(mine.squares[s]) / norm_[s]);
        iterations = std::max(iterations, mine.iterations[s]);
    }
    try {
        if (o_.pace && !o_.pace(iterations, worst)) cancelled_ = true;
        if (o_.progress && iterations != 0 && !o_.progress(iterations, worst)) cancelled_ = true;
    } catch (...) {
        thrown_ = std::current_exception();
        cancelled_ = true;
    }
}

/// One thread's share of a run; where it is not `fresh` it goes on. It pauses where slices are worth making. The sums
/// of a kind are written in front of a barrier and read after it, and not written again before another two.
void Group::iterate(Scalars& mine, PcgReport* report, bool fresh) {
    std::size_t part = 0, parts = 1;
#if defined(_OPENMP)
    part = static_cast<std::size_t>(omp_get_thread_num());
    parts = static_cast<std::size_t>(omp_get_num_threads());
#endif
    const std::size_t first = m_.share(part, parts, columns_), last = m_.share(part + 1, parts, columns_);
    const detail::PcgVectors v = vectors();
    const auto sums = [&](std::size_t kind, std::size_t block) {
        return sums_.data() + (kind * m_.blocks() + block) * columns_;
    };
    const auto for_blocks = [&](const auto& body) {
        for (std::size_t block = first; block < last; ++block)
            body(block, block * kRowBlock, std::min(m_.padded(), (block + 1) * kRowBlock));
#pragma omp barrier
    };
    const auto descend = [&](const Columns& alpha) {
        const Columns a = spread(alpha);
        for_blocks([&](std::size_t block, std::size_t begin, std::size_t end) {
            double both[2 * kMostColumns];
            passes_.descend(v, begin, end, a.data(), both);
            std::copy_n(both, columns_, sums(1, block));
            std::copy_n(both + columns_, columns_, sums(2, block));
        });
        mine.squares = total(2);
        return total(1);
    };
    const auto advance = [&](const Columns& alpha, const Columns& beta) {
        const Columns a = spread(alpha), b = spread(beta);
        for_blocks([&](std::size_t, std::size_t begin, std::size_t end) {
            passes_.advance(v, begin, end, a.data(), b.data());
        });
    };
    if (fresh) {
        mine.first_delta = mine.delta = descend({});
        for (std::size_t s = 0; s < systems_; ++s)
            if (mine.active[s] && reached(mine, s)) finish(mine, s, PcgEnd::reached);
        advance({}, {});
    }
    const bool pauses = columns_ == 1 && !m_.sliced();
    for (int k = 0; mine.any() && !(pauses && k == kWorthSlices); ++k) {
#pragma omp master
        tell(mine);
        for_blocks([&](std::size_t block, std::size_t begin, std::size_t end) {
            passes_.product(m_.at(), v, begin, end, m_.imaginary(block), m_.imaginary(block + 1), sums(0, block));
        });
        step_lengths(mine, total(0));
        const auto moved = mine.active;
        const Columns alpha = mine.alpha;
        turn(mine, descend(alpha));
#pragma omp master
        for (std::size_t s = 0; s < systems_; ++s)
            if (o_.history && moved[s]) report[s].history.push_back(std::sqrt(mine.squares[s]) / norm_[s]);
        advance(alpha, mine.beta);
    }
}

} // namespace

std::vector<PcgReport> jacobi_pcg(const CompressedRows& a, const std::vector<std::vector<double>>& b,
                                  std::vector<std::vector<double>>& x, const PcgOptions& options) {
    if (!(options.tolerance > 0)) throw InvalidInput("Jacobi-PCG: give a tolerance above 0");
    if (x.size() != b.size()) throw InvalidInput("Jacobi-PCG: give a start, or an empty one, for each right-hand side");
    for (std::size_t s = 0; s < b.size(); ++s) {
        if (x[s].empty()) x[s].assign(a.rows(), 0.0);
        if (b[s].size() != a.rows() || x[s].size() != a.rows())
            throw InvalidInput("Jacobi-PCG: right-hand side " + std::to_string(s + 1) +
                               " or its start is not as long as the matrix has rows");
        const auto bad = std::find_if_not(b[s].begin(), b[s].end(), [](double v) { return std::isfinite(v); });
        if (bad != b[s].end())
            throw InvalidInput(fmt::format("Jacobi-PCG: right-hand side {} element {} is {}: give finite numbers",
                                           s + 1, bad - b[s].begin() + 1, *bad));
    }
    PcgRows matrix(a);
    std::vector<PcgReport> reports(b.size());
    const std::size_t together = kMostColumns / (matrix.complex() ? 2 : 1);
    for (std::size_t s = 0; s < b.size(); s += together) {
        const std::size_t systems = std::min(together, b.size() - s);
        Group(a, matrix, options, systems).solve(b.data() + s, x.data() + s, reports.data() + s);
        if (reports[s].end == PcgEnd::cancelled) break;
    }
    return reports;
}

} // namespace mantissa
