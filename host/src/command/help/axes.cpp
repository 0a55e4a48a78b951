// The axes of a solve for `mantissa help solve`, and the reference of all options.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command/options/declare.hpp"
#include "options/written.hpp"
#include "pages.hpp"

namespace mantissa::cli::help {

namespace {

constexpr const char* kPicture = R"(A solve is a product of choices that know nothing of each other:

    --problem        what A u = b is: a grid, a matrix file, a mesh
       |
    --outer-loop     in double precision: d = b - A u, and how a correction enters u
       |   d down, a correction up
    --recurrence     what iterates inside (help recurrences), in the datapath of --format or --spec
       |   with --preconditioner
    --engine         who computes the datapath; all of them give the same bits
       |
    --parts, --gpus  where the vectors lie: threads, ranks, devices

)";

} // namespace

std::string axes() {
    return kPicture + std::string("A scheme is a short name for three of them:\n\n") + options::scheme_table();
}

} // namespace mantissa::cli::help
