#include "image.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include <zlib.h>

#include <fmt/format.h>

namespace mantissa::pictures {

namespace {

constexpr std::size_t kChannels = 3;
constexpr std::size_t kMargin = 16, kLine = 18; // of a drawing, in its units

std::uint8_t byte_of(double part) {
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(part, 0.0, 1.0)));
}

void append_number(std::string& out, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
}

void append_chunk(std::string& out, std::string_view type, std::string_view content) {
    append_number(out, static_cast<std::uint32_t>(content.size()));
    const std::string body = std::string(type) + std::string(content);
    out += body;
    append_number(out, static_cast<std::uint32_t>(
                           crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
}

std::string packed(const std::string& rows) {
    uLongf size = compressBound(static_cast<uLong>(rows.size()));
    std::string out(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
                  static_cast<uLong>(rows.size()), Z_BEST_COMPRESSION) != Z_OK)
        throw std::runtime_error("zlib: a picture could not be packed");
    out.resize(size);
    return out;
}

/// Each row after the difference to the square on its left (PNG's filter 1).
std::string differences(const Image& image) {
    std::string rows;
    const std::size_t row = kChannels * image.width;
    for (std::size_t y = 0; y < image.height; ++y) {
        rows += '\1';
        for (std::size_t i = 0; i < row; ++i) {
            const int left = i < kChannels ? 0 : image.bytes[y * row + i - kChannels];
            rows += static_cast<char>(image.bytes[y * row + i] - left);
        }
    }
    return rows;
}

/// A PNG's chunks; `kind` 2 has red, green and blue of each square, 3 numbers of colours in `palette`.
std::string png(const Image& image, char kind, const std::string& palette, const std::string& rows) {
    std::string out = "\x89PNG\r\n\x1A\n", head;
    append_number(head, static_cast<std::uint32_t>(image.width));
    append_number(head, static_cast<std::uint32_t>(image.height));
    head += {'\x08', kind, '\0', '\0', '\0'}; // of eight bits; no interlacing
    append_chunk(out, "IHDR", head);
    if (!palette.empty()) append_chunk(out, "PLTE", palette);
    append_chunk(out, "IDAT", packed(rows));
    append_chunk(out, "IEND", "");
    return out;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '&') out += "&amp;";
        else if (c == '<') out += "&lt;";
        else if (c == '>') out += "&gt;";
        else out += c;
    }
    return out;
}

} // namespace

Image::Image(std::size_t w, std::size_t h, const Colour& ground) : width(w), height(h), bytes(kChannels * w * h) {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(ground[i % kChannels]);
}

void Image::set(std::size_t x, std::size_t y, const Colour& colour) {
    for (std::size_t k = 0; k < kChannels; ++k) bytes[kChannels * (y * width + x) + k] = byte_of(colour[k]);
}

Colour Image::at(std::size_t x, std::size_t y) const {
    Colour colour{};
    for (std::size_t k = 0; k < kChannels; ++k) colour[k] = bytes[kChannels * (y * width + x) + k] / 255.0;
    return colour;
}

Image halved(const Image& image) {
    Image out(image.width / 2, image.height / 2);
    for (std::size_t y = 0; y < out.height; ++y)
        for (std::size_t x = 0; x < out.width; ++x) {
            Colour mean{};
            for (std::size_t k = 0; k < kChannels; ++k)
                for (std::size_t part = 0; part < 4; ++part)
                    mean[k] += image.at(2 * x + part % 2, 2 * y + part / 2)[k] / 4;
            out.set(x, y, mean);
        }
    return out;
}

std::string png_of(const Image& image) {
    return png(image, '\x02', {}, differences(image));
}

std::string small_png_of(const Image& image) {
    constexpr std::size_t kMostColours = 256;
    for (const int levels : {256, 64, 48, 32, 24, 16, 8, 6}) { // of a channel; 6^3 colours are few enough
        std::map<std::array<std::uint8_t, kChannels>, std::size_t> places;
        std::string palette, rows;
        for (std::size_t i = 0; i < image.bytes.size() && places.size() <= kMostColours; i += kChannels) {
            std::array<std::uint8_t, kChannels> colour{};
            for (std::size_t k = 0; k < kChannels; ++k)
                colour[k] = byte_of(std::round(image.bytes[i + k] / 255.0 * (levels - 1)) / (levels - 1));
            const auto [place, fresh] = places.emplace(colour, places.size());
            if (fresh) palette.append(colour.begin(), colour.end());
            if (i % (kChannels * image.width) == 0) rows += '\0'; // no filter
            rows += static_cast<char>(place->second);
        }
        if (places.size() <= kMostColours) return png(image, '\x03', palette, rows);
    }
    return png_of(image);
}

std::string base64_of(std::string_view bytes) {
    static constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        const std::size_t there = std::min<std::size_t>(3, bytes.size() - i);
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (k < there ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k) out += k <= there ? kLetters[group >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

std::string drawing_of(const std::vector<Panel>& panels, std::size_t across, const std::string& title) {
    std::size_t width = 0, height = 0, lines = 0;
    for (const Panel& p : panels) {
        width = std::max(width, p.image.width);
        height = std::max(height, p.image.height);
        lines = std::max(lines, p.words.size());
    }
    const std::size_t head = title.empty() ? 0 : 2 * kLine;
    const std::size_t wide = width + kMargin, high = height + lines * kLine + 2 * kMargin;
    const std::size_t columns = std::min(across, panels.size()), rows = (panels.size() + across - 1) / across;
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<g font-family=\"sans-serif\" font-size=\"13\" "
        "fill=\"#222\">\n",
        columns * wide + kMargin, rows * high + head + kMargin);
    if (!title.empty())
        out += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"16\">{}</text>\n", kMargin, kMargin + kLine,
                           escaped(title));
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const Panel& p = panels[i];
        const std::size_t x = kMargin + i % across * wide, y = kMargin + head + i / across * high;
        out += fmt::format("<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
                           "href=\"data:image/png;base64,{}\"/>\n",
                           x + (width - p.image.width) / 2, y + (height - p.image.height) / 2, p.image.width,
                           p.image.height, base64_of(small_png_of(p.image)));
        for (std::size_t line = 0; line < p.words.size(); ++line)
            out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x, y + height + (line + 1) * kLine,
                               escaped(p.words[line]));
    }
    return out + "</g></svg>\n";
}

} // namespace mantissa::pictures
