// The `hls` engine: the HLS-style C++ datapath, untimed.
#pragma once

#include <memory>

#include "mantissa/engine.hpp"

namespace mantissa {

/// Runs any spec whose formats flush subnormals, on stencil and band systems with rows of up to 8193 elements. A
/// kernel is compiled per datapath: the common ones with the library, others with the C++ compiler on first use
/// (a few seconds), kept in $MANTISSA_CACHE, else $XDG_CACHE_HOME/mantissa, else ~/.cache/mantissa.
std::unique_ptr<Engine> make_hls_engine();

} // namespace mantissa
