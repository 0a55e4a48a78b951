// PLY: a header that says what elements hold, then these as text or in binary.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "faces.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mesh_files.hpp"
#include "text/key_values.hpp"
#include "text/number_text.hpp"

namespace mantissa::meshes {

namespace {

using text::NumberText;

enum class Type : std::uint8_t { i8, u8, i16, u16, i32, u32, f32, f64 };

std::optional<Type> type_of(std::string_view name) {
    static constexpr std::pair<std::string_view, Type> kNames[] = {
        {"char", Type::i8},   {"int8", Type::i8},     {"uchar", Type::u8},   {"uint8", Type::u8},
        {"short", Type::i16}, {"int16", Type::i16},   {"ushort", Type::u16}, {"uint16", Type::u16},
        {"int", Type::i32},   {"int32", Type::i32},   {"uint", Type::u32},   {"uint32", Type::u32},
        {"float", Type::f32}, {"float32", Type::f32}, {"double", Type::f64}, {"float64", Type::f64}};
    for (const auto& [text, type] : kNames)
        if (text == name) return type;
    return std::nullopt;
}

std::size_t bytes_of(Type type) {
    static constexpr std::size_t kBytes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return kBytes[static_cast<std::size_t>(type)];
}

struct Property {
    std::string name;
    Type type{};
    std::optional<Type> count; ///< of a list: the type of its length
};

struct Element {
    std::string name;
    std::uint64_t count = 0;
    std::vector<Property> properties;
};

enum class Encoding : std::uint8_t { ascii, little, big };

struct Header {
    Encoding encoding = Encoding::ascii;
    std::vector<Element> elements;
    std::size_t length = 0;  ///< bytes up to the data
    std::uint64_t lines = 0; ///< of it
};

std::vector<std::string> words_of(std::string_view line) {
    std::istringstream in{std::string(line)};
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

class HeaderReader {
public:
    HeaderReader(std::string_view text, std::string_view name)
        : in_(text, name), text_(text), name_(name), all_(text.size()) {}

    Header read() {
        Header header;
        in_.take_line(); // "ply", which was looked at before
        // Where a CR alone ends lines, one LF after the last of them is data.
        const bool ends_with_cr = all_ - in_.left() > 0 && text_[all_ - in_.left() - 1] == '\r';
        bool format = false;
        for (;;) {
            line_ = in_.line();
            if (in_.at_end()) fail("the file ends inside its header: it is truncated");
            const std::string_view text = in_.take_line();
            if (text.size() > 1000) fail("a header line of more than 1000 characters: this is no PLY file");
            const std::vector<std::string> words = words_of(text);
            if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
            if (words[0] == "end_header") break;
            if (words[0] == "format") header.encoding = encoding(words), format = true;
            else if (words[0] == "element") header.elements.push_back(element(words));
            else if (words[0] == "property") property(words, header);
            else
                fail(fmt::format("{}: a header has format, element, property, comment and end_header",
                                 base::quoted(words[0])));
        }
        if (!format) fail("the header names no format: ascii, binary_little_endian or binary_big_endian 1.0");
        header.length = all_ - in_.left();
        if (ends_with_cr && header.length >= 2 && text_[header.length - 2] == '\r') --header.length;
        header.lines = in_.line();
        return header;
    }

private:
    [[noreturn]] void fail(const std::string& what) const { NumberText::fail(name_, line_, what); }

    Encoding encoding(const std::vector<std::string>& words) const {
        const std::string kind = words.size() > 1 ? words[1] : "";
        if (kind == "ascii") return Encoding::ascii;
        if (kind == "binary_little_endian") return Encoding::little;
        if (kind == "binary_big_endian") return Encoding::big;
        fail(fmt::format("format {}: write ascii, binary_little_endian or binary_big_endian", base::quoted(kind)));
    }
    Element element(const std::vector<std::string>& words) const {
        Element e;
        if (words.size() != 3 || !text::read_number(words[2], e.count)) fail("write element NAME COUNT");
        e.name = words[1];
        return e;
    }
    void property(const std::vector<std::string>& words, Header& header) const {
        if (header.elements.empty()) fail("a property before the first element");
        const bool list = words.size() == 5 && words[1] == "list";
        if (!list && words.size() != 3) fail("write property TYPE NAME, or property list TYPE TYPE NAME");
        Property p;
        p.name = words.back();
        const auto type = type_of(words[words.size() - 2]);
        if (list) p.count = type_of(words[2]);
        if (!type || (list && (!p.count || *p.count == Type::f32 || *p.count == Type::f64)))
            fail("a property's type is int8 to float64 (or char to double), a list's length a whole number");
        p.type = *type;
        if (header.elements.back().properties.size() >= 1000) fail("more than 1000 properties of an element");
        header.elements.back().properties.push_back(std::move(p));
    }

    NumberText in_;
    std::string_view text_, name_;
    std::size_t all_;
    std::uint64_t line_ = 1;
};

/// Numbers after the header, one after the other.
class Numbers {
public:
    Numbers(std::string_view text, std::string_view name, const Header& header)
        : encoding_(header.encoding), rest_(text.substr(header.length)), name_(name), in_(rest_, name),
          lines_(header.lines) {}

    /// A number that nobody looks at: it need not be finite.
    void skip(Type type) {
        if (encoding_ != Encoding::ascii) {
            next(type);
            return;
        }
        to_word();
        try {
            in_.skip_number("a number");
        } catch (const InvalidInput&) {
            fail(fmt::format("'{}' is no number", in_.word()));
        }
    }
    double next(Type type) {
        if (encoding_ == Encoding::ascii) return next_word();
        const std::size_t n = bytes_of(type);
        if (rest_.size() - at_ < n) fail("the file ends inside its data: it is truncated");
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t from = encoding_ == Encoding::little ? n - 1 - i : i;
            bits = bits << 8 | static_cast<unsigned char>(rest_[at_ + from]);
        }
        at_ += n;
        switch (type) {
        case Type::i8:
            return static_cast<std::int8_t>(bits);
        case Type::u8:
            return static_cast<double>(bits);
        case Type::i16:
            return static_cast<std::int16_t>(bits);
        case Type::u16:
            return static_cast<double>(bits);
        case Type::i32:
            return static_cast<std::int32_t>(bits);
        case Type::u32:
            return static_cast<double>(bits);
        case Type::f32:
            return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        case Type::f64:
            return std::bit_cast<double>(bits);
        }
        return 0;
    }
    /// A whole number in 0..most.
    std::uint64_t whole(Type type, std::uint64_t most, const char* what) {
        const double v = next(type);
        if (!(v >= 0 && v <= static_cast<double>(most) && v == static_cast<double>(static_cast<std::uint64_t>(v))))
            fail(fmt::format("{} {}: 0 to {} can be", what, v, most));
        return static_cast<std::uint64_t>(v);
    }
    /// Bytes that are left, of which each number takes one at least.
    [[nodiscard]] std::size_t left() const { return encoding_ == Encoding::ascii ? in_.left() : rest_.size() - at_; }
    [[noreturn]] void fail(const std::string& what) const {
        if (encoding_ == Encoding::ascii) NumberText::fail(name_, lines_ + in_.line() - 1, what);
        throw InvalidInput(fmt::format("{}: {} (byte {} of its data)", name_, what, at_));
    }

private:
    void to_word() {
        for (in_.skip_blanks(); in_.at_line_end(); in_.skip_blanks()) {
            if (in_.at_end()) fail("the file ends inside its data: it is truncated");
            in_.next_line();
        }
    }
    double next_word() {
        to_word();
        try {
            return in_.real("a number");
        } catch (const InvalidInput&) {
            fail(fmt::format("'{}' is no finite number", in_.word()));
        }
    }

    Encoding encoding_;
    std::string_view rest_, name_;
    NumberText in_;
    std::uint64_t lines_;
    std::size_t at_ = 0;
};

void read_vertices(const Element& element, Numbers& in, TriangleMesh& mesh) {
    std::array<bool, 3> has{};
    for (const Property& p : element.properties)
        for (std::size_t c = 0; c < 3; ++c) has[c] = has[c] || (!p.count && p.name == std::string(1, "xyz"[c]));
    if (!has[0] || !has[1] || !has[2]) in.fail("vertices without x, y and z");
    for (std::uint64_t i = 0; i < element.count; ++i) {
        Point3 point{};
        for (const Property& p : element.properties) {
            const std::uint64_t n = p.count ? in.whole(*p.count, in.left(), "a list's length") : 1;
            const bool coordinate = !p.count && p.name.size() == 1 && p.name[0] >= 'x' && p.name[0] <= 'z';
            if (coordinate) point[static_cast<std::size_t>(p.name[0] - 'x')] = in.next(p.type);
            else
                for (std::uint64_t k = 0; k < n; ++k) in.skip(p.type);
        }
        mesh.points.push_back(point);
    }
}

bool are_corners(const Property& p) {
    return p.count && (p.name == "vertex_indices" || p.name == "vertex_index");
}

/// A corner of a strip, UINT32_MAX where another one begins: -1 in the file, whatever its type makes of it.
std::uint32_t strip_corner(Numbers& in, Type type) {
    const double v = in.next(type);
    if (v == -1 || (type == Type::u32 && v == static_cast<double>(UINT32_MAX))) return UINT32_MAX;
    if (!(v >= 0 && v < static_cast<double>(UINT32_MAX) && v == static_cast<double>(static_cast<std::uint32_t>(v))))
        in.fail(fmt::format("a corner of a strip is {}: a vertex from 0, or -1 between strips", v));
    return static_cast<std::uint32_t>(v);
}

void read_strips(const Element& element, Numbers& in, Faces& faces) {
    if (std::none_of(element.properties.begin(), element.properties.end(), are_corners))
        in.fail("strips without the list vertex_indices");
    std::vector<std::uint32_t> strip;
    for (std::uint64_t i = 0; i < element.count; ++i)
        for (const Property& p : element.properties) {
            const std::uint64_t n = p.count ? in.whole(*p.count, in.left(), "a list's length") : 1;
            strip.clear();
            for (std::uint64_t k = 0; k < n; ++k) {
                if (are_corners(p)) strip.push_back(strip_corner(in, p.type));
                else in.skip(p.type);
            }
            faces.strip(strip);
        }
}

void read_faces(const Element& element, Numbers& in, Faces& faces) {
    bool found = false;
    for (const Property& p : element.properties) found = found || are_corners(p);
    if (!found) in.fail("faces without the list vertex_indices");
    for (std::uint64_t i = 0; i < element.count; ++i)
        for (const Property& p : element.properties) {
            const std::uint64_t n = p.count ? in.whole(*p.count, in.left(), "a list's length") : 1;
            if (!are_corners(p)) {
                for (std::uint64_t k = 0; k < n; ++k) in.skip(p.type);
                continue;
            }
            if (n < 3) in.fail(fmt::format("face {} has {} corners: give three or more", i + 1, n));
            faces.begin();
            for (std::uint64_t k = 0; k < n; ++k)
                faces.corner(static_cast<std::uint32_t>(in.whole(p.type, UINT32_MAX - 1, "a corner")));
            faces.end();
        }
}

} // namespace

TriangleMesh read_ply(std::string_view text, std::string_view name) {
    const Header header = HeaderReader(text, name).read();
    Numbers in(text, name, header);
    TriangleMesh mesh;
    Faces faces(mesh, name);
    for (const Element& element : header.elements) {
        // Each property takes a byte at least; one without any would be read in no time however many there are.
        if (element.properties.empty() ? element.count != 0 : element.count > in.left() / element.properties.size())
            in.fail(fmt::format("{} of the element {} announced, but the file is too short for them", element.count,
                                base::quoted(element.name)));
        if (element.name == "vertex") read_vertices(element, in, mesh);
        else if (element.name == "face") read_faces(element, in, faces);
        else if (element.name == "tristrips") read_strips(element, in, faces);
        else
            for (std::uint64_t i = 0; i < element.count; ++i)
                for (const Property& p : element.properties) {
                    const std::uint64_t n = p.count ? in.whole(*p.count, in.left(), "a list's length") : 1;
                    for (std::uint64_t k = 0; k < n; ++k) in.skip(p.type);
                }
    }
    faces.finish();
    return mesh;
}

} // namespace mantissa::meshes
