#!/usr/bin/env bash
# Checks that the command compiles, without a warning, with each of its features alone, with none and with all.
set -euo pipefail
cd "$(dirname "$0")/.."
features=$(sed -n '/^\[features\]/,/^$/ s/^\([a-z]*\) = .*/\1/p' crates/cli/Cargo.toml | grep -v '^default$')
for feature in '' $features; do
    echo "== --no-default-features --features '$feature'"
    RUSTFLAGS='-D warnings' cargo check --quiet --locked -p ftlkit --no-default-features --features "$feature"
done
