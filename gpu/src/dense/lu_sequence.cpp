#include "lu_sequence.hpp"

#include <algorithm>

#include "chain.hpp"

namespace mantissa::gpu::dense {

Lanes::Lanes() {
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    check(cudaStreamCreateWithPriority(&main, cudaStreamNonBlocking, greatest), "cudaStreamCreate");
    check(cudaStreamCreateWithPriority(&side, cudaStreamNonBlocking, least), "cudaStreamCreate");
}

Lanes::~Lanes() {
    for (const cudaEvent_t e : events_) static_cast<void>(cudaEventDestroy(e));
    static_cast<void>(cudaStreamDestroy(side));
    static_cast<void>(cudaStreamDestroy(main));
}

cudaEvent_t Lanes::mark(cudaStream_t from) {
    cudaEvent_t event{};
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
    events_.push_back(event);
    check(cudaEventRecord(event, from), "cudaEventRecord");
    return event;
}

void Lanes::await(cudaStream_t to, cudaEvent_t event) {
    check(cudaStreamWaitEvent(to, event, 0), "cudaStreamWaitEvent");
}

void Lanes::order(cudaStream_t from, cudaStream_t to) {
    await(to, mark(from));
}

namespace {

/// Rows above which a panel has kBand columns: fewer passes over the rest, which is bound by memory in double sooner.
template <class T> constexpr int kWideFrom = sizeof(T) == 4 ? 8192 : 4096;
/// Rows up to which it has a quarter of that: the way to the next panel is the time there.
template <class T> constexpr int kNarrowTo = sizeof(T) == 4 ? 4096 : 2048;

template <class T> class Sequence {
public:
    Sequence(const LuPlace<T>& place, LuPivoting pivoting, Lanes& lanes)
        : place_(place), pivoting_(pivoting), lanes_(lanes) {}

    void all();

private:
    struct Panel {
        int first, width;
    };
    [[nodiscard]] std::vector<Panel> plan() const;
    void factor(std::size_t p);
    /// The panel after the last of the chain that begins at panel p; p + 1: there is none.
    [[nodiscard]] std::size_t chain_from(std::size_t p) const;
    void start_chain(std::size_t p, std::size_t end);
    void exchange(const Panel& p, int left_from, int left_to, int from, int to, T* solved, std::size_t pitch,
                  bool order, cudaStream_t stream, bool early = false) {
        launch_swap_and_solve<T>({place_.matrix, place_.stride, p.first, p.width, p.width, place_.source, place_.target,
                                  left_from, left_to, from, to, solved, pitch, order ? place_.order : nullptr, early},
                                 stream);
    }
    void update_columns(int first, int width, int from, int to, const T* solved, std::size_t pitch, bool early,
                        cudaStream_t stream) {
        const int below = first + width;
        launch_update<T>({place_.matrix + below + first * place_.stride, place_.stride, solved, pitch,
                          place_.matrix + below + from * place_.stride, place_.stride, place_.n - below, to - from,
                          width, early},
                         stream);
    }

    const LuPlace<T>& place_;
    LuPivoting pivoting_;
    Lanes& lanes_;
    std::vector<Panel> panels_;
};

template <class T> auto Sequence<T>::plan() const -> std::vector<Panel> {
    std::vector<Panel> panels;
    for (int first = 0; first < place_.n;) {
        const int rows = place_.n - first;
        const int partial = rows > kWideFrom<T> ? kBand : rows > kNarrowTo<T> ? kBand / 2 : kBand / 4;
        panels.push_back({first, std::min(rows, pivoting_ == LuPivoting::none ? kPlainWidth : partial)});
        first += panels.back().width;
    }
    return panels;
}

template <class T> void Sequence<T>::factor(std::size_t p) {
    const auto [first, width] = panels_[p];
    const PanelTask<T> task{place_.matrix + first + first * place_.stride,
                            place_.stride,
                            place_.n - first,
                            width,
                            first,
                            place_.pivots + first,
                            place_.source + first,
                            place_.target + first,
                            place_.flags,
                            place_.scratch,
                            place_.started + p,
                            p > 0};
    if (pivoting_ == LuPivoting::none) launch_plain_panel<T>(task, place_.done, lanes_.main);
    else launch_panel<T>(task, lanes_.main);
}

template <class T> std::size_t Sequence<T>::chain_from(std::size_t p) const {
    const int rows = place_.n - panels_[p].first, most = chain_rows<T>();
    if (pivoting_ == LuPivoting::none || rows > most || panels_[p].width != kChainWidth) return p + 1;
    std::size_t end = p + 1;
    while (end < panels_.size() && place_.n - panels_[end].first > chain_end(rows)) ++end;
    return end;
}

template <class T> void Sequence<T>::start_chain(std::size_t p, std::size_t end) {
    launch_chain<T>({place_.matrix, place_.stride, place_.n, panels_[p].first, static_cast<int>(end - p), place_.pivots,
                     place_.source, place_.target, place_.flags, place_.started + p, place_.ready + p,
                     place_.finished + p, p > 0},
                    lanes_.main);
}

template <class T> void Sequence<T>::all() {
    const int n = place_.n;
    if (n == 0) return;
    panels_ = plan();
    for (int* const words : {place_.started, place_.ready, place_.finished})
        check(cudaMemsetAsync(words, 0, panels_.size() * sizeof(int), lanes_.main), "cudaMemsetAsync");
    lanes_.order(lanes_.main, lanes_.side);
    cudaEvent_t rest{};
    std::size_t chained = 0; // panels up to here are the last chain's
    int blocks = 0;
    for (std::size_t p = 0; p < panels_.size(); ++p) {
        const auto [first, width] = panels_[p];
        const int next = first + width;
        if (p >= chained) {
            chained = chain_from(p);
            blocks = chain_blocks(n - first);
            if (chained > p + 1) start_chain(p, chained);
            else factor(p);
        }
        // The next panel's columns first, on the lane of the panels; the others beside the next panel.
        const int ahead = p + 1 < panels_.size() ? next + panels_[p + 1].width : n;
        const bool inside = p + 1 < chained;
        if (inside) { // a chain does that itself, and the two lanes go on side by side
            launch_relay(place_.ready + p, place_.finished + p, blocks, lanes_.side);
        } else {
            if (p > 0) lanes_.await(lanes_.main, rest);
            if (next < n) {
                exchange(panels_[p], 0, 0, next, ahead, place_.solved_next, kBand, false, lanes_.main, true);
                update_columns(first, width, next, ahead, place_.solved_next, kBand, true, lanes_.main);
            }
            lanes_.order(lanes_.main, lanes_.side);
            if (next < n && pivoting_ == LuPivoting::partial) launch_await(place_.started + p + 1, lanes_.side);
        }
        exchange(panels_[p], 0, first, ahead, n, place_.solved, place_.pitch, true, lanes_.side, inside);
        if (ahead < n) update_columns(first, width, ahead, n, place_.solved, place_.pitch, inside, lanes_.side);
        rest = lanes_.mark(lanes_.side);
    }
    lanes_.await(lanes_.main, rest);
}

} // namespace

template <class T> void enqueue_factor(const LuPlace<T>& place, LuPivoting pivoting, Lanes& lanes) {
    Sequence<T>(place, pivoting, lanes).all();
}

template void enqueue_factor(const LuPlace<float>&, LuPivoting, Lanes&);
template void enqueue_factor(const LuPlace<double>&, LuPivoting, Lanes&);

} // namespace mantissa::gpu::dense
