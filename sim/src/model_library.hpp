// A simulation model opened with dlopen.
#pragma once

#include <memory>
#include <string>

#include <dlfcn.h>

#include <fmt/format.h>

#include "../model/model_abi.h"
#include "mantissa/errors.hpp"

namespace mantissa::sim {

/// Keeps the shared object open for as long as it lives.
class ModelLibrary {
public:
    explicit ModelLibrary(const std::string& path) : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (handle_ == nullptr)
            throw ToolFailure(fmt::format("simulation model {}: {}; delete it, it will be rebuilt", path, ::dlerror()));
        using Entry = const mantissa_model_api* (*)();
        const auto entry = reinterpret_cast<Entry>(::dlsym(handle_, "mantissa_model"));
        api_ = entry != nullptr ? entry() : nullptr;
        if (api_ == nullptr || api_->version != MANTISSA_MODEL_VERSION) {
            ::dlclose(handle_);
            throw ToolFailure(fmt::format("simulation model {}: not a model of this version; delete it", path));
        }
    }
    ModelLibrary(const ModelLibrary&) = delete;
    ModelLibrary& operator=(const ModelLibrary&) = delete;
    ~ModelLibrary() { ::dlclose(handle_); }
    [[nodiscard]] const mantissa_model_api& api() const { return *api_; }

private:
    void* handle_;
    const mantissa_model_api* api_ = nullptr;
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
