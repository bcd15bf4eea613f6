#!/usr/bin/env bash
# SQLite with a write-ahead log: 80 transactions a second.
. "$(dirname "$0")/common.sh"
device_up 160MiB
within 24M python3 "$here/sqlite.py" "$mnt/shop.db" wal 20000 100
device_down
