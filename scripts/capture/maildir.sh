#!/usr/bin/env bash
# Small files with fsync, as a mail server keeps them: 30 steps a second.
. "$(dirname "$0")/common.sh"
device_up 160MiB
within 20M python3 "$here/maildir.py" "$mnt" 9000 40
device_down
