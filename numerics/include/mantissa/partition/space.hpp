// Where the parts of one solve live: threads of this process, or processes that MPI started. A part talks to the others
// through two operations; everything else is built on them.
#pragma once

#include <atomic>
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

/// Memory that all parts read and write; it begins as zeros. Whoever writes and reads puts a synchronise() between.
class HostArray {
public:
    HostArray() = default;
    HostArray(const HostArray&) = delete;
    HostArray& operator=(const HostArray&) = delete;
    virtual ~HostArray() = default;
    [[nodiscard]] virtual std::span<std::byte> bytes() = 0;
};

/// How elements and sums go from part to part. The bits do not depend on it.
enum class ExchangeWay : std::uint8_t {
    neighbours, ///< from a part to each that needs them
    host,       ///< through one array in the host's memory, as Cevahir et al. 2009: each element written once, a
                ///< synchronisation, and those that are needed read
};

/// What a solve's parts exchanged, counted by the first part of a process.
struct ExchangeCounts {
    std::atomic<std::uint64_t> iterations = 0;
    std::atomic<std::uint64_t> synchronisations = 0; ///< points at which a part waits for others
    std::atomic<std::uint64_t> elements = 0;         ///< of vectors, that this part gave
};

/// How parts exchange elements of vectors.
struct ExchangeOptions {
    ExchangeWay way = ExchangeWay::neighbours;
    std::shared_ptr<ExchangeCounts> counts; ///< null: not counted
};

/// The operations are collective: every part calls them, in the same order. They return once this part's bytes are
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
    /// Returns once every part has called it; what was written to host arrays before is there then.
    virtual void synchronise(std::uint32_t part) = 0;
    /// Collective over processes, not parts. Throws InvalidInput where processes share no memory.
    [[nodiscard]] virtual std::unique_ptr<HostArray> host_array(std::size_t bytes) = 0;
    /// Called by a part that can no longer take part.
    virtual void leave(std::uint32_t part) = 0;
};

/// `parts` threads of this process. Throws InvalidInput on 0.
std::shared_ptr<Space> make_threads_space(std::uint32_t parts);

} // namespace mantissa
