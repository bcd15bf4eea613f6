#!/usr/bin/env bash
# A build of three crates of this project with Cargo, from nothing, then edits of a file and builds of what changed, tests
# of one crate, and a build after `cargo clean`.
. "$(dirname "$0")/common.sh"
device_up 512MiB
# As of a device whose requests are short: 64 KiB at most.
echo 64 > "/sys/block/$(basename "$loop")/queue/max_sectors_kb"
export CARGO_TARGET_DIR=$mnt/target CARGO_NET_OFFLINE=true CARGO_TERM_COLOR=never
git -C "$root" archive HEAD | tar -x -C "$mnt"
build() { nice cargo build --quiet --locked --jobs 2 --config profile.dev.opt-level=0 -p ftlkit-bounds -p ftlkit-flash -p ftlkit-ftl; }
cd "$mnt"
build
for round in $(seq 1 "${ROUNDS:-4}"); do
    for crate in bounds flash ftl; do
        echo "// Round $round." >> "crates/$crate/src/lib.rs"
    done
    build
done
cargo clean --quiet
build
cd "$root"
device_down
