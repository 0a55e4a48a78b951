// Pictures: what is near hides what is far, patterns show their entries, files are what they claim to be.
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "mantissa/format.hpp"
#include "mantissa/host/mesh.hpp"
#include "pictures/image.hpp"
#include "pictures/spy.hpp"
#include "pictures/surface.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::pictures;

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
    std::uint32_t n = 0;
    for (std::size_t k = 0; k < 4; ++k) n = n << 8 | static_cast<std::uint8_t>(bytes[at + k]);
    return n;
}

TEST(Image, IsAPngThatHoldsItsSquares) {
    Image image(3, 2);
    image.set(0, 0, {1, 0, 0});
    image.set(2, 1, {0, 0.2, 1});
    const std::string png = png_of(image);
    ASSERT_TRUE(png.starts_with("\x89PNG\r\n\x1A\n"));
    EXPECT_EQ(number_at(png, 16), 3U);
    EXPECT_EQ(number_at(png, 20), 2U);
    const std::size_t at = png.find("IDAT");
    ASSERT_NE(at, std::string::npos);
    const std::uint32_t packed = number_at(png, at - 4);
    EXPECT_EQ(number_at(png, at + 4 + packed), crc32(0, reinterpret_cast<const Bytef*>(&png[at]), packed + 4));
    std::string rows(2 * (1 + 9), '\0');
    uLongf size = rows.size();
    ASSERT_EQ(
        uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, reinterpret_cast<const Bytef*>(&png[at + 4]), packed),
        Z_OK);
    ASSERT_EQ(size, rows.size());
    std::vector<std::uint8_t> squares;
    for (std::size_t y = 0; y < 2; ++y) {
        EXPECT_EQ(rows[10 * y], 1); // each byte is the difference to its left
        for (std::size_t i = 0; i < 9; ++i)
            squares.push_back(static_cast<std::uint8_t>(static_cast<unsigned char>(rows[10 * y + 1 + i]) +
                                                        (i < 3 ? 0 : squares[9 * y + i - 3])));
    }
    EXPECT_EQ(squares, image.bytes);
}

/// The squares of a PNG with a palette, without filters.
std::vector<std::uint8_t> squares_of(const std::string& png) {
    EXPECT_EQ(png[25], 3);
    const std::size_t width = number_at(png, 16), height = number_at(png, 20), colours = png.find("PLTE") + 4,
                      at = png.find("IDAT");
    std::string rows(height * (1 + width), '\0');
    uLongf size = rows.size();
    EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, reinterpret_cast<const Bytef*>(&png[at + 4]),
                         number_at(png, at - 4)),
              Z_OK);
    EXPECT_EQ(size, rows.size());
    EXPECT_LE(number_at(png, colours - 8), 3 * 256U);
    std::vector<std::uint8_t> squares;
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t k = 0; k < 3 && i % (1 + width) != 0; ++k)
            squares.push_back(static_cast<std::uint8_t>(png[colours + 3 * static_cast<std::uint8_t>(rows[i]) + k]));
    return squares;
}

TEST(Image, WithFewColoursKeepsThem) {
    Image image(3, 2);
    image.set(0, 0, {1, 0, 0});
    image.set(2, 1, {0, 0.2, 1});
    EXPECT_EQ(squares_of(small_png_of(image)), image.bytes);
}

TEST(Image, WithManyColoursIsNear) {
    Image image(64, 64);
    std::mt19937 random(1);
    for (std::size_t x = 0; x < 64; ++x)
        for (std::size_t y = 0; y < 64; ++y)
            image.set(x, y, {static_cast<double>(random() % 64) / 126, static_cast<double>(random() % 64) / 126, 0.25});
    const std::vector<std::uint8_t> squares = squares_of(small_png_of(image));
    ASSERT_EQ(squares.size(), image.bytes.size());
    for (std::size_t i = 0; i < squares.size(); ++i) EXPECT_NEAR(squares[i], image.bytes[i], 6) << i; // half a level
    EXPECT_LT(small_png_of(image).size(), png_of(image).size());
}

TEST(Image, IsWrittenInBase64) {
    for (const auto& [plain, coded] : std::vector<std::pair<std::string, std::string>>{
             {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}}) // RFC 4648
        EXPECT_EQ(base64_of(plain), coded);
}

TEST(Image, StandsInADrawingWithItsWords) {
    const std::string drawing = drawing_of({{Image(4, 4), {"a < b", "second"}}, {Image(8, 2), {}}}, 2, "Title & more");
    EXPECT_NE(drawing.find("a &lt; b"), std::string::npos);
    EXPECT_NE(drawing.find("Title &amp; more"), std::string::npos);
    EXPECT_EQ(drawing.find("http", drawing.find("2000/svg")), std::string::npos); // nothing is fetched
    EXPECT_TRUE(drawing.ends_with("</svg>\n"));
}

/// A square seen from the front, of two triangles.
void add_square(TriangleMesh& mesh, double x0, double x1, double z, bool away) {
    const auto n = static_cast<std::uint32_t>(mesh.points.size());
    for (const Point2& p : {Point2{x0, 0}, Point2{x1, 0}, Point2{x1, 1}, Point2{x0, 1}})
        mesh.points.push_back({p[0], p[1], z});
    if (away) {
        mesh.triangles.push_back({n, n + 2, n + 1});
        mesh.triangles.push_back({n, n + 3, n + 2});
    } else {
        mesh.triangles.push_back({n, n + 1, n + 2});
        mesh.triangles.push_back({n, n + 2, n + 3});
    }
}

TEST(Surface, NearHidesFarInAnyOrder) {
    const View front{{Point3{1, 0, 0}, Point3{0, 1, 0}, Point3{0, 0, 1}}, {0, 0}, {2, 1}};
    Colour seen[2][2];
    for (const bool near_first : {true, false}) {
        TriangleMesh mesh;
        if (near_first) add_square(mesh, 0, 1, 1, false);
        add_square(mesh, 0, 2, 0, true); // its back is tinted
        if (!near_first) add_square(mesh, 0, 1, 1, false);
        const Image image = surface_image(mesh, front, 64);
        ASSERT_EQ(image.width, 64U);
        ASSERT_EQ(image.height, 32U);
        seen[near_first][0] = image.at(16, 16);
        seen[near_first][1] = image.at(48, 16);
    }
    EXPECT_EQ(seen[0][0], seen[1][0]);
    EXPECT_EQ(seen[0][1], seen[1][1]);
    EXPECT_LT(seen[0][1][2], 0.7 * seen[0][0][2]) << "the tint of a back has less blue";
}

TEST(Surface, IsSeenFromTheSideItLooksTo) {
    const TriangleMesh bowl = make_hemisphere(9);
    TriangleMesh turned = bowl;
    for (Point3& p : turned.points) p = {p[0], -p[1], -p[2]};
    EXPECT_GT(view_of(bowl).axes[2][2], 0.5);
    EXPECT_LT(view_of(turned).axes[2][2], -0.5);
    // Right, up and the eye make a right-handed frame.
    const auto& [x, y, z] = view_of(bowl).axes;
    EXPECT_NEAR(x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) +
                    x[2] * (y[0] * z[1] - y[1] * z[0]),
                1, 1e-12);
}

TEST(Map, ShowsFlippedTrianglesRed) {
    TriangleMesh mesh;
    add_square(mesh, 0, 1, 0, false);
    const std::vector<Point2> uv = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const Colour kept = map_image(mesh, uv, 40).at(30, 25);
    const Colour flipped = map_image(mesh, {{1, 0}, {0, 0}, {0, 1}, {1, 1}}, 40).at(30, 25);
    EXPECT_GT(kept[2], 0.8);
    EXPECT_GT(flipped[0], 0.7);
    EXPECT_LT(flipped[2], 0.3);
}

TEST(Spy, ShowsEveryEntryAndNothingElse) {
    // A diagonal and one entry far from it, in a picture of a tenth as many squares.
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    constexpr std::uint32_t kRows = 1000, kSize = 100;
    for (std::uint32_t i = 0; i < kRows; ++i) {
        if (i == 903) column.push_back(107);
        column.push_back(i);
        begin.push_back(column.size());
    }
    value.assign(column.size(), 1.0);
    const Image image = spy_image(CompressedRows(begin, column, value), kSize);
    ASSERT_EQ(image.width, kSize + 2); // with a frame
    for (std::size_t y = 0; y < kSize; ++y)
        for (std::size_t x = 0; x < kSize; ++x)
            EXPECT_EQ(image.at(x + 1, y + 1) != kPaper, x == y || (x == 10 && y == 90)) << x << ' ' << y;
    EXPECT_GT(image.at(11, 91)[2], image.at(11, 11)[2]) << "one entry is lighter than ten";
}

TEST(Noise, IsOfTheSizeAskedForAndRepeats) {
    const TriangleMesh clean = make_plane(80, 0);
    const TriangleMesh noisy = with_noise(clean, 0.25, 7);
    EXPECT_EQ(noisy.points, with_noise(clean, 0.25, 7).points);
    EXPECT_NE(noisy.points, with_noise(clean, 0.25, 8).points);
    const double step = 1.0 / 79, length = step * (2 + std::sqrt(2.0)) / 3;
    EXPECT_NEAR(root_mean_square_distance(clean, noisy) / (0.25 * length * std::sqrt(3.0)), 1, 0.02);
    EXPECT_THROW(with_noise(clean, -1), InvalidInput);
}

} // namespace
