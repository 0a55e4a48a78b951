#include "parted_iterate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <utility>

#include "mantissa/outer/certain.hpp"
#include "mantissa/outer/defect.hpp"
#include "mantissa/outer_order.hpp"
#include "on_every_part.hpp"

namespace mantissa::detail {

namespace {

/// (Elements of u go between neighbours, whatever the way of p: they are needed once an outer step.)
Exchanger exchanger_of(const std::shared_ptr<Space>& space, const Partition& partition, std::uint32_t part,
                       const LocalSystem& local) {
    return {space, part, partition.parts()[part], local.places, sizeof(double), {}, nullptr};
}

} // namespace

IterateShare::IterateShare(std::shared_ptr<Space> space, const System& given, const Partition& partition,
                           std::uint32_t number)
    : part(number), local(local_system(given, partition, number)),
      exchanger(exchanger_of(space, partition, number, local)), sums(std::move(space), partition, number),
      u(local.system.size(), 0.0), b(u.size(), 0.0), d(u.size(), 0.0) {}

PartedIterate::PartedIterate(std::shared_ptr<Space> space, const System& given,
                             std::shared_ptr<const Partition> partition, int threads)
    : space_(std::move(space)), partition_(std::move(partition)), threads_(std::max(1, threads)) {
    for (const std::uint32_t part : space_->here())
        share_.push_back(std::make_unique<IterateShare>(space_, given, *partition_, part));
    beside_.assign(share_.size(), 0);
}

void PartedIterate::on_every_part(const std::function<void(std::size_t, IterateShare&)>& body) const {
    detail::on_every_part(*space_, space_->here(), [&](std::size_t k) { body(k, *share_[k]); });
}

void PartedIterate::load(std::span<const double> u, std::span<const double> b, std::span<const double> d) {
    for (const auto& share : share_) {
        const std::vector<std::uint32_t>& row = rows(*share);
        const auto take = [&](std::span<const double> from, std::vector<double>& to) {
            if (from.empty()) return;
            for (std::size_t i = 0; i < row.size(); ++i) to[share->local.owned[i]] = from[row[i]];
        };
        take(u, share->u);
        take(b, share->b);
        take(d, share->d);
    }
}

/// form(begin, end) for pieces of the share's rows, its ghosts of u having come.
template <class Form> void PartedIterate::form_rows(IterateShare& s, Form&& form) const {
    s.exchanger.exchange<double>(std::span(s.u));
    const System& system = s.local.system;
    const std::size_t unit = system.kind() == System::Kind::stencil ? system.row_length() : 1;
    const std::size_t units = system.size() / unit,
                      pieces = std::min<std::size_t>(units, static_cast<std::size_t>(threads_));
#pragma omp parallel for num_threads(threads_) schedule(static) if (pieces > 1)
    for (std::size_t k = 0; k < pieces; ++k) form(units * k / pieces * unit, units * (k + 1) / pieces * unit);
}

void PartedIterate::defect() {
    on_every_part([&](std::size_t, IterateShare& s) {
        form_rows(s, [&](std::size_t begin, std::size_t end) {
            outer::defect_piece(s.local.system, begin, end, s.u.data(), s.b.data(), s.d.data());
        });
    });
}

double PartedIterate::norm() {
    std::vector<double> found(share_.size());
    on_every_part([&](std::size_t k, IterateShare& s) {
        s.sums.stage([&](std::size_t first, std::span<double> values) {
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = s.d[s.local.owned[first + i]];
        });
        const auto squares = [&](double scale) {
            return s.sums.add_blocks(outer_order::kNormBlock, [scale](std::span<const double> block) {
                return outer_order::block_squares(block.data(), block.size(), scale);
            });
        };
        const double sum = squares(1);
        found[k] =
            outer_order::squares_suffice(sum) ? std::sqrt(sum) : outer_order::scaled_norm(s.sums.largest(), squares);
    });
    return found.front();
}

certain::Norm PartedIterate::defect_norm() {
    std::vector<certain::RowSizes> found(share_.size());
    on_every_part([&](std::size_t k, IterateShare& s) {
        std::mutex one;
        form_rows(s, [&](std::size_t begin, std::size_t end) {
            const certain::RowSizes some =
                certain::defect_piece(s.local.system, begin, end, s.u.data(), s.b.data(), s.d.data());
            const std::lock_guard lock(one);
            found[k].include(some);
        });
        found[k].size = std::ranges::max(s.sums.all(found[k].size));
        found[k].terms = static_cast<std::size_t>(std::ranges::max(s.sums.all(static_cast<double>(found[k].terms))));
    });
    return certain::norm_of(norm(), found.front().error(), partition_->rows());
}

bool PartedIterate::finite() {
    std::vector<char> found(share_.size());
    on_every_part([&](std::size_t k, IterateShare& s) {
        const bool mine = std::ranges::all_of(s.local.owned, [&](std::uint32_t i) { return std::isfinite(s.u[i]); });
        const std::vector<double> all = s.sums.all(mine ? 0 : 1);
        found[k] = std::ranges::all_of(all, [](double x) { return x == 0; }) ? 1 : 0;
    });
    return found.front() != 0;
}

double PartedIterate::sum_in_order(const std::function<double(std::size_t, double)>& term) {
    std::vector<double> found(share_.size());
    on_every_part([&](std::size_t k, IterateShare& s) {
        const std::vector<std::uint32_t>& row = rows(s);
        s.sums.stage([&](std::size_t first, std::span<double> values) {
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = term(row[first + i], s.u[s.local.owned[first + i]]);
        });
        found[k] = s.sums.add_in_order();
    });
    return found.front();
}

std::vector<double> PartedIterate::whole_at_first() const {
    std::vector<double> whole;
    on_every_part([&](std::size_t, IterateShare& s) {
        std::vector<Parcel> out, in;
        if (s.part != 0) {
            out.push_back({0, std::vector<std::byte>(s.local.owned.size() * sizeof(double))});
            for (std::size_t i = 0; i < s.local.owned.size(); ++i)
                std::memcpy(out[0].bytes.data() + i * sizeof(double), &s.u[s.local.owned[i]], sizeof(double));
        } else {
            for (std::uint32_t p = 1; p < space_->parts(); ++p)
                in.push_back({p, std::vector<std::byte>(partition_->parts()[p].row.size() * sizeof(double))});
        }
        space_->exchange(s.part, out, in);
        if (s.part != 0) return;
        whole.resize(partition_->rows());
        for (std::size_t i = 0; i < s.local.owned.size(); ++i) whole[rows(s)[i]] = s.u[s.local.owned[i]];
        for (const Parcel& parcel : in) {
            const std::vector<std::uint32_t>& row = partition_->parts()[parcel.peer].row;
            for (std::size_t i = 0; i < row.size(); ++i)
                std::memcpy(&whole[row[i]], parcel.bytes.data() + i * sizeof(double), sizeof(double));
        }
    });
    return whole;
}

std::vector<double> PartedIterate::whole(std::vector<double> IterateShare::*vector) const {
    std::size_t most = 0;
    for (const Part& part : partition_->parts()) most = std::max(most, part.row.size());
    std::vector<double> gathered;
    on_every_part([&](std::size_t k, IterateShare& s) {
        std::vector<double> mine(most, 0.0), all(most * partition_->parts().size());
        for (std::size_t i = 0; i < s.local.owned.size(); ++i) mine[i] = (s.*vector)[s.local.owned[i]];
        space_->gather(s.part, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
        if (k == 0) gathered = std::move(all);
    });
    std::vector<double> whole(partition_->rows());
    for (std::size_t p = 0; p < partition_->parts().size(); ++p) {
        const std::vector<std::uint32_t>& row = partition_->parts()[p].row;
        for (std::size_t i = 0; i < row.size(); ++i) whole[row[i]] = gathered[p * most + i];
    }
    return whole;
}

std::size_t PartedIterate::held() const {
    std::vector<std::size_t> found(share_.size());
    on_every_part([&](std::size_t k, IterateShare& s) {
        const std::size_t mine = s.u.size() + s.b.size() + s.d.size() + s.sums.held() + beside_[k];
        found[k] = static_cast<std::size_t>(std::ranges::max(s.sums.all(static_cast<double>(mine))));
    });
    return found.front();
}

} // namespace mantissa::detail
