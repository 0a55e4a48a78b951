// Several devices in one process: the parts that a solve is cut into, each with a device, a stream, a share of that
// device's multiprocessors and a box in its memory that the other parts write into.
//
// The same device may be named several times. All parts of one device run in one cooperative launch (gridDim.y is the
// number of them), so parts that wait for each other are on the chip together, and a solve over P parts can be tested
// on one card.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

inline constexpr int kMaxParts = 8;
inline constexpr int kPeerWords = 16; ///< words that parts may add up in one round
inline constexpr int kPeerFlags = 16; ///< flags of a box

/// A 16-byte access {value, round}: the round tells that the value has arrived, so no fence is needed.
struct alignas(16) PeerPacket {
    unsigned long long value, round;
};

/// What other parts write into a part's memory. Zero before the first use; never reset, since rounds and flags only
/// grow (see Peers::next_round).
struct PeerBox {
    unsigned long long abort;      ///< 0, or 1 + the number of the part that gave up waiting
    unsigned long long waited_for; ///< 1 + what it waited for (a part, or kMaxParts: its own blocks)
    unsigned long long pad[14];
    struct alignas(128) Flag {
        unsigned long long value;
    } flag[kPeerFlags];
    alignas(128) PeerPacket sums[2][kMaxParts][kPeerWords];
};

/// What a kernel needs to know of the parts. By value in its parameters.
struct PeerView {
    int me = 0, parts = 1;
    unsigned long long timeout = 0; ///< nanoseconds that a wait may take
    PeerBox* box[kMaxParts] = {};   ///< of each part; box[me] lies in this device's memory
};

/// Makes a device the current one, and the former one again at the end.
class OnDevice {
public:
    explicit OnDevice(int device) {
        check(cudaGetDevice(&former_), "cudaGetDevice");
        if (device != former_) check(cudaSetDevice(device), "cudaSetDevice");
    }
    ~OnDevice() { static_cast<void>(cudaSetDevice(former_)); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

private:
    int former_ = 0;
};

/// Parameters of all parts on one device, by value: kernels then find them in constant memory.
template <class Params> struct PartsHere { Params part[kMaxParts]; };

class Peers {
public:
    /// One part on each of `devices`, in this order. Throws InvalidInput if there are none, more than kMaxParts, or one
    /// that is not there; DeviceError if one cannot run the kernels or two have no link between them.
    explicit Peers(std::vector<int> devices);
    ~Peers();
    Peers(const Peers&) = delete;
    Peers& operator=(const Peers&) = delete;

    /// Devices for `parts` parts: each device once where there are enough, else in turn. Throws as the constructor.
    static std::vector<int> spread(int parts);

    [[nodiscard]] int parts() const { return static_cast<int>(devices_.size()); }
    [[nodiscard]] int device(int part) const { return devices_[static_cast<std::size_t>(part)]; }
    /// Parts on this part's device, and its number among them: gridDim.y and blockIdx.y of a launch.
    [[nodiscard]] int sharing(int part) const;
    [[nodiscard]] int among(int part) const;
    /// Devices without repetition, in order of their first part; and the parts of one of them.
    [[nodiscard]] const std::vector<int>& distinct() const { return distinct_; }
    [[nodiscard]] std::vector<int> parts_of(int device) const;
    /// Multiprocessors for a part, the same number for all: of the device with the fewest for each of its parts.
    [[nodiscard]] int multiprocessors() const { return multiprocessors_; }
    /// "NVIDIA H200" or "2 x NVIDIA H200".
    [[nodiscard]] std::string text() const;

    /// A stream of each device, which does not wait for the default one.
    [[nodiscard]] cudaStream_t stream(int device) const;
    [[nodiscard]] PeerView view(int part) const;
    /// Seconds that a kernel may wait for another part before the solve ends; 10 at first.
    void set_timeout(double seconds) { timeout_ = seconds; }
    /// The first round of `count` that no launch has used: rounds number sums and flags, from 1 on.
    unsigned long long next_round(unsigned long long count);

    /// kernel(const Params* parts_of_this_device), cooperatively, on every device: `params` has one entry a part, and a
    /// block belongs to entry blockIdx.y. Blocks are gridDim.x for each part. Returns after the launches.
    template <class Params>
    void launch(void (*kernel)(const Params*), std::span<const Params> params, int blocks, int threads,
                std::size_t shared_bytes) {
        launch_bytes(reinterpret_cast<const void*>(kernel), std::as_bytes(params), sizeof(Params), blocks, threads,
                     shared_bytes);
    }
    /// The same for kernel(PartsHere<Params>): a block belongs to part[blockIdx.y].
    template <class Params>
    void launch(void (*kernel)(PartsHere<Params>), std::span<const Params> params, int blocks, int threads,
                std::size_t shared_bytes) {
        for (const int d : distinct_) {
            PartsHere<Params> here{};
            const std::vector<int> list = parts_of(d);
            for (std::size_t i = 0; i < list.size(); ++i) here.part[i] = params[static_cast<std::size_t>(list[i])];
            launch_on(d, reinterpret_cast<const void*>(kernel), &here, blocks, threads, shared_bytes);
        }
    }
    /// A kernel without parameters, which finds its parts, blockIdx.y, in constant memory.
    void launch(const void* kernel, int blocks, int threads, std::size_t shared_bytes) {
        for (const int d : distinct_) launch_on(d, kernel, nullptr, blocks, threads, shared_bytes);
    }
    /// Waits for all streams. Throws DeviceError with one line if a device failed or a part gave up waiting.
    void wait();

private:
    void launch_bytes(const void* kernel, std::span<const std::byte> params, std::size_t size, int blocks, int threads,
                      std::size_t shared_bytes);
    /// One device's launch; `argument` is where the kernel's only parameter is.
    void launch_on(int device, const void* kernel, void* argument, int blocks, int threads, std::size_t shared_bytes);
    void enable_links() const;

    struct OneDevice {
        int device = 0;
        cudaStream_t stream = nullptr;
        Buffer<std::byte> params;
    };
    std::vector<int> devices_, distinct_;
    std::vector<OneDevice> owned_; ///< as distinct_
    std::vector<Buffer<PeerBox>> boxes_;
    int multiprocessors_ = 0;
    std::string name_;
    double timeout_ = 10;
    unsigned long long round_ = 1;
};

/// What a word, a sum and a row cost between parts, measured by kernels of one block a part.
struct PeerFigures {
    double flag_seconds = 0;      ///< a flag, one way, parts 0 and 1
    double sum_seconds = 0;       ///< a sum of nine words over all parts, one block a part
    unsigned long long wrong = 0; ///< sums that were not what they had to be
};
/// `silent`: a part that does not answer, for the test of time-outs (the others end with DeviceError); -1: none.
PeerFigures measure_peers(Peers& peers, int rounds = 1000, int silent = -1);

} // namespace mantissa::gpu
