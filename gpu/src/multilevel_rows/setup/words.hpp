// A hierarchy's matrices as words on the device, those of multilevel::word_hierarchy().
#pragma once

#include <vector>

#include "hierarchy.hpp"
#include "mantissa/multilevel/word_rows.hpp"

namespace mantissa::gpu::multilevel_rows {

struct WordMatrices {
    Matrix<std::int32_t> a, prolongation, restriction;
    mantissa::multilevel::LevelWords words;
};
struct DeviceWords {
    Arena memory;                  ///< patterns and scale may be the hierarchy's
    const double* scale = nullptr; ///< null: none
    double factor = 1;
    std::vector<WordMatrices> level;
    std::vector<std::int32_t> coarsest; ///< on this processor
    int coarsest_point = 0;
    bool short_words = true; ///< 16 bits hold all coefficients
};

DeviceWords words_of(const DeviceHierarchy& h, const CycleSpec& spec);
DeviceWords bring_to_device(const mantissa::multilevel::WordHierarchy& h);

} // namespace mantissa::gpu::multilevel_rows
