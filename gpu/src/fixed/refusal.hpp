// Which fixed-point specs the engine refuses.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include "mantissa/spec.hpp"

namespace mantissa::gpu {

/// Why the engine does not run `spec`, in one line; empty where it does, as far as the spec tells.
inline std::string fixed_spec_refusal(const DatapathSpec& spec) {
    const auto says = [&](const std::string& what) { return fmt::format("engine gpu: {}: {}", to_string(spec), what); };
    if (spec.moves()) return says("point=moving is the emulated engine's alone; leave it out or use --engine emulated");
    if (!spec.dot.exact) return says("fixed-point words take exact dot products; write dot=exact or leave it out");
    for (const auto& [key, f] : {std::pair{"r", spec.r}, {"p", spec.p}, {"q", spec.q}})
        if (f.word_bits > 32)
            return says(fmt::format("{}={}: words have at most 32 bits; shorten them or use --engine emulated", key,
                                    to_string(f)));
    return {};
}

} // namespace mantissa::gpu
