#include "mantissa/run_end.hpp"

namespace mantissa {

std::string to_string(RunEnd end) {
    switch (end) {
    case RunEnd::passes:
        return "passes";
    case RunEnd::rho_reached:
        return "rho reached";
    case RunEnd::exact:
        return "exact";
    case RunEnd::indefinite:
        return "indefinite";
    case RunEnd::not_finite:
        return "not finite";
    case RunEnd::window_overflow:
        return "window overflow";
    case RunEnd::fault:
        return "fault";
    case RunEnd::breakdown:
        return "breakdown";
    }
    return "?";
}

} // namespace mantissa
