// Between any parts: through the hosts' memory, by the Space (messages of MPI, or threads of one process).
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "transport.hpp"

namespace mantissa::gpu {

RankEvent::RankEvent() {
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate");
}
RankEvent::~RankEvent() {
    static_cast<void>(cudaEventDestroy(event_));
}
RankStream::RankStream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
}
RankStream::~RankStream() {
    static_cast<void>(cudaStreamDestroy(stream_));
}
void order(cudaStream_t later, cudaEvent_t event, cudaStream_t stream) {
    check(cudaEventRecord(event, stream), "cudaEventRecord");
    check(cudaStreamWaitEvent(later, event, 0), "cudaStreamWaitEvent");
}

namespace {

std::vector<Parcel> parcels(const std::vector<Exchange>& lists) {
    std::vector<Parcel> result;
    result.reserve(lists.size());
    for (const Exchange& list : lists)
        result.push_back({list.peer, std::vector<std::byte>(list.row.size() * sizeof(double))});
    return result;
}
std::size_t elements(const std::vector<Exchange>& lists) {
    std::size_t count = 0;
    for (const Exchange& list : lists) count += list.row.size();
    return count;
}

class HostTransport final : public RankTransport {
public:
    HostTransport(std::shared_ptr<Space> space, std::uint32_t part, const Part& own, RankBuffers buffers)
        : space_(std::move(space)), part_(part), buffers_(buffers), out_(parcels(own.send)), in_(parcels(own.receive)),
          sent_(elements(own.send)), received_(elements(own.receive)) {}

    void begin(cudaStream_t stream) override {
        if (space_->parts() == 1) return;
        order(way_, packed_, stream);
        check(
            cudaMemcpyAsync(sent_.data(), buffers_.packed, sent_.size() * sizeof(double), cudaMemcpyDeviceToHost, way_),
            "cudaMemcpy of boundary elements");
    }
    void finish(cudaStream_t stream) override {
        if (space_->parts() == 1) return;
        check(cudaStreamSynchronize(way_), "cudaMemcpy of boundary elements");
        const double* from = sent_.data();
        for (Parcel& parcel : out_) {
            std::memcpy(parcel.bytes.data(), from, parcel.bytes.size());
            from += parcel.bytes.size() / sizeof(double);
        }
        space_->exchange(part_, out_, in_);
        double* to = received_.data();
        for (const Parcel& parcel : in_) {
            std::memcpy(to, parcel.bytes.data(), parcel.bytes.size());
            to += parcel.bytes.size() / sizeof(double);
        }
        check(cudaMemcpyAsync(buffers_.ghosts, received_.data(), received_.size() * sizeof(double),
                              cudaMemcpyHostToDevice, way_),
              "cudaMemcpy of others' elements");
        order(stream, arrived_, way_);
    }
    void add_up(std::uint64_t* words, std::size_t count, cudaStream_t stream) override {
        if (space_->parts() == 1) return;
        std::vector<std::uint64_t> mine(count), all(count * space_->parts());
        check(cudaMemcpyAsync(mine.data(), words, count * sizeof(std::uint64_t), cudaMemcpyDeviceToHost, stream),
              "cudaMemcpy of sums");
        check(cudaStreamSynchronize(stream), "CG over ranks");
        space_->gather(part_, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
        for (std::size_t k = 0; k < count; ++k) {
            mine[k] = 0;
            for (std::size_t p = 0; p < space_->parts(); ++p) mine[k] += all[p * count + k];
        }
        // (from pageable memory: the call returns when `mine` has been read)
        check(cudaMemcpyAsync(words, mine.data(), count * sizeof(std::uint64_t), cudaMemcpyHostToDevice, stream),
              "cudaMemcpy of sums");
    }
    [[nodiscard]] int batch() const override { return space_->parts() == 1 ? 16 : 1; }
    void wait(cudaStream_t stream) override { check(cudaStreamSynchronize(stream), "CG over ranks"); }

private:
    std::shared_ptr<Space> space_;
    std::uint32_t part_;
    RankBuffers buffers_;
    std::vector<Parcel> out_, in_;
    Pinned<double> sent_, received_;
    RankStream way_;
    RankEvent packed_, arrived_;
};

} // namespace

std::unique_ptr<RankTransport> host_transport(std::shared_ptr<Space> space, std::uint32_t part, const Part& own,
                                              RankBuffers buffers) {
    return std::make_unique<HostTransport>(std::move(space), part, own, buffers);
}

} // namespace mantissa::gpu
