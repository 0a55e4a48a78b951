#include "mantissa/system.hpp"

#include <array>
namespace mantissa {

namespace {

template <System::Kind kKind, class M>
constexpr bool kHolds = std::is_same_v<std::variant_alternative_t<static_cast<std::size_t>(kKind), System::Matrix>, M>;
static_assert(kHolds<System::Kind::stencil, Stencil> && kHolds<System::Kind::bands, Bands> &&
                  kHolds<System::Kind::sparse, CompressedRows> && kHolds<System::Kind::symmetric, SymmetricBands> &&
                  std::variant_size_v<System::Matrix> == 4,
              "System::Kind names the alternatives of System::Matrix in their order");

} // namespace

std::size_t System::size() const {
    return std::visit(Overloaded{[](const Stencil& m) { return m.size(); }, [](const Bands& m) { return m.size(); },
                                 [](const CompressedRows& m) { return m.rows(); },
                                 [](const SymmetricBands& m) { return m.size(); }},
                      matrix_);
}

std::size_t System::row_length() const {
    return std::visit(Overloaded{[](const Stencil& m) { return m.row_length(); },
                                 [](const Bands& m) { return m.row_length(); },
                                 [](const CompressedRows&) { return std::size_t{0}; },
                                 [](const SymmetricBands& m) { return m.row_length(); }},
                      matrix_);
}

bool System::on_edge(std::size_t i) const {
    const Stencil* const stencil = std::get_if<Stencil>(&matrix_);
    return stencil != nullptr && stencil->on_edge(i);
}

std::string to_string(System::Kind kind) {
    static constexpr std::array kNames{"stencil", "bands", "sparse", "symmetric"};
    return kNames.at(static_cast<std::size_t>(kind));
}

} // namespace mantissa
