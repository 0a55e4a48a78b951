// A bounded first-in first-out channel with the interface of a commercial HLS compiler's hls::stream, so that the
// kernel compiles as ordinary C++. With __SYNTHESIS__ the compiler's own class is used.
#pragma once

#ifdef __SYNTHESIS__
#include "hls_stream.h"
namespace mantissa_hls {
template <class T, int Depth> using stream = ::hls::stream<T, Depth>;
} // namespace mantissa_hls
#else
namespace mantissa_hls {

/// Reading an empty stream or writing a full one waits in hardware; in this sequential model it would wait for ever, so
/// it traps.
template <class T, int Depth> class stream {
public:
    [[nodiscard]] bool empty() const { return count_ == 0; }
    [[nodiscard]] bool full() const { return count_ == Depth; }
    [[nodiscard]] int size() const { return count_; }
    [[nodiscard]] static constexpr int capacity() { return Depth; }

    void write(const T& value) {
        if (full()) __builtin_trap();
        at_[tail_] = value;
        tail_ = tail_ + 1 == Depth ? 0 : tail_ + 1;
        ++count_;
    }
    T read() {
        if (empty()) __builtin_trap();
        const int from = head_;
        head_ = head_ + 1 == Depth ? 0 : head_ + 1;
        --count_;
        return at_[from];
    }
    bool write_nb(const T& value) {
        if (full()) return false;
        write(value);
        return true;
    }
    bool read_nb(T& value) {
        if (empty()) return false;
        value = read();
        return true;
    }
    stream& operator<<(const T& value) {
        write(value);
        return *this;
    }
    stream& operator>>(T& value) {
        value = read();
        return *this;
    }

private:
    int head_ = 0, tail_ = 0, count_ = 0;
    T at_[Depth];
};

} // namespace mantissa_hls
#endif
