// The readers of comparison and device files take any bytes: they return what is whole, or throw InvalidInput with one
// line.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "compare/comparison_file.hpp"
#include "mantissa/format.hpp"

namespace {

void require(bool good) {
    if (!good) std::abort();
}

template <class Read> void expect_whole_or_one_line(const Read& read) {
    try {
        read();
    } catch (const mantissa::InvalidInput& fault) {
        const std::string_view line = fault.what();
        require(line.starts_with("fuzz:") && line.find('\n') == std::string_view::npos);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mantissa::compare;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    expect_whole_or_one_line([&] {
        const Comparison c = parse_comparison(text, "fuzz", "/nonexistent");
        require(!c.problems.empty() && !c.devices.empty() && !c.designs.empty());
        require(c.fill > 0 && c.fill <= 1 && c.tolerance > 0 && !c.inner.empty());
        for (const Design& design : c.designs) {
            design.spec.validate();
            require(!design.engines.empty());
            for (const Design::Core& core : design.cores) require(core.device < c.devices.size());
        }
    });
    expect_whole_or_one_line([&] {
        const Device d = parse_device(text, "fuzz");
        require(d.slices > 0 && !d.source.empty());
    });
    return 0;
}
