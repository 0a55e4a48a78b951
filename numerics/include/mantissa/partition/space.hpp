// Where the parts of one solve live: threads of this process, or processes that MPI started. A part talks to the others
// through two operations; everything else is built on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mantissa {

/// Bytes that go to, or come from, another part.
struct Parcel {
    std::uint32_t peer = 0;
    std::vector<std::byte> bytes;
};

/// Both operations are collective: every part calls them, in the same order. They return once this part's bytes are
/// there. A part that ends early (an exception) must leave(), so that the others do not wait for ever.
class Space {
public:
    Space() = default;
    Space(const Space&) = delete;
    Space& operator=(const Space&) = delete;
    virtual ~Space() = default;

    [[nodiscard]] virtual std::uint32_t parts() const = 0;
    /// The parts that this process holds, ascending; each is driven by a thread of its own where there are several.
    [[nodiscard]] virtual std::vector<std::uint32_t> here() const = 0;
    /// Sends each parcel of `out` to its peer and fills those of `in`, whose peers and sizes are what is sent to
    /// `part`.
    virtual void exchange(std::uint32_t part, std::span<const Parcel> out, std::span<Parcel> in) = 0;
    /// `all` holds parts() times as many bytes as `mine`: every part's, in the parts' order.
    virtual void gather(std::uint32_t part, std::span<const std::byte> mine, std::span<std::byte> all) = 0;
    /// Called by a part that can no longer take part.
    virtual void leave(std::uint32_t part) = 0;
};

/// `parts` threads of this process. Throws InvalidInput on 0.
std::shared_ptr<Space> make_threads_space(std::uint32_t parts);

} // namespace mantissa
