#include "device_cells.hpp"

#include "mantissa/errors.hpp"

namespace mantissa::cli {

std::unique_ptr<CellSolver> make_device_cells(const std::string&, const FlowOptions&, bool) {
    throw InvalidInput("--device gpu: this build has no CUDA part; build with nvcc, or leave --device out");
}

} // namespace mantissa::cli
