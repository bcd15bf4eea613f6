#!/usr/bin/env bash
# LevelDB (Debian: python3-plyvel), a log-structured merge tree with buffers and tables of 1 MiB: at most 1,250 operations a second.
. "$(dirname "$0")/common.sh"
device_up 192MiB
# Until it is killed: its number of operations depends on the machine.
within 64M timeout --signal=KILL 525 /usr/bin/python3 "$here/leveldb.py" "$mnt/db" 1250 || true
device_down
