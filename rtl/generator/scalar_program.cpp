// Writes the program of the scalar unit in rtl/scalar_program.svh, from the recurrence that the cores run.
//
//     scalar_program [--check] FILE
//
// The part of FILE between a line with `generated: program` and one with `end of generated` is written anew. With
// --check nothing is written; the exit code is 1 where it would change.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "mantissa/recurrence/library.hpp"
#include "mantissa/recurrence/scalar_program.hpp"

int main(int argc, char** argv) {
    const bool check = argc == 3 && std::string_view(argv[1]) == "--check";
    if (argc != 2 && !check) {
        std::cerr << "usage: scalar_program [--check] FILE\n";
        return 2;
    }
    const std::string path = argv[argc - 1];
    std::ifstream in(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const std::size_t mark = text.find("generated: program\n"), from = text.find('\n', mark) + 1;
    const std::size_t to = text.rfind('\n', text.find("end of generated", from)) + 1;
    if (!in || mark == std::string::npos || to <= from) {
        std::cerr << path << ": cannot be read, or lacks the lines around the program\n";
        return 2;
    }
    using namespace mantissa::recurrence;
    const std::string now = text.substr(0, from) + verilog(scalar_program(kPipelined)) + text.substr(to);
    if (now == text) return 0;
    if (check) {
        std::cerr << path << " differs from the recurrence: run scalar_program " << path << '\n';
        return 1;
    }
    std::ofstream out(path, std::ios::binary);
    out << now;
    return out.flush() ? 0 : 2;
}
