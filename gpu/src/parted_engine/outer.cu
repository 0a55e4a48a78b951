#include "outer.hpp"

#include <algorithm>
#include <cmath>

#include "engine/outer_kernels.cuh"
#include "halo.cuh"

namespace mantissa::gpu {

namespace {

/// A vector in the whole's numbers, in pieces of `chunk` elements on the parts' devices.
struct Stage {
    double* piece[kMaxParts];
    long long chunk;
};

/// Own elements begin to end - 1 of a part; of a strip element i is first + i of the whole, else row[i].
__global__ void __launch_bounds__(kOuterThreads)
    outer_stage(const double* from, const __grid_constant__ Stage stage, long long begin, long long end,
                long long first, const std::uint32_t* row) {
    const long long i = begin + outer_element();
    if (i >= end) return;
    const long long whole = row == nullptr ? first + i : row[i];
    stage.piece[whole / stage.chunk][whole % stage.chunk] = from[i];
}

__global__ void __launch_bounds__(kOuterThreads)
    outer_halo(const double* u, const __grid_constant__ HaloSend<double> halo, long long begin, long long end) {
    const long long i = begin + outer_element();
    if (i < end) send_element(halo, i, [&] { return u[i]; });
}

unsigned blocks_of(long long count) {
    return static_cast<unsigned>((count + kOuterThreads - 1) / kOuterThreads);
}

} // namespace

PartedOuter::PartedOuter(const PartPlaces& places, const System& given)
    : places_(places), u_(places), b_(places), d_(places), direction_(places), scratch_(places), size_(given.size()) {
    const auto parts = static_cast<long long>(places.parts());
    const long long pieces = (static_cast<long long>(size_) + kDotPart - 1) / kDotPart;
    chunk_ = (pieces + parts - 1) / parts * kDotPart;
    static_assert(kDotPart % kNormBlock == 0);
    for_parts([&](int k) {
        broken_.emplace_back(1);
        stage_.emplace_back(static_cast<std::size_t>(chunk_));
        sums_.emplace_back(static_cast<std::size_t>(chunk_ / kNormBlock));
        load_part(k, given);
    });
}

void PartedOuter::load_part(int k, const System& given) {
    const PartMap& m = places_.maps[static_cast<std::size_t>(k)];
    OuterMatrix& a = matrix_.emplace_back();
    a.kind = given.kind();
    a.size = static_cast<long long>(m.elements);
    a.row_length = static_cast<long long>(given.row_length());
    auto& bands = band_.emplace_back();
    if (given.kind() == System::Kind::stencil) {
        std::ranges::copy(std::get<Stencil>(given.matrix()).coefficients(), a.coefficient);
    } else if (given.kind() == System::Kind::bands) {
        for (std::size_t b = 0; b < kBands; ++b) {
            const std::span<const double> whole = std::get<Bands>(given.matrix()).band(b);
            const auto mine = whole.subspan(static_cast<std::size_t>(m.first), m.elements);
            bands[b] = to_device(std::vector<double>(mine.begin(), mine.end()));
            a.band[b] = bands[b].data();
        }
    } else {
        const auto& value = std::get<CompressedRows>(given.matrix()).value();
        std::vector<double> own(m.entry.size());
        for (std::size_t e = 0; e < own.size(); ++e) own[e] = value[m.entry[e]];
        row_begin_.push_back(to_device(m.row_begin));
        column_.push_back(to_device(m.column));
        value_.push_back(to_device(own));
        a.row_begin = row_begin_.back().data();
        a.column = column_.back().data();
        a.value = value_.back().data();
    }
}

void PartedOuter::load(std::span<const double> u, std::span<const double> b, std::span<const double> d) {
    if (u.size() != size_ || b.size() != size_ || d.size() != size_)
        throw InvalidInput("outer vectors: u, b and d must have as many elements as the system");
    u_.write(0, u);
    b_.write(0, b);
    d_.write(0, d);
}

void PartedOuter::read(std::span<double> u, std::span<double> d) const {
    u_.read(0, u);
    d_.read(0, d);
}

void PartedOuter::meet() const {
    for (const int device : places_.peers->distinct()) {
        const OnDevice here(device);
        check(cudaDeviceSynchronize(), "the outer loop over parts");
    }
}

unsigned PartedOuter::blocks(int k) const {
    return blocks_of(static_cast<long long>(places_.maps[static_cast<std::size_t>(k)].elements));
}

void PartedOuter::to_stage(const PartArray<double>& from) {
    Stage stage{};
    stage.chunk = chunk_;
    for (std::size_t k = 0; k < stage_.size(); ++k) stage.piece[k] = stage_[k].data();
    for_parts([&](int k) {
        const PartMap& m = places_.maps[static_cast<std::size_t>(k)];
        if (m.owned() == 0) return;
        outer_stage<<<blocks_of(static_cast<long long>(m.owned())), kOuterThreads>>>(
            from.data(k), stage, static_cast<long long>(m.own_begin), static_cast<long long>(m.own_end), m.first,
            m.strip ? nullptr : places_.row_there[static_cast<std::size_t>(k)].data());
        check(cudaGetLastError(), "launch of outer_stage");
    });
    meet();
}

template <class Sum> double PartedOuter::add_blocks(long long block, Sum&& sum) {
    const auto size = static_cast<long long>(size_);
    const auto piece = [&](int k) { return std::clamp(size - k * chunk_, 0ll, chunk_); };
    for_parts([&](int k) {
        const auto part = static_cast<std::size_t>(k);
        if (piece(k) > 0) sum(stage_[part].data(), piece(k), sums_[part].data());
    });
    double total = 0;
    for_parts([&](int k) {
        std::vector<double> blocks(static_cast<std::size_t>((piece(k) + block - 1) / block));
        if (blocks.empty()) return;
        sums_[static_cast<std::size_t>(k)].download(std::span(blocks));
        for (const double x : blocks) total += x;
    });
    return total;
}

double PartedOuter::dot(double scale) {
    for_parts([&](int k) { form_direction(k, scale, true); });
    to_stage(scratch_);
    return add_blocks(kDotPart, [](const double* piece, long long size, double* sums) {
        outer_sums<<<static_cast<unsigned>((size + kDotPart - 1) / kDotPart), kPartThreads>>>(piece, size, sums);
        check(cudaGetLastError(), "launch of outer_sums");
    });
}

void PartedOuter::restart(double scale, std::optional<double> share) {
    for_parts([&](int k) {
        if (!share) form_direction(k, scale, false); // (dot() has formed it else)
        begin(k, share.value_or(0), share.has_value());
    });
    begun();
}

bool PartedOuter::correct(double scale, double alpha) {
    if (!std::isfinite(alpha)) return false;
    for_parts([&](int k) {
        broken_[static_cast<std::size_t>(k)].zero();
        form_correction(k, alpha);
    });
    unsigned broken = 0;
    for_parts([&](int k) {
        unsigned mine = 0;
        broken_[static_cast<std::size_t>(k)].download(std::span(&mine, 1));
        broken |= mine;
    });
    if (broken != 0) return false;
    for_parts([&](int k) {
        // (Own elements alone: defect() of another device may send the others before this kernel begins.)
        const PartMap& m = places_.maps[static_cast<std::size_t>(k)];
        if (m.owned() == 0) return;
        outer_correct<<<blocks_of(static_cast<long long>(m.owned())), kOuterThreads>>>(
            u_.data(k) + m.own_begin, scale, scratch_.data(k) + m.own_begin, static_cast<long long>(m.owned()));
        check(cudaGetLastError(), "launch of outer_correct");
    });
    return true;
}

void PartedOuter::defect() {
    for_parts([&](int k) {
        const PartMap& m = places_.maps[static_cast<std::size_t>(k)];
        const HaloSend<double> halo = make_halo(places_, u_, k, matrix_[static_cast<std::size_t>(k)].row_length);
        const auto send = [&](std::size_t begin, std::size_t end) {
            if (begin == end) return;
            outer_halo<<<blocks_of(static_cast<long long>(end - begin)), kOuterThreads>>>(
                u_.data(k), halo, static_cast<long long>(begin), static_cast<long long>(end));
            check(cudaGetLastError(), "launch of outer_halo");
        };
        send(m.own_begin, m.inner_begin);
        send(m.inner_end, m.own_end);
    });
    meet();
    for_parts([&](int k) {
        const PartMap& m = places_.maps[static_cast<std::size_t>(k)];
        if (m.owned() == 0) return;
        outer_defect<<<blocks_of(static_cast<long long>(m.owned())), kOuterThreads>>>(
            matrix_[static_cast<std::size_t>(k)], static_cast<long long>(m.own_begin),
            static_cast<long long>(m.own_end), u_.data(k), b_.data(k), d_.data(k));
        check(cudaGetLastError(), "launch of outer_defect");
    });
}

double PartedOuter::norm() {
    to_stage(d_);
    const double squares = add_blocks(kNormBlock, [](const double* piece, long long size, double* sums) {
        outer_squares<<<blocks_of(kNormLanes * ((size + kNormBlock - 1) / kNormBlock)), kOuterThreads>>>(piece, size,
                                                                                                         sums);
        check(cudaGetLastError(), "launch of outer_squares");
    });
    if (outer_order::squares_suffice(squares)) return std::sqrt(squares);
    std::vector<double> d(size_);
    d_.read(0, d);
    return outer_order::scaled_norm(d);
}

} // namespace mantissa::gpu
