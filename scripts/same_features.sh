#!/usr/bin/env bash
# Prints what a test build of one crate (`-p CRATE`) would build with other features than one of the whole
# workspace, and fails where there is any: `crates/features` then lacks a line.
set -euo pipefail
cd "$(dirname "$0")/.."
tree() { cargo tree --locked "$@" -e normal,build,dev -f '{p} {f}' --prefix none | sed 's/ (\*)$//' | sort -u; }
whole=$(tree --workspace)
status=0
for crate in crates/*/Cargo.toml; do
    name=$(sed -n 's/^name = "\(.*\)"/\1/p' "$crate" | head -n 1)
    if differs=$(comm -23 <(tree -p "$name") <(printf '%s\n' "$whole")) && [ -n "$differs" ]; then
        printf '%s:\n%s\n' "$name" "$differs"
        status=1
    fi
done
exit $status
