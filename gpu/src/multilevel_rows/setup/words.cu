// Words of a hierarchy's matrices (numerics/src/multilevel/words/word_rows.cpp).
#include "words.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "layout.hpp"
#include "mantissa/multilevel/words.hpp"
#include "primitives.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

using namespace mantissa::multilevel; // NOLINT(google-build-using-namespace)

/// What is found out about a level's matrices.
struct Found {
    unsigned long long largest_way;      ///< of the prolongation's magnitudes, its bits
    unsigned long long row_sum, way_sum; ///< the largest sums of a row's magnitudes: of words of a and of P
    unsigned long long long_words;       ///< not 0: a word does not fit 16 bits
};

__device__ int nearest_word(double x, double unit) {
    return static_cast<int>(floor(x * unit + 0.5));
}
__device__ int cut_word(int x, int bits) {
    const int most = (1 << (bits - 1)) - 1;
    return min(max(x, -most), most);
}
__device__ bool is_long(int word) {
    return word != static_cast<std::int16_t>(word);
}
/// To be called by whole warps.
__device__ void raise_sum(unsigned long long* to, unsigned long long sum) {
    for (int d = 16; d > 0; d >>= 1) sum = max(sum, __shfl_xor_sync(~0U, sum, d));
    if ((threadIdx.x & 31) == 0) atomicMax(to, sum);
}
__global__ void find_largest_way(const Matrix<double> p, unsigned long long* largest) {
    const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    raise_sum(largest, k < p.entries ? static_cast<unsigned long long>(__double_as_longlong(fabs(p.value[k]))) : 0);
}
/// The diagonal takes up what roundings take from a row's product with the near-kernel, as far as `most` of itself.
__global__ void write_matrix_words(const Matrix<double> a, const double* kernel, int bits, double most,
                                   std::int32_t* word, Found* found) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long sum = 0;
    if (row < a.rows) {
        const double unit = scalbn(1.0, bits - 1), ulp = scalbn(1.0, 1 - bits);
        double taken = 0;
        std::uint32_t diagonal = a.begin[row];
        bool any_long = false;
        for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
            if (a.column[k] == row) {
                diagonal = k;
                continue;
            }
            const int w = cut_word(nearest_word(a.value[k], unit), bits);
            word[k] = w;
            taken += (a.value[k] - w * ulp) * kernel[a.column[k]];
            sum += static_cast<unsigned long long>(w < 0 ? -w : w);
            any_long = any_long || is_long(w);
        }
        taken /= kernel[row];
        const int w = nearest_word(fabs(taken) <= most ? 1 + taken : 1, unit);
        word[diagonal] = w;
        sum += static_cast<unsigned long long>(w < 0 ? -w : w);
        if (any_long || is_long(w)) found->long_words = 1;
    }
    raise_sum(&found->row_sum, sum);
}
__global__ void write_way_words(const Matrix<double> p, int bits, double unit, std::int32_t* word, Found* found) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long sum = 0;
    if (row < p.rows)
        for (std::uint32_t k = p.begin[row]; k < p.begin[row + 1]; ++k) {
            const int w = cut_word(nearest_word(p.value[k], unit), bits);
            word[k] = w;
            sum += static_cast<unsigned long long>(w < 0 ? -w : w);
            if (is_long(w)) found->long_words = 1;
        }
    raise_sum(&found->way_sum, sum);
}

/// The pattern of `a` with words of its own.
Matrix<std::int32_t> words_like(const Matrix<double>& a, Arena& keep) {
    return {a.rows, a.columns, a.entries, a.begin, a.column, keep.get<std::int32_t>(a.entries)};
}

} // namespace

DeviceWords words_of(const DeviceHierarchy& h, const CycleSpec& spec) {
    DeviceWords words;
    Arena& keep = words.memory;
    words.scale = h.scale;
    const std::size_t levels = h.level.size();
    auto* const on_device = keep.zeros<Found>(levels);
    for (std::size_t l = 0; l + 1 < levels; ++l) {
        const Matrix<double>& p = h.level[l].prolongation;
        find_largest_way<<<blocks_of(p.entries), kThreadsOfSetup>>>(p, &on_device[l].largest_way);
    }
    std::vector<Found> found = from_device(on_device, levels);
    for (std::size_t l = 0; l < levels; ++l) {
        const SetupLevel& from = h.level[l];
        WordMatrices& to = words.level.emplace_back();
        const int bits = CycleSpec::of(spec.c, l);
        to.a = words_like(from.a, keep);
        to.words.ac = bits - 1;
        write_matrix_words<<<blocks_of(from.a.rows), kThreadsOfSetup>>>(from.a, from.kernel, bits, kMostTaken,
                                                                        to.a.value, on_device + l);
        if (l + 1 == levels) break;
        const int of_way = spec.interpolation(l);
        to.words.pc = of_way - 1 - exponent_of(std::bit_cast<double>(found[l].largest_way));
        const double unit = std::ldexp(1.0, to.words.pc);
        to.prolongation = words_like(from.prolongation, keep);
        to.restriction = words_like(from.restriction, keep);
        write_way_words<<<blocks_of(from.a.rows), kThreadsOfSetup>>>(from.prolongation, of_way, unit,
                                                                     to.prolongation.value, on_device + l);
        auto* const of_restriction = keep.get<Found>(1); // (the same words in other rows)
        write_way_words<<<blocks_of(from.restriction.rows), kThreadsOfSetup>>>(from.restriction, of_way, unit,
                                                                               to.restriction.value, of_restriction);
    }
    check(cudaGetLastError(), "words_of");
    found = from_device(on_device, levels);
    for (std::size_t l = 0; l < levels; ++l) {
        LevelWords& of = words.level[l].words;
        const int ac = of.ac, pc = of.pc;
        const double largest = h.level[l].largest;
        of = level_words(spec, l, least_smoothed(largest), largest, ceil_log2(static_cast<double>(found[l].row_sum)),
                         spec.sums);
        of.ac = ac;
        of.pc = pc;
        if (l + 1 < levels) of.pl = ceil_log2(static_cast<double>(std::max(found[l].way_sum, 1ULL)));
        words.short_words = words.short_words && found[l].long_words == 0;
    }
    words.coarsest = inverse_words(h.coarsest, words.coarsest_point);
    return words;
}

DeviceWords bring_to_device(const WordHierarchy& h) {
    DeviceWords to;
    if (!h.scale.empty()) to.scale = to.memory.copy(std::span(h.scale));
    to.factor = h.factor;
    for (const WordLevel& level : h.level) {
        const auto bring = [&](const WordRows& a) { return matrix_on_device(a.begin, a.column, a.word, 0, to.memory); };
        to.level.push_back({bring(level.a), bring(level.prolongation), bring(level.restriction), level.words});
        to.short_words = to.short_words && short_words(level.a) && short_words(level.prolongation);
    }
    to.coarsest = h.coarsest;
    to.coarsest_point = h.coarsest_point;
    return to;
}

} // namespace mantissa::gpu::multilevel_rows
