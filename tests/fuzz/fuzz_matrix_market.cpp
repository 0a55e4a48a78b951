// The MatrixMarket readers take any bytes: they return a matrix that holds what it promises, or throw InvalidInput
// with one line.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mantissa/format.hpp"
#include "mantissa/host/matrix_market.hpp"
#include "mantissa/symmetry.hpp"

namespace {

void require(bool good) {
    if (!good) std::abort();
}

void require_one_line(const mantissa::InvalidInput& fault) {
    const std::string_view line = fault.what();
    require(line.starts_with("fuzz:") && line.find('\n') == std::string_view::npos);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const mantissa::CompressedRows m = mantissa::parse_matrix_market(text, "fuzz");
        const std::size_t rows = m.rows();
        const bool symmetric = !mantissa::asymmetry(m);
        require(rows >= 1 && m.row_begin().back() == m.value().size() && m.column().size() == m.value().size());
        for (std::size_t i = 0; i < rows; ++i) {
            bool diagonal = false;
            for (auto k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k) {
                require(m.column()[k] < rows && std::isfinite(m.value()[k]));
                require(k == m.row_begin()[i] || m.column()[k - 1] < m.column()[k]);
                diagonal = diagonal || (m.column()[k] == i && m.value()[k] > 0);
            }
            require(diagonal || !symmetric);
        }
        if (const auto bands = mantissa::nine_bands(m)) require(bands->size() == rows);
    } catch (const mantissa::InvalidInput& fault) {
        require_one_line(fault);
    }
    try {
        const std::vector<double> v = mantissa::parse_vector(text, "fuzz", 4);
        require(v.size() == 4);
    } catch (const mantissa::InvalidInput& fault) {
        require_one_line(fault);
    }
    return 0;
}
