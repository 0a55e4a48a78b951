#include "lu_sequence.hpp"

#include <algorithm>

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

/// Rows from which on a panel has kBand columns: fewer passes over the trailing matrix, but a longer way to the next
/// panel.
constexpr int kWideFrom = 6144;

template <class T> class Sequence {
public:
    Sequence(const LuPlace<T>& place, LuPivoting pivoting, Lanes& lanes)
        : place_(place), pivoting_(pivoting), lanes_(lanes) {}

    void all();

private:
    /// Columns first .. first + width - 1, factored by cluster panels of `step` columns.
    struct Panel {
        int first, width, step;
    };
    [[nodiscard]] std::vector<Panel> plan() const;
    void panel(const Panel& outer);
    void exchange(const Panel& p, int left_from, int left_to, int from, int to, T* solved, std::size_t pitch,
                  bool order, cudaStream_t stream) {
        launch_swap_and_solve<T>({place_.matrix, place_.stride, p.first, p.width, p.step, place_.source, place_.target,
                                  left_from, left_to, from, to, solved, pitch, order ? place_.order : nullptr},
                                 stream);
    }
    void update_columns(int first, int width, int from, int to, const T* solved, std::size_t pitch,
                        cudaStream_t stream) {
        const int below = first + width;
        launch_update<T>({place_.matrix + below + first * place_.stride, place_.stride, solved, pitch,
                          place_.matrix + below + from * place_.stride, place_.stride, place_.n - below, to - from,
                          width},
                         stream);
    }

    const LuPlace<T>& place_;
    LuPivoting pivoting_;
    Lanes& lanes_;
};

template <class T> auto Sequence<T>::plan() const -> std::vector<Panel> {
    std::vector<Panel> panels;
    for (int first = 0; first < place_.n;) {
        const int rows = place_.n - first;
        const int step = pivoting_ == LuPivoting::none ? kPlainWidth : panel_width<T>(rows);
        const int width = std::min(rows, std::max(step, rows > kWideFrom ? kBand : kBand / 2));
        panels.push_back({first, width, std::min(step, width)});
        first += width;
    }
    return panels;
}

template <class T> void Sequence<T>::panel(const Panel& outer) {
    const auto [first, width, step] = outer;
    for (int begin = first; begin < first + width; begin += step) {
        const int columns = std::min(step, first + width - begin), end = begin + columns;
        const PanelTask<T> task{place_.matrix + begin + begin * place_.stride,
                                place_.stride,
                                place_.n - begin,
                                columns,
                                begin,
                                place_.pivots + begin,
                                place_.source + begin,
                                place_.target + begin,
                                place_.flags};
        if (pivoting_ == LuPivoting::none) launch_plain_panel<T>(task, place_.done, lanes_.main);
        else launch_panel<T>(task, lanes_.main);
        if (columns == width) return;
        exchange({begin, columns, columns}, first, begin, end, first + width, place_.solved_inside, kBand, false,
                 lanes_.main);
        if (end < first + width)
            update_columns(begin, columns, end, first + width, place_.solved_inside, kBand, lanes_.main);
    }
}

template <class T> void Sequence<T>::all() {
    const int n = place_.n;
    if (n == 0) return;
    const std::vector<Panel> panels = plan();
    lanes_.order(lanes_.main, lanes_.side);
    cudaEvent_t rest{};
    for (std::size_t p = 0; p < panels.size(); ++p) {
        const auto [first, width, step] = panels[p];
        const int next = first + width;
        panel(panels[p]);
        const cudaEvent_t factored = lanes_.mark(lanes_.main);
        // The next panel's columns first, on the lane of the panels; the others beside the next panel.
        const int ahead = p + 1 < panels.size() ? next + panels[p + 1].width : n;
        if (p > 0) lanes_.await(lanes_.main, rest);
        if (next < n) {
            exchange(panels[p], 0, 0, next, ahead, place_.solved_next, kBand, false, lanes_.main);
            update_columns(first, width, next, ahead, place_.solved_next, kBand, lanes_.main);
        }
        lanes_.await(lanes_.side, factored);
        exchange(panels[p], 0, first, ahead, n, place_.solved, place_.pitch, true, lanes_.side);
        if (ahead < n) update_columns(first, width, ahead, n, place_.solved, place_.pitch, lanes_.side);
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
