#include "mantissa/recurrence/library.hpp"

#include <array>

#include <fmt/format.h>

namespace mantissa::recurrence {

std::span<const Entry> library() {
    static constexpr std::array<Entry, 8> all{{
        {&kPipelined, "pipelined CG with one dot product of q for beta",
         "Strzodka and Goeddeke, FCCM 2006, Eq. 4 and 5",
         "as cg until beta's difference cancels; the sigma guard restarts it", "every engine"},
        {&kCg, "textbook CG", "Hestenes and Stiefel 1952", "the reference of the others",
         "emulated; native on the processor (--format double or float, sparse rows) and on the gpu (scheme "
         "jacobi-pcg)"},
        {&kChronopoulosGear, "CG with its two sums together", "Chronopoulos and Gear 1989",
         "somewhat worse than cg: A p is a recurrence", "emulated"},
        {&kGhyselsVanroose, "CG whose product hides the sums", "Ghysels and Vanroose 2014",
         "worst of the four: A p, A r and A A p are recurrences", "emulated"},
        {&kFlexible, "preconditioned CG with Polak and Ribiere's beta", "Golub and Ye 1999",
         "as cg; the preconditioner may change from step to step",
         "emulated; native on the processor (--format double,sum=free or float,sum=free, sparse rows)"},
        {&kBicgstab, "stabilised biconjugate gradients", "van der Vorst 1992",
         "the recurrence's residual leaves the true one after large intermediate residuals",
         "emulated; native on the processor and on the gpu (--format double or float, sparse rows)"},
        {&kRightBicgstab, "bicgstab preconditioned from the right", "van der Vorst 1992", "as bicgstab",
         "emulated, and native on the processor as flexible (--recurrence bicgstab --preconditioner multilevel)"},
        {&kChebyshev, "the polynomial that is least between bounds of the spectrum",
         "Barrett et al., Templates, 1994, section 2.3.9", "as cg; an eigenvalue above the bounds makes it diverge",
         "as an inner solver emulated, hls, systemc and rtl; native on the processor (--format double,sum=free or "
         "float,sum=free, sparse rows) and on the gpu (--format double or float, rows)"},
    }};
    return all;
}

const Definition* find(std::string_view name) {
    for (const Entry& entry : library())
        if (entry.definition->name.view() == name) return entry.definition;
    return nullptr;
}

const Definition& named(std::string_view name) {
    if (const Definition* found = find(name)) return *found;
    std::string names;
    for (const Entry& entry : library())
        names += (names.empty() ? "" : ", ") + std::string(entry.definition->name.view());
    throw InvalidInput(fmt::format("recurrence '{}': write one of {}", name, names));
}

} // namespace mantissa::recurrence
