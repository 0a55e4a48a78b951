// A simulation model opened with dlopen.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <dlfcn.h>

#include <fmt/format.h>

#include "../model/model_abi.h"
#include "mantissa/errors.hpp"

namespace mantissa::sim {

/// The interface `Api`, of `version`, that the function `entry` of a shared object hands out. The object is open for as
/// long as this lives.
template <class Api> class OpenLibrary {
public:
    OpenLibrary(const std::string& path, const char* entry, std::uint32_t version)
        : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (handle_ == nullptr)
            throw ToolFailure(fmt::format("simulation model {}: {}; delete it, it will be rebuilt", path, ::dlerror()));
        using Entry = const Api* (*)();
        const auto open = reinterpret_cast<Entry>(::dlsym(handle_, entry));
        api_ = open != nullptr ? open() : nullptr;
        if (api_ == nullptr || api_->version != version) {
            ::dlclose(handle_);
            throw ToolFailure(fmt::format("simulation model {}: not a model of this version; delete it", path));
        }
    }
    OpenLibrary(const OpenLibrary&) = delete;
    OpenLibrary& operator=(const OpenLibrary&) = delete;
    ~OpenLibrary() { ::dlclose(handle_); }
    [[nodiscard]] const Api& api() const { return *api_; }

private:
    void* handle_;
    const Api* api_ = nullptr;
};

/// A core's, that the harness of model_abi.h clocks.
class ModelLibrary : public OpenLibrary<mantissa_model_api> {
public:
    explicit ModelLibrary(const std::string& path) : OpenLibrary(path, "mantissa_model", MANTISSA_MODEL_VERSION) {}
};

/// One instance of a model.
class Model {
public:
    explicit Model(std::shared_ptr<ModelLibrary> library) : library_(std::move(library)), state_(api().create()) {}
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;
    ~Model() { api().destroy(state_); }
    [[nodiscard]] const mantissa_model_api& api() const { return library_->api(); }
    [[nodiscard]] mantissa_model_state* state() const { return state_; }

private:
    std::shared_ptr<ModelLibrary> library_;
    mantissa_model_state* state_;
};

} // namespace mantissa::sim
