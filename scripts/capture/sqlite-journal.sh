#!/usr/bin/env bash
# SQLite with its rollback journal, which is deleted at each commit.
. "$(dirname "$0")/common.sh"
device_up 160MiB
within 24M python3 "$here/sqlite.py" "$mnt/shop.db" delete 6000 30
device_down
