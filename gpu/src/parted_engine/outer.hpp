// The outer loop's double-precision vectors over several parts, each beside its part of a session.
#pragma once

#include <array>
#include <vector>

#include "engine/outer_vectors.hpp"
#include "mantissa/outer/outer_vectors.hpp"
#include "part_array.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

/// Elements stay with their part; elements of u that rows elsewhere need go there before a defect is formed. Sums are
/// in the whole's order: terms go to a stage, of which each device holds a piece of whole blocks in the whole's
/// numbers, and blocks are added up one after the other. What meets a session's own vectors is left to the session.
class PartedOuter : public OuterVectors {
public:
    /// `given`: a matrix that DeviceOuter::takes().
    PartedOuter(const PartPlaces& places, const System& given);

    void load(std::span<const double> u, std::span<const double> b, std::span<const double> d) override;
    void read(std::span<double> u, std::span<double> d) const override;
    double dot(double scale) final;
    void restart(double scale, std::optional<double> share) final;
    bool correct(double scale, double alpha) final;
    void defect() override;
    double norm() override;

protected:
    // As DeviceOuter's, of part k, whose device is the current one.
    virtual void form_direction(int k, double scale, bool keep) = 0;
    virtual void begin(int k, double share, bool keep) = 0;
    virtual void form_correction(int k, double alpha) = 0;
    /// After the launches of begin(), for what they found.
    virtual void begun() {}
    [[nodiscard]] unsigned blocks(int k) const;
    template <class Work> void for_parts(Work&& work) const {
        for (int k = 0; k < places_.parts(); ++k) {
            const OnDevice here(places_.peers->device(k));
            work(k);
        }
    }
    /// Waits for all devices: what one has written into another's memory is there.
    void meet() const;

    const PartPlaces& places_;
    PartArray<double> u_, b_, d_, direction_, scratch_;
    std::vector<Buffer<unsigned>> broken_;

private:
    void load_part(int k, const System& given);
    void to_stage(const PartArray<double>& from);
    /// What `sum` leaves of each piece's blocks, added in order. sum(piece, its size, block sums)
    template <class Sum> double add_blocks(long long block, Sum&& sum);

    std::size_t size_;
    long long chunk_; ///< elements of a piece of the stage
    std::vector<Buffer<double>> stage_, sums_;
    std::vector<OuterMatrix> matrix_;
    std::vector<std::array<Buffer<double>, kBands>> band_;
    std::vector<Buffer<std::uint64_t>> row_begin_;
    std::vector<Buffer<std::uint32_t>> column_;
    std::vector<Buffer<double>> value_;
};

#endif

} // namespace mantissa::gpu
