// The `hls` engine: the HLS-style C++ datapath, untimed.
#pragma once

#include <memory>

#include "mantissa/engine.hpp"

namespace mantissa {

/// Runs floating specs whose formats flush subnormals, in every row form, and specs with fixed-point words of up to 32
/// bits (u: 53) and a point that stands still, on systems on a grid with rows of up to 8193 elements (words: with a
/// constant stencil or symmetric). A kernel is compiled per datapath: the common ones with the library, others with the
/// C++ compiler on first use (a few seconds), kept in $MANTISSA_CACHE, else $XDG_CACHE_HOME/mantissa, else
/// ~/.cache/mantissa.
std::unique_ptr<Engine> make_hls_engine();

} // namespace mantissa
