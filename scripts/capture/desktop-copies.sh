#!/usr/bin/env bash
# A desktop's disk, mounted with discard: trees of files are copied, read, archived, edited and deleted, and the free space is
# trimmed. The files are those of Debian's /usr/share and Python's library.
. "$(dirname "$0")/common.sh"
device_up 384MiB discard
source_=$work/source
mkdir "$source_"
# A choice of about 90 MiB that is the same each time on the same system.
(cd /usr && find share lib/python3 -xdev -type f -size -2000k 2> /dev/null | LC_ALL=C sort | awk 'NR % 11 == 0' \
    | xargs -d '\n' du -b | awk '{ sum += $1; if (sum > 90e6) exit; print substr($0, index($0, "\t") + 1) }' > "$work/list")
(cd /usr && tar -cf - -T "$work/list") | tar -xf - -C "$source_"
session() {
    local round
    for round in $(seq 1 "${ROUNDS:-6}"); do
        cp -a "$source_" "$mnt/home-$round"
        sync -f "$mnt"
        # An archive of it, as for a backup, then every third file goes.
        tar -cf "$mnt/backup-$((round % 2)).tar" -C "$mnt" "home-$round/share"
        find "$mnt/home-$round" -type f | LC_ALL=C sort | awk 'NR % 3 == 0' | xargs -d '\n' rm -f
        # Editors: a new file beside the old one, synced, renamed over it.
        find "$mnt/home-$round" -type f -size -60k | LC_ALL=C sort | awk 'NR % 40 == 0' | while read -r file; do
            { cat "$file"; echo edited; } > "$file.new"
            sync "$file.new"
            mv "$file.new" "$file"
        done
        grep -rqs 'no such text' "$mnt/home-$round" || true
        ((round > 1)) && rm -rf "$mnt/home-$((round - 1))"
        ((round % 4 == 0)) && fstrim "$mnt"
        sleep 1
    done
}
within 64M bash -c "$(declare -f session); mnt=$mnt source_=$source_ ROUNDS=${ROUNDS:-6} session"
device_down
