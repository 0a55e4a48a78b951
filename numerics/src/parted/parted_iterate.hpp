// u, b and the defect of a solve over parts: each process holds the rows of its parts, and their ghosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "exchanger.hpp"
#include "local_system.hpp"
#include "mantissa/outer/spread_iterate.hpp"
#include "mantissa/partition/partition.hpp"
#include "mantissa/partition/space.hpp"
#include "ordered_sums.hpp"

namespace mantissa::detail {

/// What one part holds. Vectors are in the numbers of its own system, ghosts too.
struct IterateShare {
    IterateShare(std::shared_ptr<Space> space, const System& given, const Partition& partition, std::uint32_t number);

    std::uint32_t part;
    LocalSystem local;
    Exchanger exchanger;
    OrderedSums sums;
    std::vector<double> u, b, d;
};

class PartedIterate final : public SpreadIterate {
public:
    /// The matrix is `given`, whose rows `partition` shares out; u, b and d begin as zeros. `threads`: of each part.
    PartedIterate(std::shared_ptr<Space> space, const System& given, std::shared_ptr<const Partition> partition,
                  int threads);

    /// body(k, share) for each part of this process, side by side.
    void on_every_part(const std::function<void(std::size_t, IterateShare&)>& body) const;
    /// The rows that a share's part owns, ascending, and where they are in its system.
    [[nodiscard]] const std::vector<std::uint32_t>& rows(const IterateShare& share) const {
        return partition_->parts()[share.part].row;
    }
    [[nodiscard]] const Partition& partition() const { return *partition_; }

    /// Takes u, b and d from whole vectors; empty ones are left as they are.
    void load(std::span<const double> u, std::span<const double> b, std::span<const double> d);
    /// d = b - A u
    void defect();
    /// The norm of d.
    [[nodiscard]] double norm();
    /// A vector of the shares, whole, on every process.
    [[nodiscard]] std::vector<double> whole(std::vector<double> IterateShare::*vector) const;
    /// Numbers that each part holds elsewhere for the outer loop.
    void holds_beside(std::size_t k, std::size_t numbers) { beside_[k] = numbers; }

    certain::Norm defect_norm() override;
    bool finite() override;
    double sum_in_order(const std::function<double(std::size_t, double)>& term) override;
    [[nodiscard]] std::vector<double> whole_at_first() const override;
    [[nodiscard]] std::vector<double> whole() const override { return whole(&IterateShare::u); }
    [[nodiscard]] std::size_t held() const override;

private:
    template <class Form> void form_rows(IterateShare& share, Form&& form) const;

    std::shared_ptr<Space> space_;
    std::shared_ptr<const Partition> partition_;
    int threads_;
    std::vector<std::unique_ptr<IterateShare>> share_;
    std::vector<std::size_t> beside_;
};

} // namespace mantissa::detail
