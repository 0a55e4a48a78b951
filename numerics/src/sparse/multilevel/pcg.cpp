// Conjugate Gradients with the multilevel preconditioner, in double precision but for the preconditioner.
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "../../multilevel/blocked_sums.hpp"
#include "cycle.hpp"
#include "mantissa/format.hpp"
#include "mantissa/reached.hpp"
#include "mantissa/sparse/multilevel.hpp"

namespace mantissa {

namespace {

using detail::blocked_sum, detail::for_each_row;

class Solver {
public:
    Solver(const CompressedRows& a, std::span<const std::array<double, 3>> points, const PcgOptions& options)
        : given_(a), o_(options), levels_(make_multilevel(to_complex_blocks(a), points, options.threads)),
          cycle_(levels_, options.threads), rows_(levels_.level.front().a.block_rows()), r_(2 * rows_), p_(2 * rows_),
          q_(2 * rows_) {}

    PcgReport solve(const std::vector<double>& b, std::vector<double>& x) {
        if (x.empty()) x.assign(b.size(), 0.0);
        PcgReport report;
        report.complex_blocks = true;
        const double norm = std::sqrt(squares(b));
        if (norm == 0) {
            std::fill(x.begin(), x.end(), 0.0);
            report.end = PcgEnd::reached;
            return report;
        }
        form_defect(b, x);
        double before = report.true_residual = std::sqrt(squares(r_)) / norm;
        if (!std::isfinite(before)) report.end = PcgEnd::not_finite;
        else if (before <= o_.tolerance) report.end = PcgEnd::reached;
        else do {
                before = report.true_residual;
                run(x, norm, report);
                form_defect(b, x);
                report.true_residual = std::sqrt(squares(r_)) / norm;
            } while (goes_on(report, before));
        return report;
    }

private:
    double squares(const std::vector<double>& v) const {
        return blocked_sum<double>(v.size() / 2, o_.threads,
                                   [&](std::size_t i) { return v[2 * i] * v[2 * i] + v[2 * i + 1] * v[2 * i + 1]; });
    }
    void form_defect(const std::vector<double>& b, const std::vector<double>& x) {
        for_each_row(given_.rows(), o_.threads, [&](std::size_t row) {
            double s = b[row];
            for (std::uint64_t k = given_.row_begin()[row]; k < given_.row_begin()[row + 1]; ++k)
                s -= given_.value()[k] * x[given_.column()[k]];
            r_[row] = s;
        });
    }
    /// Judges a run that ended; true where it is worth another from the true residual.
    [[nodiscard]] bool goes_on(PcgReport& report, double before) const {
        if (report.end != PcgEnd::reached || report.true_residual < o_.tolerance * (1 + kReachedSlack)) return false;
        const bool room = report.iterations < o_.max_iterations;
        if (report.true_residual < 0.5 * before && room) return true;
        report.end = room ? PcgEnd::stagnated : PcgEnd::limit;
        return false;
    }
    /// The preconditioned residual is in the cycle's z after it; returns r . z.
    double precondition(double scale) {
        std::vector<float>& to = cycle_.r();
        for_each_row(rows_, o_.threads, [&](std::size_t i) {
            to[2 * i] = static_cast<float>(scale * r_[2 * i]);
            to[2 * i + 1] = static_cast<float>(scale * r_[2 * i + 1]);
        });
        cycle_.run();
        const std::vector<float>& z = cycle_.z();
        return blocked_sum<double>(rows_, o_.threads, [&](std::size_t i) {
            return r_[2 * i] * static_cast<double>(z[2 * i]) + r_[2 * i + 1] * static_cast<double>(z[2 * i + 1]);
        });
    }
    /// q = A p; returns p . q.
    double product() {
        const ComplexBlocks& a = levels_.level.front().a;
        return blocked_sum<double>(rows_, o_.threads, [&](std::size_t i) {
            double x = 0, y = 0;
            for (std::uint32_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
                const double re = a.value[2 * std::size_t{k}], im = a.value[2 * std::size_t{k} + 1];
                const double* const from = p_.data() + 2 * std::size_t{a.column[k]};
                x += re * from[0] - im * from[1];
                y += re * from[1] + im * from[0];
            }
            q_[2 * i] = x;
            q_[2 * i + 1] = y;
            return p_[2 * i] * x + p_[2 * i + 1] * y;
        });
    }
    void run(std::vector<double>& x, double norm, PcgReport& report) {
        const double scale = 1 / norm; // so that single precision holds it
        double rz = precondition(scale), beta = 0;
        report.end = PcgEnd::limit;
        while (report.iterations < o_.max_iterations) {
            const std::vector<float>& z = cycle_.z();
            for_each_row(2 * rows_, o_.threads,
                         [&](std::size_t i) { p_[i] = static_cast<double>(z[i]) + beta * p_[i]; });
            const double pq = product();
            if (!std::isfinite(pq) || !std::isfinite(rz)) {
                report.end = PcgEnd::not_finite;
                return;
            }
            if (!(pq > 0) || !(rz > 0)) {
                report.end = PcgEnd::indefinite;
                return;
            }
            const double alpha = rz / pq;
            const double rr = blocked_sum<double>(rows_, o_.threads, [&](std::size_t i) {
                double sum = 0;
                for (std::size_t k = 2 * i; k < 2 * i + 2; ++k) {
                    x[k] += alpha * p_[k];
                    r_[k] -= alpha * q_[k];
                    sum += r_[k] * r_[k];
                }
                return sum;
            });
            ++report.iterations;
            report.recursive_residual = std::sqrt(rr) / norm;
            if (o_.history) report.history.push_back(report.recursive_residual);
            if (report.recursive_residual <= o_.tolerance) {
                report.end = PcgEnd::reached;
                return;
            }
            if (o_.progress && !o_.progress(report.iterations, report.recursive_residual)) {
                report.end = PcgEnd::cancelled;
                return;
            }
            const double next = precondition(scale);
            beta = next / rz;
            rz = next;
        }
    }

    const CompressedRows& given_;
    PcgOptions o_;
    MultilevelHierarchy levels_;
    detail::Cycle cycle_;
    std::size_t rows_;
    std::vector<double> r_, p_, q_;
};

} // namespace

PcgReport multilevel_pcg(const CompressedRows& a, std::span<const std::array<double, 3>> points,
                         const std::vector<double>& b, std::vector<double>& x, const PcgOptions& options) {
    if (b.size() != a.rows() || (!x.empty() && x.size() != a.rows()))
        throw InvalidInput(fmt::format("multilevel: the right-hand side or the start has another length than the "
                                       "matrix has rows ({})",
                                       a.rows()));
    if (options.test != PcgTest::residual)
        throw InvalidInput("multilevel: its test is that of the residual: take PcgTest::residual");
    return Solver(a, points, options).solve(b, x);
}

} // namespace mantissa
