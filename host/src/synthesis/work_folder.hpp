// A scratch folder for one run of a tool, and the folder that stays. Internal to host/.
#pragma once

#include <filesystem>
#include <string>

#include "mantissa/base/files.hpp"
#include "mantissa/base/temporary_folder.hpp"

namespace mantissa::synthesis {

/// A folder that goes when the object does, or when a signal ends the program.
class WorkFolder {
public:
    WorkFolder() = default;
    [[nodiscard]] std::string file(const char* name) const { return (folder_.path() / name).string(); }
    [[nodiscard]] std::string text() const { return folder_.path().string(); }

private:
    base::TemporaryFolder folder_{base::temporary_parent(), "mantissa-synthesis",
                                  "set TMPDIR to a folder that can be written"};
};

inline std::string read_text(const std::string& path) {
    return std::string(base::read_file(path).view());
}

/// The folder for what is kept between runs; made when it is not there.
inline std::filesystem::path cache_folder() {
    std::filesystem::path folder = base::cache_root();
    base::make_cache_folder(folder);
    return folder;
}

} // namespace mantissa::synthesis
