"""Packs a recorded trace: arrivals in µs, without the columns that `compare` does not need, as xz.

    python3 pack.py RECORDED.csv.gz PACKED.csv.xz
"""

import csv
import gzip
import lzma
import sys


def main():
    """Reads, drops, writes."""
    recorded, packed = sys.argv[1:]
    with gzip.open(recorded, "rt", encoding="ascii") as text:
        rows = list(csv.DictReader(text))
    forced = any(row.get("fua", "0") == "1" for row in rows)
    with lzma.open(packed, "wt", preset=9 | lzma.PRESET_EXTREME, encoding="ascii") as out:
        out.write(f"arrival_us,op,offset_bytes,length_bytes{',fua' if forced else ''}\n")
        first = int(rows[0]["arrival_ns"])
        for row in rows:
            arrival = (int(row["arrival_ns"]) - first) // 1000
            fua = f",{row['fua']}" if forced else ""
            out.write(f"{arrival},{row['op']},{row['offset_bytes']},{row['length_bytes']}{fua}\n")


if __name__ == "__main__":
    main()
