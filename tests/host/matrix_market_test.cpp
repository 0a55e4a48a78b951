#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include "expect_invalid.hpp"
#include "mantissa/host/matrix_market.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/symmetry.hpp"
#include "scratch.hpp"

namespace {

using namespace mantissa;

constexpr const char* kBanner = "%%MatrixMarket matrix coordinate real symmetric\n";
constexpr const char* kGeneral = "%%MatrixMarket matrix coordinate real general\n";

CompressedRows parse(const std::string& text) {
    return parse_matrix_market(text, "m.mtx");
}
void refuse(const std::string& text, const std::string& part) {
    expect_invalid([&] { parse(text); }, part);
}
/// Files that begin alike: what follows, and a part of the line that refuses it.
void refuse_each(const std::string& begin, std::initializer_list<std::pair<const char*, const char*>> rest) {
    for (const auto& [text, part] : rest) refuse(begin + text, part);
}

TEST(MatrixMarket, SymmetricTriangleIsMirrored) {
    const CompressedRows m = parse(std::string(kBanner) + "% a comment\n\n2 2 3\n1 1 4\n2 1 -1.5\n2 2 3e0\n");
    EXPECT_EQ(m.row_begin(), (std::vector<std::uint64_t>{0, 2, 4}));
    EXPECT_EQ(m.column(), (std::vector<std::uint32_t>{0, 1, 0, 1}));
    EXPECT_EQ(m.value(), (std::vector<double>{4, -1.5, -1.5, 3}));
}

/// The same matrix as the general file that has both sides.
TEST(MatrixMarket, ASkewSymmetricFileHasMinusOnTheOtherSide) {
    const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
    const CompressedRows m = parse(skew + "3 3 2\n2 1 -1.5\n3 2 2\n");
    const CompressedRows general = parse(std::string(kGeneral) + "3 3 4\n2 1 -1.5\n1 2 1.5\n3 2 2\n2 3 -2\n");
    EXPECT_EQ(m.value(), (std::vector<double>{1.5, -1.5, -2, 2}));
    EXPECT_EQ(m.value(), general.value());
    EXPECT_EQ(m.column(), general.column());
    EXPECT_EQ(m.row_begin(), general.row_begin());
    // Array storage has what lies below the diagonal.
    const CompressedRows array = parse("%%MatrixMarket matrix array integer skew-symmetric\n3 3\n-1\n4\n2\n");
    EXPECT_EQ(array.value(), (std::vector<double>{1, -4, -1, -2, 4, 2}));
    refuse_each(skew, {{"2 2 2\n2 1 1\n2 2 0\n", "m.mtx:4: entry (2, 2) lies on the diagonal of a skew-symmetric file"},
                       {"2 2 2\n2 1 1\n1 2 -1\n", "m.mtx:4: entry (1, 2) lies above the diagonal of a skew-symmetric"},
                       {"2 2 1\n2 1 0\n", "diagonal entry 1 is zero or missing"}});
    refuse("%%MatrixMarket matrix array real skew-symmetric\n1 1\n", "diagonal entry 1 is zero or missing");
}

TEST(MatrixMarket, UpperTriangleAloneIsAccepted) {
    const CompressedRows m = parse(std::string(kBanner) + "2 2 3\n1 1 4\n1 2 -1\n2 2 3\n");
    EXPECT_EQ(m.value(), (std::vector<double>{4, -1, -1, 3}));
}

TEST(MatrixMarket, GeneralWithDuplicatesInAnyOrder) {
    const CompressedRows m = parse(std::string(kGeneral) + "2 2 6\n2 1 -1\n2 2 3\n1 2 -0.5\n1 1 4\n1 2 -0.5\n2 2 1\n");
    EXPECT_EQ(m.row_begin(), (std::vector<std::uint64_t>{0, 2, 4}));
    EXPECT_EQ(m.column(), (std::vector<std::uint32_t>{0, 1, 0, 1}));
    EXPECT_EQ(m.value(), (std::vector<double>{4, -1, -1, 4}));
}

TEST(MatrixMarket, StoredZerosAreLeftOut) {
    const CompressedRows m = parse(std::string(kGeneral) + "2 2 5\n1 1 4\n1 2 0\n2 2 3\n2 1 1\n2 1 -1\n");
    EXPECT_EQ(m.row_begin(), (std::vector<std::uint64_t>{0, 1, 2}));
    EXPECT_EQ(m.value(), (std::vector<double>{4, 3}));
}

TEST(MatrixMarket, NumbersAsFilesWriteThem) {
    const CompressedRows m = parse("%%MatrixMarket MATRIX Coordinate Real General\r\n3 3 4\r\n1 1 +1.5D+00\r\n"
                                   "2\t2  1e-400 \r\n2 2 .5\r\n  3 3 1E2");
    EXPECT_EQ(m.value(), (std::vector<double>{1.5, 0.5, 100}));
}

TEST(MatrixMarket, IntegerField) {
    EXPECT_EQ(parse("%%MatrixMarket matrix coordinate integer symmetric\n1 1 1\n1 1 7\n").value()[0], 7.0);
    refuse("%%MatrixMarket matrix coordinate integer symmetric\n1 1 1\n1 1 7.5\n", "m.mtx:3: a fraction");
}

TEST(MatrixMarket, BannerFaultsNameLineOne) {
    refuse("", "m.mtx:1: no MatrixMarket file");
    refuse("hello\n", "m.mtx:1: no MatrixMarket file");
    refuse("%%MatrixMarket matrix coordinate pattern symmetric\n1 1 1\n1 1\n",
           "m.mtx:1: a pattern file holds no values");
    refuse("%%MatrixMarket matrix coordinate complex symmetric\n", "m.mtx:1: complex values");
    refuse("%%MatrixMarket matrix coordinate real hermitian\n", "m.mtx:1: a hermitian file");
    refuse("%%MatrixMarket vector coordinate real general\n", "m.mtx:1: the first line must read");
    refuse("%%MatrixMarket matrix coordinate real\n", "m.mtx:1: the first line must read");
}

TEST(MatrixMarket, SizesAreChecked) {
    refuse_each(kBanner, {{"", "m.mtx:2: the file ends before the size line"},
                          {"2 3 3\n", "m.mtx:2: 2 rows and 3 columns"},
                          {"0 0 0\n", "m.mtx:2: a matrix without rows"},
                          {"99999999999999999999 1 1\n", "m.mtx:2: the number of rows does not fit 64 bits"},
                          {"5000000000 5000000000 5000000000\n", "at most 4294967295"},
                          {"-2 2 2\n", "m.mtx:2: the number of rows is missing or no whole number: '-2'"},
                          {"2 2\n", "m.mtx:2: the number of entries is missing"},
                          {"2 2 2 2\n", "m.mtx:2: '2' after the number of entries"},
                          {"4000000000 4000000000 4000000000\n1 1 1\n", "the file is too short"},
                          {"1 1 18446744073709551615\n1 1 1\n", "the file is too short"},
                          {"3 3 2\n1 1 1\n2 2 1\n", "m.mtx:2: diagonal entry 3 is zero or missing"},
                          {"4 4 1\n2 1 1\n", "m.mtx:2: 1 entries for 4 rows"}});
}

TEST(MatrixMarket, EntriesAreChecked) {
    refuse_each(std::string(kBanner) + "2 2 2\n",
                {{"1 1 1.0000000\n", "the file ends after 1 of 2 entries"},
                 {"1 1 1\n3 2 1\n", "m.mtx:4: entry (3, 2) lies outside 1..2"},
                 {"1 1 1\n0 2 1\n", "m.mtx:4: entry (0, 2) lies outside"},
                 {"1 1 nan\n2 2 1\n", "m.mtx:3: the value is nan"},
                 {"1 1 -inf\n2 2 1\n", "m.mtx:3: the value is -inf"},
                 {"1 1 1e999\n2 2 1\n", "m.mtx:3: the value 1e999 is beyond double precision"},
                 {"1 1 0x10\n2 2 1\n", "m.mtx:3: the value is missing or no number"},
                 {"1 1 \n2 2 1\n", "m.mtx:3: the value is missing"},
                 {"1 1 1 1\n2 2 1\n", "m.mtx:3: '1' after the value"},
                 {"1 1 1\n2 2 1\n\n% end\n2 1 1\n", "m.mtx:7: text after the last of 2 entries"}});
    refuse(std::string(kBanner) + "1 1 2\n1 1 1e308\n1 1 1e308\n", "add up beyond double precision");
}

TEST(MatrixMarket, DiagonalMustBePositive) {
    refuse_each(std::string(kBanner) + "2 2 2\n",
                {{"1 1 1\n% note\n2 2 0\n", "m.mtx:5: diagonal entry 2 is zero or missing"},
                 {"1 1 -1\n2 2 1\n", "m.mtx:3: diagonal entry 1 is negative"},
                 {"1 1 1\n2 1 1\n", "m.mtx:2: diagonal entry 2 is zero or missing"}});
    // Who solves other matrices too asks for the line, and has the matrix.
    std::string indefinite;
    const CompressedRows m =
        parse_matrix_market(std::string(kBanner) + "3 3 2\n2 1 5\n3 3 1\n", "m.mtx", nullptr, &indefinite);
    EXPECT_NE(indefinite.find("m.mtx:2: diagonal entry 1 is zero or missing"), std::string::npos) << indefinite;
    EXPECT_EQ(m.value(), (std::vector<double>{5, 5, 1}));
    // But not of one with an empty row: it is singular.
    expect_invalid(
        [&] {
            parse_matrix_market(std::string(kBanner) + "4 4 3\n2 1 5\n3 3 1\n1 1 2\n", "m.mtx", nullptr, &indefinite);
        },
        "m.mtx:2: diagonal entry 4 is zero or missing");
}

TEST(MatrixMarket, AGeneralFileStaysAsItIs) {
    const std::string head = std::string(kGeneral) + "3 3 5\n1 1 2\n2 2 2\n3 3 2\n";
    using Place = std::pair<std::size_t, std::size_t>;
    const auto place = [&](const char* rest) { return asymmetry(parse(head + rest)); };
    EXPECT_EQ(place("1 3 -1\n3 1 -0.5\n"), Place(0, 2));
    EXPECT_EQ(place("1 3 -1\n2 1 -1\n"), Place(0, 2));
    EXPECT_EQ(place("3 1 -1\n3 2 -1\n"), Place(2, 0));
    EXPECT_EQ(place("1 3 -1\n3 1 -1\n"), std::nullopt);
    const CompressedRows m = parse(head + "1 3 -1\n3 1 -0.5\n");
    EXPECT_EQ(m.value(), (std::vector<double>{2, -1, 2, -0.5, 2}));
    EXPECT_EQ(m.column(), (std::vector<std::uint32_t>{0, 2, 1, 0, 2}));
    // Nothing is said of its diagonal: it may be negative, or missing.
    EXPECT_EQ(parse(std::string(kGeneral) + "2 2 3\n1 1 -4\n1 2 1\n2 1 2\n").value(), (std::vector<double>{-4, 1, 2}));
    refuse(std::string(kGeneral) + "2 2 1\n1 2 1\n", "m.mtx:2: 1 entries for 2 rows: a matrix with an empty row");
    refuse(std::string(kBanner) + "3 3 5\n1 1 2\n2 2 2\n3 3 2\n1 3 -1\n2 1 -1\n", "m.mtx:6: entry (1, 3) lies above");
}

TEST(MatrixMarket, BothTrianglesOfASymmetricFileAreRefused) {
    for (const char* rest : {"2 2 4\n1 1 4\n2 1 -1\n1 2 -1\n2 2 3\n", "2 2 4\n1 1 4\n2 1 -1\n1 2 -2\n2 2 3\n",
                             "2 2 4\n1 1 4\n2 2 3\n1 2 -1\n2 1 -1\n"})
        refuse(std::string(kBanner) + rest, "entry (1, 2) lies above the diagonal of a symmetric file");
}

TEST(MatrixMarket, ArrayStorage) {
    const CompressedRows full =
        parse("%%MatrixMarket matrix array real general\n% c\n3 3\n4 -1 0\n-1\n4\n-1\n0\n-1\n4\n");
    EXPECT_EQ(full.row_begin(), (std::vector<std::uint64_t>{0, 2, 5, 7}));
    EXPECT_EQ(full.value(), (std::vector<double>{4, -1, -1, 4, -1, -1, 4}));
    EXPECT_EQ(parse("%%MatrixMarket matrix array real symmetric\n3 3\n4\n-1\n0\n4\n-1\n4\n"), full);
    EXPECT_EQ(parse("%%MatrixMarket matrix array integer general\r1 1\r7\r").value()[0], 7.0);
    const std::string head = "%%MatrixMarket matrix array real general\n";
    refuse_each(head, {{"2 3\n1 0 0 1 0 0\n", "m.mtx:2: 2 rows and 3 columns"},
                       {"2 2\n1 0\n0 \n", "m.mtx:5: the file ends in column 2 of 2"},
                       {"2 2\n1 0\n0 1 1\n", "m.mtx:4: text after the last of 4 values"},
                       {"2 2\n1 0\n0 -1\n", "m.mtx:4: diagonal entry 2 is negative"},
                       {"2 2\n0 0\n0 1\n", "m.mtx:3: diagonal entry 1 is zero"},
                       {"4000000000 4000000000\n1\n", "the file is too short"},
                       {"2 2\n1 0\nx 1\n", "m.mtx:4: the value is missing or no number: 'x'"}});
}

TEST(MatrixMarket, RoundingAcrossTheDiagonalIsTakenOut) {
    const std::string head = std::string(kGeneral) + "3 3 9\n1 1 4\n2 1 -1\n1 2 -1\n2 2 4\n3 2 -1\n2 3 -1\n3 3 4\n";
    const auto partners = [](const CompressedRows& m) { // entries (1, 3) and (3, 1)
        return std::pair(m.value()[2], m.value()[m.row_begin()[2]]);
    };
    for (const auto& [rest, mean] :
         {std::pair{"1 3 1e-17\n3 1 2e-17\n", 1.5e-17}, std::pair{"1 3 1e-17\n3 1 -3e-18\n", 3.5e-18},
          std::pair{"3 1 1e-15\n3 1 1e-16\n", 5.5e-16}, std::pair{"1 3 2e-16\n1 3 1e-18\n", 1.005e-16}}) {
        std::string note;
        const CompressedRows m = parse_matrix_market(head + rest, "m.mtx", &note);
        EXPECT_NEAR(partners(m).first, mean, 1e-30) << rest;
        EXPECT_EQ(partners(m).first, partners(m).second) << rest;
        EXPECT_NE(note.find("m.mtx: 1 pairs of entries across the diagonal differ, by "), std::string::npos) << note;
    }
    // A pair with its own last bits, and far below the largest entry.
    std::string note;
    const CompressedRows own = parse_matrix_market(
        std::string(kGeneral) + "2 2 4\n1 1 4\n2 2 4\n1 2 0.30000000000000004\n2 1 0.3\n", "m.mtx", &note);
    EXPECT_EQ(own.value()[1], own.value()[2]);
    EXPECT_FALSE(note.empty());
    note.clear();
    parse_matrix_market(head + "1 3 1e-17\n3 1 1e-17\n", "m.mtx", &note);
    EXPECT_TRUE(note.empty());
    for (const char* rest :
         {"1 3 1e-13\n3 1 2e-13\n", "1 3 1e-14\n3 1 -1e-14\n", "1 3 1e-13\n1 3 0\n", "3 1 1e-9\n3 1 0\n"})
        EXPECT_TRUE(asymmetry(parse(head + rest))) << rest;
}

TEST(MatrixMarket, LinesThatEndAsOnOldMacs) {
    const CompressedRows m =
        parse("%%MatrixMarket matrix coordinate real symmetric\r% c\r\r2 2 3\r1 1 4\r2 1 -1.5\r2 2 3");
    EXPECT_EQ(m.value(), (std::vector<double>{4, -1.5, -1.5, 3}));
    refuse("%%MatrixMarket matrix coordinate real symmetric\r2 2 2\r1 1 4\r2 2 x\r", "m.mtx:4: the value is missing");
    EXPECT_EQ(parse_vector("# c\r1\r-2\r", "b", 2), (std::vector<double>{1, -2}));
    EXPECT_EQ(parse_vector("1\r\n-2\r\n", "b", 2), (std::vector<double>{1, -2}));
}

TEST(MatrixMarket, RandomSymmetricMatricesSurviveShuffling) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 50; ++round) {
        const std::size_t n = 1 + random() % 30;
        std::vector<std::vector<double>> dense(n, std::vector<double>(n, 0.0));
        std::vector<std::string> lines;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                if (i != j && random() % 3 != 0) continue;
                const double v =
                    i == j ? 1.0 + static_cast<double>(random() % 9) : -0.1 * static_cast<double>(random() % 9);
                dense[i][j] = dense[j][i] = v;
                lines.push_back(fmt::format("{} {} {}\n", i + 1, j + 1, v));
                if (i != j) lines.push_back(fmt::format("{} {} {}\n", j + 1, i + 1, v));
            }
        std::shuffle(lines.begin(), lines.end(), random);
        std::string text = fmt::format("{}{} {} {}\n", kGeneral, n, n, lines.size());
        for (const std::string& line : lines) text += line;
        const CompressedRows m = parse(text);
        for (std::size_t i = 0; i < n; ++i) {
            std::vector<double> row(n, 0.0);
            for (auto k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k) {
                if (k > m.row_begin()[i]) {
                    EXPECT_LT(m.column()[k - 1], m.column()[k]);
                }
                row[m.column()[k]] = m.value()[k];
            }
            EXPECT_EQ(row, dense[i]);
        }
    }
}

TEST(VectorFile, ArrayAndPlain) {
    const std::vector<double> expected = {1, -2.5, 3e-5};
    EXPECT_EQ(parse_vector("%%MatrixMarket matrix array real general\n% c\n3 1\n1\n-2.5\n3e-5\n", "b", 3), expected);
    EXPECT_EQ(parse_vector("# numbers\n1 -2.5\n\n% more\n3e-5", "b", 3), expected);
    expect_invalid([] { parse_vector("1 2\n", "b", 3); }, "b:2: the file ends after 2 numbers: the system needs 3");
    expect_invalid([] { parse_vector("1 2\n3 4\n", "b", 3); }, "b:2: more numbers");
    expect_invalid([] { parse_vector("1 two\n", "b", 3); }, "b:1: the number is missing or no number: 'two'");
    expect_invalid([] { parse_vector("1 2 nan\n", "b", 3); }, "b:1: the number is nan");
    expect_invalid([] { parse_vector("%%MatrixMarket matrix array real general\n2 1\n1\n2\n", "b", 3); },
                   "b:2: a right-hand side of 2 x 1");
    expect_invalid([] { parse_vector("%%MatrixMarket matrix array integer general\n2 1\n1\n2.5\n", "b", 2); },
                   "b:4: a fraction in an integer file");
}

TEST(NineBands, GridPatternsOnly) {
    // A five-point and a nine-point grid become bands; a wrap-around coupling does not.
    const auto grid = [](std::size_t n, std::size_t rows, bool corners, bool wrap) {
        std::string lines;
        std::size_t count = 0;
        const auto add = [&](std::size_t i, std::size_t j, double v) {
            lines += fmt::format("{} {} {}\n", i + 1, j + 1, v);
            ++count;
        };
        for (std::size_t i = 0; i < n * rows; ++i) {
            add(i, i, 8.0 + static_cast<double>(i));
            if (i % n != 0 || (wrap && i > 0)) add(i, i - 1, -1);
            if (i >= n) add(i, i - n, -2);
            if (corners && i >= n && i % n != 0) add(i, i - n - 1, -0.5);
            if (corners && i >= n && i % n != n - 1) add(i, i - n + 1, -0.25);
        }
        return parse(fmt::format("{}{} {} {}\n", kBanner, n * rows, n * rows, count) + lines);
    };
    for (const bool corners : {false, true}) {
        const auto bands = nine_bands(grid(5, 4, corners, false));
        ASSERT_TRUE(bands);
        EXPECT_EQ(bands->row_length(), 5u);
        EXPECT_EQ(bands->band(4)[7], 15.0);
        EXPECT_EQ(bands->band(1)[7], -2.0);
        EXPECT_EQ(bands->band(7)[2], -2.0);
        EXPECT_EQ(bands->band(0)[6], corners ? -0.5 : 0.0);
        EXPECT_EQ(bands->band(0)[5], 0.0);
        EXPECT_FALSE(nine_bands(grid(5, 4, corners, true)));
    }
}

TEST(MatrixMarketFiles, PublicMatrices) {
    const char* data = std::getenv("MANTISSA_DATA");
    if (data == nullptr) GTEST_SKIP() << "MANTISSA_DATA is not set";
    const std::filesystem::path folder = std::filesystem::path(data) / "matrices";
    struct Expected {
        const char* file;
        std::size_t size, entries;
    };
    for (const Expected& e : {Expected{"LFAT5.mtx", 14, 46}, Expected{"bcsstk03.mtx", 112, 640},
                              Expected{"1138_bus.mtx", 1138, 4054}, Expected{"G2_circuit.mtx", 150102, 726674},
                              Expected{"bcsstk17.mtx", 10974, 428650}, Expected{"wathen100.mtx", 30401, 471601}}) {
        const CompressedRows m = read_matrix_market((folder / e.file).string());
        EXPECT_EQ(m.rows(), e.size) << e.file;
        EXPECT_EQ(m.value().size(), e.entries) << e.file;
    }
}

// --- files: byte-order marks, gzip, pipes
// ------------------------------------------------------------------------------

const std::string kMark = "\xEF\xBB\xBF";
const std::string kMatrix = std::string(kBanner) + "2 2 3\n1 1 4\n2 1 -1.5\n2 2 3\n";

/// `text` as one gzip member.
std::string gzip(const std::string& text) {
    z_stream z{};
    EXPECT_EQ(deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    std::string packed(deflateBound(&z, text.size()) + 64, '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef*>(packed.data());
    z.avail_out = static_cast<uInt>(packed.size());
    EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
    packed.resize(z.total_out);
    deflateEnd(&z);
    return packed;
}

void refuse_file(const std::string& path, const std::string& part) {
    expect_invalid([&] { read_matrix_market(path); }, part);
}

TEST(MatrixMarketFile, AByteOrderMarkIsPassedOver) {
    const Scratch scratch;
    const CompressedRows plain = parse(kMatrix);
    EXPECT_EQ(parse(kMark + kMatrix).value(), plain.value());
    EXPECT_EQ(read_matrix_market(scratch.write("m.mtx", kMark + kMatrix)).value(), plain.value());
    EXPECT_EQ(parse_vector(kMark + "1\n2\n", "v", 2), (std::vector<double>{1, 2}));
    EXPECT_EQ(parse_vector(kMark + "%%MatrixMarket matrix array real general\n2 1\n1\n2\n", "v", 2),
              (std::vector<double>{1, 2}));
    refuse(kMark + kMark + kMatrix, "m.mtx:1");
    refuse(std::string("\xFF\xFE%\0%\0", 6), "m.mtx:1: UTF-16 text: save the file as UTF-8");
}

TEST(MatrixMarketFile, GzipIsToldByItsBytes) {
    const Scratch scratch;
    const CompressedRows plain = parse(kMatrix);
    for (const char* name : {"m.mtx.gz", "m.mtx"}) {
        const CompressedRows read = read_matrix_market(scratch.write(name, gzip(kMatrix)));
        EXPECT_EQ(read.row_begin(), plain.row_begin());
        EXPECT_EQ(read.column(), plain.column());
        EXPECT_EQ(read.value(), plain.value());
    }
    EXPECT_EQ(read_matrix_market(scratch.write("mark.gz", gzip(kMark + kMatrix))).value(), plain.value());
    const std::string half = kMatrix.substr(0, 60), rest = kMatrix.substr(60);
    EXPECT_EQ(read_matrix_market(scratch.write("two.gz", gzip(half) + gzip(rest))).value(), plain.value());
    EXPECT_EQ(read_vector(scratch.write("v.gz", gzip("1\n2\n")), 2), (std::vector<double>{1, 2}));
    refuse(gzip(kMatrix), "m.mtx:1: gzipped data");
    refuse_file(scratch.write("not", gzip("1 2 3\n")), "not:1: no MatrixMarket file");
}

TEST(MatrixMarketFile, ALargeGzipIsTheSameMatrix) {
    const Scratch scratch;
    std::string text = std::string(kBanner) + "% " + std::string(200'000, 'c') + "\n50000 50000 50000\n";
    for (int i = 1; i <= 50000; ++i) text += fmt::format("{} {} {}\n", i, i, 1.0 / i);
    const CompressedRows read = read_matrix_market(scratch.write("m.gz", gzip(text)));
    EXPECT_EQ(read.value(), parse(text).value());
    EXPECT_EQ(read.value().size(), 50000u);
}

TEST(MatrixMarketFile, DamagedGzipIsOneLine) {
    const Scratch scratch;
    std::string text = std::string(kBanner) + "3000 3000 3000\n";
    for (int i = 1; i <= 3000; ++i) text += fmt::format("{} {} {}\n", i, i, 1.0 / i);
    const std::string packed = gzip(text);
    for (const std::size_t kept : {3ul, 11ul, packed.size() / 2, packed.size() - 9, packed.size() - 1})
        refuse_file(scratch.write("cut.gz", packed.substr(0, kept)), "cut.gz");
    refuse_file(scratch.write("cut.gz", packed.substr(0, packed.size() / 2)), "its packed data end too soon");
    std::string wrong_sum = packed;
    wrong_sum[packed.size() - 6] ^= 1;
    refuse_file(scratch.write("sum.gz", wrong_sum), "its packed data are damaged");
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
        std::string flipped = packed;
        flipped[2 + random() % (packed.size() - 2)] ^= static_cast<char>(1 << (random() % 8));
        const std::string path = scratch.write("flip.gz", flipped);
        try { // a flip in the header (a name, a time) may do no harm
            EXPECT_EQ(read_matrix_market(path).value(), parse(text).value());
        } catch (const InvalidInput& fault) {
            EXPECT_TRUE(std::string(fault.what()).starts_with(path)) << fault.what();
            EXPECT_EQ(std::string(fault.what()).find('\n'), std::string::npos) << fault.what();
        }
    }
}

TEST(MatrixMarketFile, AGzipBombIsBoundedByItsSizeLine) {
    const Scratch scratch;
    const std::string zeros(64'000'000, ' ');
    refuse_file(scratch.write("bomb.gz", gzip(std::string(kBanner) + "1 1 1\n1 1 1\n" + zeros)),
                "far more than its size line announces");
    refuse_file(scratch.write("head.gz", gzip(std::string(kBanner) + "%" + zeros)), "no size line in its first 16 MiB");
    refuse_file(scratch.write("nil.gz", gzip(zeros)), "nil.gz:1: no MatrixMarket file");
    expect_invalid([&] { read_vector(scratch.write("v.gz", gzip(zeros)), 3); }, "more than");
}

TEST(MatrixMarketFile, OtherKindsAreNamed) {
    const Scratch scratch;
    refuse_file(scratch.write("a", std::string("\xFD\x37zXZ\0", 6)), "an xz file");
    refuse_file(scratch.write("a", "BZh91AY"), "a bzip2 file");
    refuse_file(scratch.write("a", "PK\x03\x04"), "a zip archive");
    std::string tar(512, '\0');
    tar.replace(0, 5, "m.mtx").replace(257, 5, "ustar");
    refuse_file(scratch.write("a.tar.gz", gzip(tar)), "a tar archive: unpack it and give the .mtx file inside");
}

TEST(MatrixMarketFile, AFifoIsReadDevicesAndFoldersAreNot) {
    const Scratch scratch;
    const std::string fifo = scratch.path("fifo");
    for (const std::string& bytes : {kMatrix, gzip(kMatrix)}) {
        ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
        std::thread writer([&] { scratch.write("fifo", bytes); });
        EXPECT_EQ(read_matrix_market(fifo).value(), parse(kMatrix).value());
        writer.join();
        std::filesystem::remove(fifo);
    }
    refuse_file("/dev/zero", "/dev/zero: a device");
    refuse_file(scratch.path(""), "Is a directory");
    refuse_file(scratch.path("missing"), "No such file");
}

} // namespace
