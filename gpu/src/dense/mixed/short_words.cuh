// The 16-bit operands of the tensor cores: half (s10e5) and bfloat16 (s7e8), and a float as a sum of two of them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace mantissa::gpu::mixed {

template <class T> __device__ __forceinline__ T to_short(float x);
template <> __device__ __forceinline__ __half to_short<__half>(float x) {
    return __float2half_rn(x);
}
template <> __device__ __forceinline__ __nv_bfloat16 to_short<__nv_bfloat16>(float x) {
    return __float2bfloat16_rn(x);
}

__device__ __forceinline__ float to_float(__half x) {
    return __half2float(x);
}
__device__ __forceinline__ float to_float(__nv_bfloat16 x) {
    return __bfloat162float(x);
}

/// x = high + low + what two short words cannot hold.
template <class T> struct Split { T high, low; };
template <class T> __device__ __forceinline__ Split<T> split(float x) {
    const T high = to_short<T>(x);
    return {high, to_short<T>(x - to_float(high))};
}

} // namespace mantissa::gpu::mixed
