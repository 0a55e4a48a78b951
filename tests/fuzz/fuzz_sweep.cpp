// The sweep reader takes any bytes: it returns valid points with different keys, or throws InvalidInput with one line.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "mantissa/format.hpp"
#include "mantissa/host/sweep.hpp"

namespace {

void require(bool good) {
    if (!good) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const mantissa::Sweep sweep = mantissa::parse_sweep({reinterpret_cast<const char*>(data), size}, "fuzz", 500);
        std::set<std::string> keys;
        for (const mantissa::Point& point : sweep.points) {
            point.options.spec.validate();
            require(mantissa::parse_spec(to_string(point.options.spec)) == point.options.spec);
            require(keys.insert(mantissa::point_key(point)).second);
            require(mantissa::estimated_work(point) > 0);
        }
        for (const mantissa::DensePoint& point : sweep.dense) {
            require(mantissa::parse_lu_spec(to_string(point.options.spec)) == point.options.spec);
            require(keys.insert(mantissa::point_key(point)).second);
            require(mantissa::estimated_work(point) > 0);
        }
        require(sweep.points.empty() || sweep.dense.empty());
    } catch (const mantissa::InvalidInput& fault) {
        const std::string_view line = fault.what();
        require(line.starts_with("fuzz:") && line.find('\n') == std::string_view::npos);
    }
    return 0;
}
