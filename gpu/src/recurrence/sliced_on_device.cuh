// Sliced ELL in device memory with what its products need.
#pragma once

#include <bit>
#include <cstdint>
#include <variant>
#include <vector>

#include "mantissa/gpu/device.hpp"
#include "mantissa/sparse/compressed_rows.hpp"
#include "mantissa/sparse/sliced_ell.hpp"
#include "sparse/sparse_products.cuh"

namespace mantissa::gpu {

template <class T> class SlicedOnDevice {
public:
    using Operator = std::variant<SlicedProduct<T, 4>, SlicedProduct<T, 8>>;

    SlicedOnDevice(const CompressedRows& a, const SlicedOptions& options) {
        const SlicedEll s = to_sliced_ell(a, options);
        std::vector<DeviceSlice> slices;
        slices.reserve(s.slice.size());
        for (const SlicedEll::Slice& k : s.slice)
            slices.push_back(
                {k.begin, k.steps | static_cast<std::uint32_t>(std::countr_zero(k.lanes)) << 26, k.row, k.long_row});
        std::vector<uint2> long_rows;
        for (const SlicedEll::LongRow& r : s.long_row) long_rows.push_back({r.first_slice, r.pieces});
        slice_ = to_device(slices);
        column_ = to_device(s.column);
        permutation_ = to_device(s.permutation);
        value_ = to_device(std::vector<T>(s.value.begin(), s.value.end()));
        long_row_ = to_device(long_rows);
        arrived_ = to_device(std::vector<std::uint32_t>(long_rows.size(), 0));
        partial_.allocate(long_rows.empty() ? 0 : s.slice.size());
        slices_ = static_cast<std::uint32_t>(s.slice.size());
        long_rows_ = static_cast<std::uint32_t>(long_rows.size());
        // Rows that take many steps have more of them under way.
        if (options.depth == 0 || options.depth > 4) operator_ = product<8>(s.rows);
        else operator_ = product<4>(s.rows);
    }
    [[nodiscard]] const Operator& product() const { return operator_; }
    [[nodiscard]] std::uint32_t slices() const { return slices_; }
    [[nodiscard]] std::uint32_t long_rows() const { return long_rows_; }

private:
    template <int U> SlicedProduct<T, U> product(std::uint32_t rows) {
        return {slice_.data(), column_.data(),   permutation_.data(), value_.data(),  slices_,
                rows,          long_row_.data(), partial_.data(),     arrived_.data()};
    }

    Buffer<DeviceSlice> slice_;
    Buffer<std::uint32_t> column_, permutation_, arrived_;
    Buffer<T> value_, partial_;
    Buffer<uint2> long_row_;
    std::uint32_t slices_ = 0, long_rows_ = 0;
    Operator operator_;
};

} // namespace mantissa::gpu
