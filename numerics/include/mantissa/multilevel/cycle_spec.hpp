// CycleSpec names a multilevel cycle in short words completely: its shape and the bits of every word on every level.
// multilevel/cycle.hpp defines what is computed; everything that takes the same spec and the same system returns the
// same bits.
//
// Text form: a shape, then what differs from the defaults. A number of bits is one for all levels, or several from the
// finest level on, joined by '/'; the last one holds for all coarser levels.
//
//     b2,w=10
//     v11,w=8,f=8,e=12,c=8
//     v22,w=12/10/8
//     v22,w=double
//
//   b<steps>          smoothing on the way down alone: corrections are added up on the way back
//   v<before><after>  smoothing before and after the correction from the coarser level
//   w=    bits of a word of r as it enters a level         4..16, default 10; or double: the same cycle in double
//   f=    bits of a word of f, what smoothing found        4..24, default 7 more than w
//   e=    bits of a word of e as it goes up a level        4..24, default 16
//   c=    bits of a coefficient                            4..16, default 12 (constant stencils are integers anyway)
//   p=    bits of an interpolation's entry                 4..16, default 14, or c where that is more (constant
//   stencils
//                                                          have 4, 2, 1): entries span decades where coefficients do
//   s=    bits of a sum A e on sparse rows                 32 or 64, default 32, from c=13 on 64: room for e
//   g=    fraction bits of r inside a level                0..8, default 4
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

/// Entries of an interpolation take 16 bits of memory anyway; with 14 sums of them and of words of 16 bits fit 32.
inline constexpr int kUsualInterpolation = 14;

/// See above. A value of its text form alone is well-formed; parse_cycle_spec() makes no other.
struct CycleSpec {
    int before = 2, after = 0;                   ///< smoothing steps, 1..4 and 0..4; `after` 0 is kind b
    bool in_double = false;                      ///< no words: bits below mean nothing
    std::vector<int> w{10}, f{17}, e{16}, c{12}; ///< from the finest level on; the last holds for all coarser ones
    std::vector<int> p;                          ///< likewise; empty: the default
    int guard = 4, sums = 32;
    /// Of one of the lists above, on level `l`, the finest being 0.
    [[nodiscard]] static int of(const std::vector<int>& bits, std::size_t l) {
        return bits[l < bits.size() ? l : bits.size() - 1];
    }
    [[nodiscard]] int interpolation(std::size_t l) const {
        return p.empty() ? std::max(kUsualInterpolation, of(c, l)) : of(p, l);
    }
    friend bool operator==(const CycleSpec&, const CycleSpec&) = default;
};

inline constexpr int kMostSmoothing = 4;

/// The text form, without what is a default.
std::string to_string(const CycleSpec& spec);
/// Throws InvalidInput, one line that names the fault and the mend.
CycleSpec parse_cycle_spec(std::string_view text);

} // namespace mantissa
