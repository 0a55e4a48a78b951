// Pictures of coloured squares (PNG), and SVG drawings that hold several of them with words. Internal to host/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa::pictures {

/// Red, green and blue, 0 to 1.
using Colour = std::array<double, 3>;

inline constexpr Colour kPaper{1, 1, 1};

/// Rows from the top, three bytes for each square.
struct Image {
    std::size_t width = 0, height = 0;
    std::vector<std::uint8_t> bytes;
    Image(std::size_t w, std::size_t h, const Colour& ground = kPaper);
    void set(std::size_t x, std::size_t y, const Colour& colour);
    [[nodiscard]] Colour at(std::size_t x, std::size_t y) const;
};

/// Half the width and height: each square is the mean of four.
Image halved(const Image& image);

/// The file's bytes.
std::string png_of(const Image& image);
/// The same with at most 256 colours, the picture's own where it has no more; else the channels have 64 to 6 levels.
/// For documents: a third of the bytes.
std::string small_png_of(const Image& image);
std::string base64_of(std::string_view bytes);

/// A picture with words below it; a line for each element.
struct Panel {
    Image image;
    std::vector<std::string> words;
};
/// The panels in rows of `across`, as one SVG drawing without references to other files.
std::string drawing_of(const std::vector<Panel>& panels, std::size_t across, const std::string& title = {});

} // namespace mantissa::pictures
