#!/bin/sh
# Ten thousand systems against exact solutions (docs/error_bounds.md): the tables in experiments/results/error_bounds_*.csv.
# usage: error_bounds.sh [JUDGE], the program judge_error_bounds of a build with tests
set -e
here=$(dirname "$0")
judge=${1:-$here/../build/bin/judge_error_bounds}
for what in "bounds --systems 10000 --seed 2026" "energy --systems 2800 --seed 2026" "known --most 256"; do
    name=${what%% *}
    # shellcheck disable=SC2086 # words are meant
    "$judge" $what > "$here/results/error_bounds_$name.csv.part"
    mv "$here/results/error_bounds_$name.csv.part" "$here/results/error_bounds_$name.csv"
done
