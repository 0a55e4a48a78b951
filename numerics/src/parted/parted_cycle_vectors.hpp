// A loop's vectors around a cycle over parts: each part has its rows.
#pragma once

#include <memory>
#include <vector>

#include "../multilevel/parted/parted_cycle.hpp"
#include "mantissa/outer/cycle_vectors.hpp"
#include "parted_iterate.hpp"

namespace mantissa::detail {

class PartedCycleVectors final : public CycleVectors {
public:
    /// `threads`: of this process.
    PartedCycleVectors(const System& system, std::unique_ptr<multilevel::PartedCycle> cycle, int threads);

    void load(std::span<const double> u, std::span<const double> b, std::span<const double> d) override;
    void read(std::span<double> u, std::span<double> d) const override;
    bool correct() override;
    void add_correction() override;
    void defect() override { iterate_.defect(); }
    [[nodiscard]] double norm() override { return iterate_.norm(); }
    [[nodiscard]] double correction_by_defect() override;
    [[nodiscard]] double correction_by_product(std::size_t before) override;
    void direct(std::span<const double> beta) override;
    [[nodiscard]] double multiply() override;
    void step(double alpha) override;
    void keep() override;
    void give_back() override;
    [[nodiscard]] SpreadIterate& spread() override { return iterate_; }
    [[nodiscard]] std::string levels() const override { return cycle_->description(); }

private:
    /// One part's. Directions and `zero` have its ghosts, as u, b and d have.
    struct Vectors {
        std::vector<double> z, own, zero, kept;
        std::vector<CgDirection> directions{1}; ///< the newest first
        [[nodiscard]] CgDirection& last() { return directions.front(); }
    };
    /// The sum of a(share, vectors, row) b(share, vectors, row) over all rows, in the order of the host's.
    template <class A, class B> double dot(const A& a, const B& b);

    std::unique_ptr<multilevel::PartedCycle> cycle_;
    PartedIterate iterate_;
    std::vector<Vectors> part_;
};

} // namespace mantissa::detail
