# shellcheck shell=bash
# Parts of the capture scripts. Each of them sources this file, and is run as root from anywhere:
#
#     cargo build --release && scripts/capture/NAME.sh [FOLDER]      FOLDER of the trace [default: crates/workload/traces]
#
# Needs /dev/fuse, loop devices, nbdfuse (Debian: libnbd-bin), mkfs.ext4 (e2fsprogs), xz, python3, and the program that is
# captured. FTLKIT=PATH names another binary than target/release/ftlkit.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
name=$(basename "$0" .sh)
out=$(realpath "${1:-$root/crates/workload/traces}")
ftlkit=${FTLKIT:-$root/target/release/ftlkit}
work=$(mktemp -d -t "ftlkit-$name-XXXXXX")
mnt=$work/mnt
loop='' server='' helper='' group=''

# Serves a device of this capacity, records what is asked of it, and mounts ext4 on it with these options.
# Replies come when the modelled part would give them, so that the programs wait as on such a device.
device_up() {
    local capacity=$1 options=${2:-defaults}
    "$ftlkit" serve --capacity "$capacity" --scheme page-level --latency real --socket "$work/socket" \
        --record "$work/recorded.csv.gz" --json > "$work/summary.json" 2> "$work/log" &
    server=$!
    until [ -S "$work/socket" ]; do kill -0 $server || { cat "$work/log"; exit 1; }; sleep 0.05; done
    mkdir "$work/fuse" "$mnt"
    nbdfuse "$work/fuse" "nbd+unix:///?socket=$work/socket" &
    helper=$!
    until [ -f "$work/fuse/nbd" ]; do kill -0 $helper || exit 1; sleep 0.05; done
    # Direct I/O: the only cache is that of ext4.
    loop=$(losetup --find --show --direct-io=on "$work/fuse/nbd")
    # A loop device keeps its limit from its last use.
    echo 1280 > "/sys/block/$(basename "$loop")/queue/max_sectors_kb"
    # Blocks of 4 KiB, as on a large disk.
    mkfs.ext4 -q -b 4096 "$loop"
    mount -t ext4 -o "$options" "$loop" "$mnt"
}

# Runs a command in this much memory, page cache included: what it has not read for long is read again.
within() {
    local memory=$1
    shift
    if [ -d /sys/fs/cgroup/memory ]; then
        group=/sys/fs/cgroup/memory/ftlkit-$name-$$
        mkdir "$group"
        echo "$memory" > "$group/memory.limit_in_bytes"
    else
        group=/sys/fs/cgroup/ftlkit-$name-$$
        mkdir "$group"
        echo "$memory" > "$group/memory.max"
    fi
    (echo "$BASHPID" > "$group/cgroup.procs"; exec "$@")
}

# Unmounts, ends the server, and packs the trace.
device_down() {
    umount "$mnt"
    e2fsck -f -n "$loop" > "$work/e2fsck" || { cat "$work/e2fsck"; exit 1; }
    losetup --detach "$loop"
    loop=''
    umount "$work/fuse"
    wait $helper
    helper=''
    kill -TERM $server
    wait $server
    server=''
    mkdir -p "$out"
    python3 "$here/pack.py" "$work/recorded.csv.gz" "$out/$name.csv.xz"
    "$ftlkit" trace info "$out/$name.csv.xz"
}

clean_up() {
    set +e
    trap - EXIT
    # Out of the file system that is unmounted next.
    cd /
    mountpoint -q "$mnt" && umount "$mnt"
    [ -n "$loop" ] && losetup --detach "$loop"
    mountpoint -q "$work/fuse" && umount "$work/fuse"
    [ -n "$server" ] && kill -TERM $server && wait $server
    [ -n "$group" ] && rmdir "$group"
    if grep -q " $work/" /proc/mounts; then
        echo "$work is left: a file system is still mounted in it" >&2
    else
        rm -rf "$work"
    fi
}
trap clean_up EXIT
trap 'exit 1' INT TERM
