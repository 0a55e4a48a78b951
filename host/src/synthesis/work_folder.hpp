// A scratch folder for one run of a tool. Internal to host/.
#pragma once

#include <string>

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

} // namespace mantissa::synthesis
