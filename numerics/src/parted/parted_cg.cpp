#include "mantissa/partition/parted_cg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <thread>

#include <fmt/format.h>

#include "exchanger.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/partition/order_free_sum.hpp"
#include "mantissa/partition/parted_engine.hpp"
#include "mantissa/row_forms.hpp"
#include "on_every_part.hpp"
#include "parted_iterate.hpp"

namespace mantissa {

namespace {

/// A residual whose true value falls less than this after a restart has nothing left to gain.
constexpr double kWorthwhile = 0.9;

/// y = A x of one part's system, the products of a row added in the order of its entries (of nine bands: of the bands).
class Product {
public:
    explicit Product(const System& system) : system_(system), margin_(system.row_length() + 1) {
        for (int band = 0; band < kBands; ++band)
            offset_[static_cast<std::size_t>(band)] = band_offset(band, system.row_length());
    }
    /// Zeros that a vector needs on either side.
    [[nodiscard]] std::size_t margin() const { return margin_; }
    /// x points at element 0, with margins around it.
    void apply(const double* x, double* y) const {
        std::visit(Overloaded{[&](const CompressedRows& m) { rows(m, x, y); }, [&](const Bands& m) { bands(m, x, y); },
                              [&](const Stencil& m) { stencil(m, x, y); },
                              [](const SymmetricBands&) { /* bands() has been made of them */ }},
                   system_.matrix());
    }
    [[nodiscard]] double diagonal(std::size_t i) const {
        return std::visit(
            Overloaded{[&](const CompressedRows& m) {
                           for (std::uint64_t k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k)
                               if (m.column()[k] == i) return m.value()[k];
                           return 0.0;
                       },
                       [&](const Bands& m) { return m.band(kBands / 2)[i]; },
                       [&](const Stencil& m) { return m.on_edge(i) ? 0.0 : m.coefficients()[kBands / 2]; },
                       [&](const SymmetricBands& m) { return m.diagonal(i); }},
            system_.matrix());
    }

private:
    static void rows(const CompressedRows& m, const double* x, double* y) {
        for (std::size_t i = 0; i < m.rows(); ++i) {
            double sum = 0;
            for (std::uint64_t k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k)
                sum += m.value()[k] * x[m.column()[k]];
            y[i] = sum;
        }
    }
    void bands(const Bands& m, const double* x, double* y) const {
        std::array<const double*, kBands> a{};
        for (std::size_t b = 0; b < kBands; ++b) a[b] = m.band(b).data();
        nine(
            0, m.size(), [&](std::size_t b, std::size_t i) { return a[b][i]; }, x, y);
    }
    void stencil(const Stencil& m, const double* x, double* y) const {
        const std::size_t n = m.row_length();
        const std::array<double, kBands> c = m.coefficients();
        std::fill_n(y, m.size(), 0.0);
        for (std::size_t row = 1; row + 1 < m.rows(); ++row)
            nine(
                row * n + 1, row * n + n - 1, [&](std::size_t b, std::size_t) { return c[b]; }, x, y);
    }
    template <class Coefficient>
    void nine(std::size_t begin, std::size_t end, Coefficient&& a, const double* x, double* y) const {
        for (std::size_t i = begin; i < end; ++i) {
            double sum = a(0, i) * x[static_cast<std::ptrdiff_t>(i) + offset_[0]];
            for (std::size_t b = 1; b < kBands; ++b) sum += a(b, i) * x[static_cast<std::ptrdiff_t>(i) + offset_[b]];
            y[i] = sum;
        }
    }

    const System& system_;
    std::size_t margin_;
    std::array<std::ptrdiff_t, kBands> offset_{};
};

/// What one part keeps and does.
class PartOfCg final : public PartSolver {
public:
    PartOfCg(const System& whole, const Partition& partition, std::uint32_t part, std::shared_ptr<Space> space,
             std::span<const double> b, const PartedCgOptions& options, const detail::HostArrays& host)
        : own_(partition.parts()[part]), local_(detail::local_system(whole, partition, part)), product_(local_.system),
          exchanger_(space, part, own_, local_.places, sizeof(double), host, options.exchange.counts),
          options_(options), all_(space->parts()), size_(local_.system.size()), p_(size_ + 2 * product_.margin(), 0.0),
          q_(size_, 0.0) {
        const std::size_t n = own_.row.size();
        for (auto* v : {&x_, &r_, &z_, &b_}) v->assign(n, 0.0);
        for (std::size_t k = 0; k < n; ++k) b_[k] = b[own_.row[k]];
        if (!options.jacobi) return;
        for (std::size_t k = 0; k < n; ++k) inverse_.push_back(1 / checked_diagonal(k));
    }

    PcgReport run() override {
        PcgReport report;
        r_ = b_;
        const double squares = dots(r_, r_).first;
        const auto ended = [&](PcgEnd end) {
            report.end = end;
            return report;
        };
        if (!std::isfinite(squares)) return ended(PcgEnd::not_finite);
        if (squares == 0) return ended(PcgEnd::reached);
        const double norm = std::sqrt(squares), target = options_.tolerance * norm;
        double rho = restart(squares), best = std::numeric_limits<double>::infinity();
        for (;;) {
            if (report.iterations == options_.max_iterations) return ended(PcgEnd::limit);
            multiply();
            const auto [pq, leaves] = direction_product();
            if (leaves) return ended(PcgEnd::cancelled);
            if (!std::isfinite(pq)) return ended(PcgEnd::not_finite);
            if (!(pq > 0)) return ended(PcgEnd::indefinite);
            advance(rho / pq);
            const auto [rr, rz] = dots(r_, preconditioned());
            ++report.iterations;
            exchanger_.iteration();
            report.recursive_residual = std::sqrt(rr) / norm;
            if (options_.history) report.history.push_back(report.recursive_residual);
            if (options_.progress && !options_.progress(report.iterations, report.recursive_residual)) leave_ = true;
            if (!std::isfinite(rr) || !std::isfinite(rz)) return ended(PcgEnd::not_finite);
            if (std::sqrt(rr) <= target) {
                const double truth = true_residual();
                report.true_residual = truth / norm;
                if (truth <= target) return ended(PcgEnd::reached);
                if (!(truth < kWorthwhile * best)) return ended(PcgEnd::stagnated);
                best = truth;
                rho = restart(truth * truth);
                continue;
            }
            const double beta = rz / rho;
            rho = rz;
            double* const p = vector();
            for (std::size_t k = 0; k < local_.owned.size(); ++k) {
                double& element = p[local_.owned[k]];
                element = z_[k] + beta * element;
            }
        }
    }
    /// Of the owned rows, in their order.
    [[nodiscard]] std::span<const double> solution() const override { return x_; }
    /// Numbers of its vectors.
    [[nodiscard]] std::size_t held() const override {
        return p_.size() + q_.size() + x_.size() + r_.size() + z_.size() + b_.size() + inverse_.size();
    }

private:
    [[nodiscard]] double* vector() { return p_.data() + product_.margin(); }
    [[nodiscard]] double checked_diagonal(std::size_t k) const {
        const double d = product_.diagonal(local_.owned[k]);
        if (d > 0) return d;
        // An empty row is a Dirichlet node.
        if (const auto* m = std::get_if<CompressedRows>(&local_.system.matrix());
            d == 0 && (m == nullptr || m->row_begin()[local_.owned[k]] == m->row_begin()[local_.owned[k] + 1]))
            return 1;
        throw InvalidInput(fmt::format("diagonal entry {} is {}: Jacobi wants entries above zero", own_.row[k] + 1, d));
    }

    /// q = A p, with everybody's p.
    void multiply() {
        exchanger_.exchange<double>(std::span(vector(), size_));
        product_.apply(vector(), q_.data());
    }
    std::span<const double> preconditioned() {
        if (inverse_.empty()) return z_ = r_;
        for (std::size_t k = 0; k < r_.size(); ++k) z_[k] = r_[k] * inverse_[k];
        return z_;
    }
    using Pair = std::array<OrderFreeSum, 2>;
    Pair together(const Pair& mine) {
        exchanger_.gather(mine, std::span(all_));
        Pair sums = all_[0];
        for (std::size_t p = 1; p < all_.size(); ++p)
            for (std::size_t k = 0; k < sums.size(); ++k) sums[k].merge(all_[p][k]);
        return sums;
    }
    /// r.r and r.z, in one synchronisation.
    std::pair<double, double> dots(std::span<const double> r, std::span<const double> z) {
        Pair sums;
        sums[0].add_products(r, r);
        if (!inverse_.empty()) sums[1].add_products(r, z);
        sums = together(sums);
        const double rr = sums[0].total();
        return {rr, inverse_.empty() ? rr : sums[1].total()};
    }
    /// p.q, and whether a part wants an end: a one in the sum that is not used here, so that all learn of it at once.
    std::pair<double, bool> direction_product() {
        Pair sums;
        constexpr std::array<double, 1> one{1.0};
        if (leave_) sums[1].add_products(one, one);
        sums[0].add_products({vector(), size_}, q_); // (q of ghosts is zero)
        sums = together(sums);
        return {sums[0].total(), sums[1].total() != 0};
    }
    void advance(double alpha) {
        const double* const p = vector();
        for (std::size_t k = 0; k < x_.size(); ++k) {
            const std::uint32_t i = local_.owned[k];
            x_[k] += alpha * p[i];
            r_[k] -= alpha * q_[i];
        }
    }
    /// p = z; r.z.
    double restart(double rr) {
        const std::span<const double> z = preconditioned();
        for (std::size_t k = 0; k < z.size(); ++k) vector()[local_.owned[k]] = z[k];
        return inverse_.empty() ? rr : dots(r_, z).second;
    }
    /// r = b - A x; its norm.
    double true_residual() {
        for (std::size_t k = 0; k < x_.size(); ++k) vector()[local_.owned[k]] = x_[k];
        multiply();
        for (std::size_t k = 0; k < x_.size(); ++k) r_[k] = b_[k] - q_[local_.owned[k]];
        return std::sqrt(dots(r_, r_).first);
    }

    const Part& own_;
    detail::LocalSystem local_;
    Product product_;
    detail::Exchanger exchanger_;
    const PartedCgOptions& options_;
    std::vector<Pair> all_;
    std::size_t size_;
    std::vector<double> p_, q_;         ///< of all elements of the part's system; p with margins
    std::vector<double> x_, r_, z_, b_; ///< of the owned ones
    std::vector<double> inverse_;       ///< of the diagonal; empty without Jacobi
    bool leave_ = false;                ///< this part's progress wants an end
};

} // namespace

PcgReport parted_cg(const std::shared_ptr<Space>& space, const System& system, std::span<const double> b,
                    std::vector<double>& x, const PartedCgOptions& options) {
    if (b.size() != system.size())
        throw InvalidInput(fmt::format("a right-hand side of {} elements for {} unknowns", b.size(), system.size()));
    if (const std::size_t most = most_parts(system); space->parts() > most)
        throw InvalidInput(fmt::format("{} parts: this system has rows for at most {}", space->parts(), most));
    // Nine bands of symmetric ones, so that every row is in one place.
    const std::optional<System> converted = converted_for(RowOrder::chain, system);
    const System& formed = converted ? *converted : system;
    const auto partition = std::make_shared<const Partition>(parts_of(formed, space->parts(), options.method));
    const std::vector<std::uint32_t> here = space->here();
    const detail::HostArrays host = detail::host_arrays(*space, options.exchange.way, system.size(), sizeof(double),
                                                        sizeof(std::array<OrderFreeSum, 2>));
    std::vector<std::unique_ptr<PartSolver>> part(here.size());
    PartedCgOptions silent = options;
    silent.progress = nullptr;
    for (std::size_t k = 0; k < here.size(); ++k) {
        const PartedCgOptions& own = k == 0 ? options : silent;
        if (options.elsewhere) part[k] = options.elsewhere({formed, *partition, here[k], space, b, own});
        else part[k] = std::make_unique<PartOfCg>(formed, *partition, here[k], space, b, own, host);
    }
    std::vector<PcgReport> report(here.size());
    detail::on_every_part(*space, here, [&](std::size_t k) { report[k] = part[k]->run(); });
    // The verdict's own rows of the system as given; CG's go as theirs come.
    detail::PartedIterate iterate(space, system, partition, options.threads);
    iterate.on_every_part([&](std::size_t k, detail::IterateShare& s) {
        const std::span<const double> x_of_part = part[k]->solution();
        for (std::size_t i = 0; i < x_of_part.size(); ++i) s.u[s.local.owned[i]] = x_of_part[i];
        iterate.holds_beside(k, part[k]->held());
    });
    part.clear();
    iterate.load({}, b, {});
    x.clear();
    if (options.at_end) options.at_end(iterate);
    else x = iterate.whole();
    return std::move(report.front());
}

} // namespace mantissa
