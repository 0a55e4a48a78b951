// Sparse rows of words, and the levels of a cycle on them: what every implementation of a cycle on rows works with.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mantissa/multilevel/grid_words.hpp"
#include "mantissa/multilevel/hierarchy.hpp"
#include "mantissa/multilevel/words.hpp"

namespace mantissa::multilevel {

/// The diagonal may move by this part of itself to take up what roundings took from a row's product with the
/// near-kernel.
inline constexpr double kMostTaken = 0.25;

/// Rows of words, all with one binary point.
struct WordRows {
    std::size_t rows = 0;
    std::vector<std::uint32_t> begin, column;
    std::vector<std::int32_t> word;
    int point = 0;
    [[nodiscard]] Wide largest_row_sum() const; ///< of magnitudes
};
WordRows transposed(const WordRows& a, std::size_t columns);

struct WordLevel {
    WordRows a, prolongation, restriction; ///< the ways: none on the last level
    LevelWords words;
};
/// All levels of a cycle as rows; a constant stencil's too, for the reference.
struct WordHierarchy {
    std::vector<double> scale; ///< empty: none
    double factor = 1;         ///< c is multiplied by it
    std::vector<WordLevel> level;
    std::vector<std::int32_t> coarsest; ///< the last level's inverse, dense, by rows
    int coarsest_point = 0;
};

WordHierarchy word_hierarchy(Hierarchy&& hierarchy, const CycleSpec& spec, int threads);
/// Of any system: of the grid where its stencil reproduces itself, else of hierarchy_of()'s levels. Throws InvalidInput
/// where that does.
WordHierarchy word_hierarchy(const System& system, const CycleSpec& spec, int threads);
/// Do 16-bit words hold a level's matrices and 32-bit ones its vectors? (multilevel/cycle.hpp, term by term.)
bool fits_short_words(const WordLevel& level);
/// Is every word of a one of 16 bits?
bool short_words(const WordRows& a);

/// Of the magnitudes of the stencil's integers.
int grid_row_sum(const GridWords& grid);
LevelWords grid_level_words(const GridWords& grid, const CycleSpec& spec, std::size_t level);
/// The same as rows.
WordHierarchy word_hierarchy(const GridWords& grid, const CycleSpec& spec);
/// The inverse of the coarsest level as words of 17 bits, and their point.
std::vector<std::int32_t> inverse_words(const std::vector<double>& inverse, int& point);

} // namespace mantissa::multilevel
