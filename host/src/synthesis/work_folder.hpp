// A scratch folder for one run of a tool, and the folder that stays. Internal to host/.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "../text_file.hpp"
#include "mantissa/format.hpp"

namespace mantissa::detail {

/// A folder that goes when the object does.
class WorkFolder {
public:
    WorkFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "mantissa-synthesis-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw InvalidInput(fmt::format("{}: cannot be made; set TMPDIR to a folder that can be written", name));
        path_ = name;
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    ~WorkFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }
    [[nodiscard]] std::string text() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

inline std::string read_text(const std::string& path) {
    return std::string(read_file(path).view());
}

/// $MANTISSA_CACHE, else the user's cache folder; made when it is not there.
inline std::filesystem::path cache_folder() {
    const auto from = [](const char* name) { return std::getenv(name) == nullptr ? "" : std::getenv(name); };
    std::filesystem::path folder = from("MANTISSA_CACHE");
    if (folder.empty() && *from("XDG_CACHE_HOME") != '\0')
        folder = std::filesystem::path(from("XDG_CACHE_HOME")) / "mantissa";
    if (folder.empty()) folder = std::filesystem::path(from("HOME")) / ".cache/mantissa";
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    return folder;
}

} // namespace mantissa::detail
