#include "rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include "mantissa/fixed_words.hpp"
#include "mantissa/host/residual.hpp"
#include "widths/core_limits.hpp"

namespace mantissa::advising {

namespace {

constexpr std::size_t kCentre = kBands / 2;
/// Row sums below this part of the row's magnitudes count as zero (engine.hpp).
constexpr double kZeroSum = 0x1p-50;

/// Calls visit(column, value) for the entries of a row. Columns of a stencil or bands that leave the grid hold zeros.
template <class Visit> void for_row(const Stencil& m, std::size_t i, Visit&& visit) {
    if (m.on_edge(i)) return;
    for (std::size_t b = 0; b < kBands; ++b)
        visit(i + static_cast<std::size_t>(band_offset(static_cast<int>(b), m.row_length())), m.coefficients()[b]);
}
template <class Visit> void for_row(const Bands& m, std::size_t i, Visit&& visit) {
    for (std::size_t b = 0; b < kBands; ++b)
        visit(i + static_cast<std::size_t>(band_offset(static_cast<int>(b), m.row_length())), m.band(b)[i]);
}
template <class Visit> void for_row(const SymmetricBands& m, std::size_t i, Visit&& visit) {
    for (std::size_t b = 0; b < kBands; ++b)
        visit(i + static_cast<std::size_t>(band_offset(static_cast<int>(b), m.row_length())), m.coefficient(b, i));
}
template <class Visit> void for_row(const CompressedRows& m, std::size_t i, Visit&& visit) {
    for (std::uint64_t k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k) visit(m.column()[k], m.value()[k]);
}

/// Rounds entries and keeps the bits that they take.
class Rounder {
public:
    explicit Rounder(int fraction_bits) : format_(Format::fixed(Format::kMaxWord, fraction_bits)) {}

    double entry(double value) { return kept(word(value), 0); }
    double diagonal(double value) { return kept(word(value), 1); }
    /// The nine entries of a grid's row.
    std::array<double, kBands> row(const std::array<double, kBands>& value) {
        std::array<double, kBands> out{};
        double sum = 0, magnitudes = 0, others = 0;
        for (std::size_t b = 0; b < kBands; ++b) {
            sum += value[b];
            magnitudes += std::abs(value[b]);
            if (b != kCentre) others += out[b] = entry(value[b]);
        }
        if (magnitudes == 0) return out;
        const double kept_sum = std::abs(sum) <= kZeroSum * magnitudes ? 0.0 : sum;
        out[kCentre] = diagonal(fixed::to_double(format_, word(kept_sum)) - others);
        return out;
    }
    [[nodiscard]] int word_bits() const { return word_bits_; }

private:
    /// As fixed::from_double() rounds; where the units are a double with its half, by a double's own floor.
    [[nodiscard]] fixed::Word word(double value) const {
        const double units = value * Format::power_of_two(format_.fraction_bits);
        if (!(std::abs(units) < 0x1p50 && std::abs(value) > 0x1p-900)) return fixed::from_double(format_, value).word;
        const double below = std::floor(units);
        return static_cast<fixed::Word>(below) + (units - below >= 0.5 ? 1 : 0);
    }
    double kept(fixed::Word word, int spare) {
        word_bits_ = std::max(word_bits_, fixed::bits_of(word) - spare);
        return fixed::to_double(format_, word);
    }

    Format format_;
    int word_bits_ = kLeastCoreWord;
};

Stencil rounded(const Stencil& m, Rounder& rounder) {
    return {m.row_length(), m.rows(), rounder.row(m.coefficients())};
}
Bands rounded(const Bands& m, Rounder& rounder) {
    Bands::Array bands = m.bands();
    for (std::size_t i = 0; i < m.size(); ++i) {
        std::array<double, kBands> row{};
        for (std::size_t b = 0; b < kBands; ++b) row[b] = bands[b][i];
        row = rounder.row(row);
        for (std::size_t b = 0; b < kBands; ++b) bands[b][i] = row[b];
    }
    return {m.row_length(), std::move(bands)};
}
CompressedRows rounded(const CompressedRows& m, Rounder& rounder) {
    std::vector<double> value = m.value();
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (std::uint64_t k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k)
            value[k] = m.column()[k] == i ? rounder.diagonal(value[k]) : rounder.entry(value[k]);
    return m.with_values(std::move(value));
}

double between(double a, double b, double factor) {
    return a + factor * (b - a);
}
Stencil moved(const Stencil& a, const Stencil& b, double factor) {
    std::array<double, kBands> value{};
    for (std::size_t k = 0; k < kBands; ++k) value[k] = between(a.coefficients()[k], b.coefficients()[k], factor);
    return {a.row_length(), a.rows(), value};
}
Bands moved(const Bands& a, const Bands& b, double factor) {
    Bands::Array bands = a.bands();
    for (std::size_t k = 0; k < kBands; ++k)
        for (std::size_t i = 0; i < a.size(); ++i) bands[k][i] = between(a.band(k)[i], b.band(k)[i], factor);
    return {a.row_length(), std::move(bands)};
}
CompressedRows moved(const CompressedRows& a, const CompressedRows& b, double factor) {
    std::vector<double> value = a.value();
    for (std::size_t k = 0; k < value.size(); ++k) value[k] = between(value[k], b.value()[k], factor);
    return a.with_values(std::move(value));
}

} // namespace

std::vector<bool> empty_rows(const System& system) {
    std::vector<bool> empty(system.size());
    std::visit(
        [&](const auto& m) {
            for (std::size_t i = 0; i < empty.size(); ++i) {
                bool any = false;
                for_row(m, i, [&](std::size_t, double value) { any |= value != 0; });
                empty[i] = !any;
            }
        },
        system.matrix());
    return empty;
}

std::size_t longest_row(const System& system) {
    std::size_t longest = 0;
    std::visit(
        [&](const auto& m) {
            for (std::size_t i = 0; i < system.size(); ++i) {
                std::size_t length = 0;
                for_row(m, i, [&](std::size_t j, double value) { length += j != i && value != 0; });
                longest = std::max(longest, length);
            }
        },
        system.matrix());
    return longest;
}

double positive_share(const System& system) {
    double positive = 0, all = 0;
    std::visit(
        [&](const auto& m) {
            std::vector<double> root(system.size(), 0.0);
            for (std::size_t i = 0; i < root.size(); ++i)
                for_row(m, i, [&](std::size_t j, double value) {
                    if (j == i && value > 0) root[i] = std::sqrt(value);
                });
            for (std::size_t i = 0; i < root.size(); ++i)
                for_row(m, i, [&](std::size_t j, double value) {
                    if (j == i || value == 0 || !(root[i] > 0) || !(root[j] > 0)) return;
                    const double scaled = value / root[i] / root[j];
                    all += std::abs(scaled);
                    positive += std::max(scaled, 0.0);
                });
        },
        system.matrix());
    return all > 0 ? positive / all : 0;
}

double anisotropy(const System& system) {
    double logarithms = 0;
    std::size_t rows = 0;
    std::visit(Overloaded{[](const CompressedRows&) {},
                          [&](const auto& m) {
                              for (std::size_t i = 0; i < system.size(); ++i) {
                                  double along = 0, across = 0;
                                  for_row(m, i, [&](std::size_t j, double value) {
                                      const std::size_t distance = j > i ? j - i : i - j;
                                      if (distance != 0 && distance != m.row_length()) along += value;
                                      if (distance > 1) across += value;
                                  });
                                  if (along == 0 || across == 0) continue;
                                  logarithms += std::abs(std::log(std::abs(along / across)));
                                  ++rows;
                              }
                          }},
               system.matrix());
    return rows == 0 ? 1 : std::exp(logarithms / static_cast<double>(rows));
}

/// Rounding errors of a product, of a sum and of the stored u are each uniform within half a unit, a third of a unit's
/// square on average: together about one unit of 2^-53 for each term of a row, and independent.
double defect_floor(const System& system, std::span<const double> u, std::span<const double> b, int threads) {
    const double unit = norm2(b, threads);
    if (unit == 0) return 0;
    std::vector<double> root(system.size());
    std::visit(
        [&](const auto& m) {
            for (std::size_t i = 0; i < root.size(); ++i) {
                double sum = 0;
                for_row(m, i, [&](std::size_t j, double value) {
                    const double term = value == 0 ? 0.0 : value * u[j] / unit;
                    sum += term * term;
                });
                root[i] = std::sqrt(sum);
            }
        },
        system.matrix());
    return 0x1p-53 * norm2(root, threads);
}

System with_every_entry(const System& system) {
    const auto* const symmetric = std::get_if<SymmetricBands>(&system.matrix());
    return symmetric == nullptr ? system : System(symmetric->bands());
}

RoundedMatrix rounded(const System& given, int fraction_bits) {
    const System system = with_every_entry(given);
    Rounder rounder(fraction_bits);
    RoundedMatrix result{std::visit(Overloaded{[](const SymmetricBands& m) { return System(m); },
                                               [&](const auto& m) { return System(rounded(m, rounder)); }},
                                    system.matrix())};
    result.word_bits = rounder.word_bits();
    // Rows of both walk alike: sum |b - a| over each.
    std::visit(
        [&](const auto& a) {
            const auto& b = std::get<std::decay_t<decltype(a)>>(result.system.matrix());
            std::vector<double> row;
            for (std::size_t i = 0; i < system.size(); ++i) {
                row.clear();
                for_row(a, i, [&](std::size_t, double value) { row.push_back(value); });
                std::size_t k = 0;
                double sum = 0;
                for_row(b, i, [&](std::size_t, double value) { sum += std::abs(value - row[k++]); });
                result.row_bound = std::max(result.row_bound, sum);
            }
        },
        system.matrix());
    return result;
}

double energy_moved(const System& given, const System& b, std::span<const std::vector<double>> vectors) {
    struct Entry {
        std::size_t column;
        double value, change;
    };
    const System system = with_every_entry(given);
    std::vector<double> energy(vectors.size(), 0.0), change(vectors.size(), 0.0);
    std::visit(
        [&](const auto& m) {
            const auto& other = std::get<std::decay_t<decltype(m)>>(b.matrix());
            std::vector<Entry> row;
            for (std::size_t i = 0; i < system.size(); ++i) {
                row.clear();
                for_row(m, i, [&](std::size_t j, double value) { row.push_back({j, value, 0}); });
                std::size_t k = 0;
                for_row(other, i, [&](std::size_t, double value) {
                    row[k].change = value - row[k].value;
                    ++k;
                });
                for (std::size_t v = 0; v < vectors.size(); ++v) {
                    const std::vector<double>& x = vectors[v];
                    for (const Entry& e : row) {
                        if (e.value == 0 && e.change == 0) continue; // whose column may lie outside
                        energy[v] += x[i] * e.value * x[e.column];
                        change[v] += x[i] * e.change * x[e.column];
                    }
                }
            }
        },
        system.matrix());
    double most = 0;
    for (std::size_t v = 0; v < vectors.size(); ++v) most = std::max(most, std::abs(change[v]) / energy[v]);
    return most;
}

System moved(const System& a, const System& b, double factor) {
    const System from = with_every_entry(a), to = with_every_entry(b);
    return std::visit(Overloaded{[](const SymmetricBands& m) { return System(m); },
                                 [&](const auto& m) {
                                     const auto& other = std::get<std::decay_t<decltype(m)>>(to.matrix());
                                     return System(moved(m, other, factor));
                                 }},
                      from.matrix());
}

} // namespace mantissa::advising
