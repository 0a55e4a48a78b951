// BlockAlgebra's rows of differences, operation by operation. A block forms by itself the fluxes and second differences
// that it shares with others: this is the plain path, for any formats.
#include "block_scratch.hpp"

namespace mantissa {

namespace {

enum : std::size_t { kEast, kNorthWest, kNorth, kNorthEast };

} // namespace

void BlockAlgebra::flux_rows(std::size_t begin, std::size_t end, const double* x, double* out, Scratch& scratch) const {
    const std::size_t n = end - begin;
    const bool constant = kind_ == System::Kind::stencil;
    const std::span<const double> all(x, size_), here(x + begin, n);
    const auto t = [&](std::size_t k) { return std::span<double>(scratch.term[k].data(), n); };
    const auto weighted = [&](std::size_t d, const double* weight, std::span<double> term) {
        if (constant) row_unit_.scale(constant_weight_[d], term, term);
        else row_unit_.mul({weight, n}, term, term);
    };
    // f_d(i) for the block's elements i
    const auto flux = [&](std::size_t d, std::span<double> term) {
        const double* const there = shifted(all, begin, n, weight_offset(d, row_length_), scratch.neighbour);
        row_unit_.sub(here, {there, n}, term);
        weighted(d, constant ? nullptr : weights_[d].data() + begin, term);
    };
    // f_d(i - d), +0 in front of the vector
    const auto flux_here = [&](std::size_t d, std::span<double> term) {
        const std::ptrdiff_t back = -weight_offset(d, row_length_);
        const double* const from = shifted(all, begin, n, back, scratch.neighbour);
        row_unit_.sub({from, n}, here, term);
        weighted(d, constant ? nullptr : shifted(weights_[d], begin, n, back, scratch.neighbour), term);
        const auto outside = static_cast<std::size_t>(-back);
        if (begin < outside) std::fill_n(term.data(), std::min(n, outside - begin), 0.0);
    };
    flux(kNorthWest, t(0));
    flux(kNorth, t(1));
    flux(kNorthEast, t(2));
    row_unit_.add(t(0), t(1), t(0));
    row_unit_.add(t(0), t(2), t(0)); // up
    flux_here(kNorthEast, t(1));
    flux_here(kNorth, t(2));
    flux_here(kNorthWest, t(3));
    row_unit_.add(t(1), t(2), t(1));
    row_unit_.add(t(1), t(3), t(1)); // down
    row_unit_.sub(t(0), t(1), t(0));
    flux(kEast, t(1));
    flux_here(kEast, t(2));
    row_unit_.sub(t(1), t(2), t(1));
    const std::span<double> sum(out + begin, n);
    row_unit_.add(t(1), t(0), sum);
    if (!has_row_sums_) return;
    if (constant) row_unit_.scale(constant_row_sum_, here, t(0));
    else row_unit_.mul({row_sums_.data() + begin, n}, here, t(0));
    row_unit_.add(sum, t(0), sum);
}

void BlockAlgebra::second_difference_rows(std::size_t begin, std::size_t end, const double* x, double* out,
                                          Scratch& scratch) const {
    const std::size_t n = end - begin;
    const std::span<const double> all(x, size_);
    const auto t = [&](std::size_t k) { return std::span<double>(scratch.term[k].data(), n); };
    // p at the grid rows `up` above, and there one to the east or west.
    const auto p = [&](std::ptrdiff_t up, std::ptrdiff_t east, std::vector<double>& room) {
        const std::ptrdiff_t shift = up * static_cast<std::ptrdiff_t>(row_length_) + east;
        return std::span<const double>(shifted(all, begin, n, shift, room), n);
    };
    // a into t(7) and s into `s`, of the grid row `up` above.
    const auto sums = [&](std::ptrdiff_t up, std::span<double> s) {
        const auto centre = p(up, 0, scratch.neighbour);
        row_unit_.sub(p(up, 1, scratch.term[4]), centre, t(5));
        row_unit_.sub(centre, p(up, -1, scratch.term[4]), t(6));
        row_unit_.sub(t(5), t(6), t(7));
        row_unit_.scale(beta_, centre, t(5));
        row_unit_.scale(gamma_, t(7), t(6));
        row_unit_.add(t(5), t(6), s);
    };
    sums(+1, t(0));
    sums(-1, t(1));
    sums(0, t(2));
    row_unit_.sub(t(0), t(2), t(0));
    row_unit_.sub(t(2), t(1), t(1));
    row_unit_.sub(t(0), t(1), t(0));
    row_unit_.scale(alpha_, t(7), t(7));
    const std::span<double> sum(out + begin, n);
    row_unit_.add(t(0), t(7), sum);
    if (!has_row_sums_) return;
    row_unit_.scale(constant_row_sum_, {x + begin, n}, t(0));
    row_unit_.add(sum, t(0), sum);
}

} // namespace mantissa
