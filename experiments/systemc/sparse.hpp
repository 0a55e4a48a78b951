// Sparse cores on a card with high-bandwidth memory: clocks, time, traffic and rates of a pass.
#pragma once

#include <toml++/toml.h>

/// Prints the table that an experiment file of kind "sparse" asks for.
void sparse_experiment(const toml::table& file);
