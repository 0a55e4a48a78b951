// Examples of each subcommand. tests/docs/check_commands.py runs them.
#include <array>
#include <utility>

#include "pages.hpp"

namespace mantissa::cli::help {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kExamples{{
    {"solve",
     "mantissa solve --problem poisson2d:level=8 --format s17e8\n"
     "mantissa solve --problem poisson2d:level=8 --format double --scheme direct\n"
     "mantissa solve --problem poisson2d:level=8 --spec fx18.16 --check hls\n"
     "mantissa solve --problem poisson2d:level=8 --format s17e8 --recurrence cg --outer-loop defect-correction\n"
     "mantissa solve --problem poisson2d:level=8 --spec fx18.16 --parts 2\n"
     "mantissa solve --problem mtx:MATRIX.mtx --jacobi --spec s14e8,u=s23e8,row=s23e8 --json\n"
     "mantissa solve --problem mtx:MATRIX.mtx --format double --scheme jacobi-pcg\n"
     "mantissa solve --problem mtx:MATRIX.mtx --jacobi --history history.csv --solution u.mtx\n"
     "mantissa solve --problem mtx:MATRIX.mtx --advise=solve\n"
     "mantissa solve --dense n=512 --lu 'lu:s10e5,acc=fixed[15:-34]'\n"},
    {"sweep", "mantissa sweep experiments/quickstart.toml --csv points.csv\n"},
    {"reproduce", "mantissa reproduce table4 --levels 8\n"
                  "mantissa reproduce lu --table 1\n"},
    {"simulate", "mantissa simulate --problem poisson2d:level=5 --spec s17e8 --check emulated\n"
                 "mantissa simulate --problem poisson2d:level=5 --spec fx18.16\n"},
    {"synthesize", "mantissa synthesize --spec s17e8 --operator add --target xc2v\n"
                   "mantissa synthesize --spec fx18.16 --bands constant --target ecp5\n"},
    {"compare", "mantissa compare experiments/quickstart_compare.toml\n"},
    {"tune", "mantissa tune --problem poisson2d:level=6 --device xc2v8000 --netlists 0 --budget 30s\n"},
    {"upset", "mantissa upset --problem poisson2d:level=3 --spec fx18.16 --flips 100\n"},
    {"report", "mantissa report RESULTS -o report.html\n"},
    {"engines", "mantissa engines --json\n"},
    {"bench", "mantissa bench --problem poisson2d:level=8 --spec double s17e8\n"},
    {"parameterize", "mantissa parameterize face.obj -o face_uv.obj --picture map.svg\n"},
    {"smooth", "mantissa smooth scan.ply -o smooth.ply --weight 0.1\n"},
    {"flow", "mantissa flow --cells 8x8 --unknowns 128 --bubbles 8\n"},
}};

} // namespace

std::string_view examples(std::string_view subcommand) {
    for (const auto& [name, lines] : kExamples)
        if (name == subcommand) return lines;
    return {};
}

} // namespace mantissa::cli::help
