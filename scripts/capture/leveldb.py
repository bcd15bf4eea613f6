"""A key-value store in LevelDB: writes of which one in eight is synced, reads, deletes, short scans.

    python3 leveldb.py FOLDER PER_SECOND

It goes on until it is ended.
"""

import itertools
import random
import sys
import time

import plyvel


def main():
    """Fills the store and runs the operations, evenly in time."""
    path, rate = sys.argv[1], float(sys.argv[2])
    draw = random.Random(20)
    db = plyvel.DB(path, create_if_missing=True, write_buffer_size=1 << 20, max_file_size=1 << 20, lru_cache_size=2 << 20)
    keys = 120_000
    # Half of a value can be compressed.
    value = lambda: draw.randbytes(draw.randrange(20, 300)) * 2
    for first in range(0, keys, 100):
        with db.write_batch() as batch:
            for key in range(first, first + 100):
                batch.put(b"key%09d" % (key * 7919 % keys), value())
    start = time.monotonic()
    for number in itertools.count():
        if number % 16 == 0:
            time.sleep(max(0, start + number / rate - time.monotonic()))
        key = b"key%09d" % (int(keys * draw.random() ** 2) * 7919 % keys)
        kind = draw.random()
        if kind < 0.5:
            db.put(key, value(), sync=number % 8 == 0)
        elif kind < 0.93:
            db.get(key)
        elif kind < 0.97:
            db.delete(key)
        else:
            for _ in zip(range(20), db.iterator(start=key)):
                pass


if __name__ == "__main__":
    main()
