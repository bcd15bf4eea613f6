#!/usr/bin/env bash
# PostgreSQL under pgbench's default script, TPC-B-like: four clients, transactions at random times, 100 a second.
. "$(dirname "$0")/common.sh"
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
as() { runuser -u postgres -- "$@"; }
device_up 320MiB
chmod 755 "$work"
install -d -o postgres "$mnt/data" "$work/run"
as "$bin/initdb" --pgdata "$mnt/data" --data-checksums --wal-segsize 4 --no-locale --encoding UTF8 > "$work/initdb"
cat >> "$mnt/data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$work/run'
shared_buffers = 16MB
max_wal_size = 48MB
min_wal_size = 16MB
checkpoint_timeout = 30s
CONF
# The server's processes and their page cache share 96 MiB.
within 96M runuser -u postgres -- "$bin/pg_ctl" --pgdata "$mnt/data" --wait --log "$work/run/log" start
as "$bin/pgbench" --host "$work/run" --initialize --quiet --scale 6 postgres
as "$bin/pgbench" --host "$work/run" --client 4 --rate 100 --time 210 --random-seed 20 postgres
as "$bin/pg_amcheck" --host "$work/run" --install-missing postgres
as "$bin/pg_ctl" --pgdata "$mnt/data" --wait stop
as "$bin/pg_checksums" --pgdata "$mnt/data" --check
device_down
