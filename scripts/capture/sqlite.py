"""A small shop in SQLite: orders come in, stock and customers change, old orders are deleted.

    python3 sqlite.py FILE JOURNAL_MODE TRANSACTIONS PER_SECOND
"""

import random
import sqlite3
import sys
import time


def main():
    """Makes the tables and runs the transactions, evenly in time."""
    path, mode, count, rate = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    draw = random.Random(20)
    db = sqlite3.connect(path, isolation_level=None)
    # As an application has it: every commit is synced (SQLite's default, FULL).
    db.execute(f"PRAGMA journal_mode={mode}")
    db.execute("PRAGMA cache_size=-2000")
    db.executescript("""
        CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, balance INTEGER, note TEXT);
        CREATE TABLE stock(id INTEGER PRIMARY KEY, name TEXT, amount INTEGER, text TEXT);
        CREATE TABLE orders(id INTEGER PRIMARY KEY, customer INTEGER, item INTEGER, amount INTEGER, text TEXT);
        CREATE INDEX of_customer ON orders(customer);
        CREATE INDEX of_item ON orders(item);
    """)
    text = lambda least, most: draw.randbytes(draw.randrange(least // 2, most // 2)).hex()
    customers, items = 40_000, 20_000
    for table, rows, longest in (("customer", customers, 400), ("stock", items, 1000)):
        db.execute("BEGIN")
        rows = ((row, f"{table} {row}", 1000, text(50, longest)) for row in range(rows))
        db.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", rows)
        db.execute("COMMIT")
    start = time.monotonic()
    for number in range(count):
        time.sleep(max(0, start + number / rate - time.monotonic()))
        # A few customers and items are asked for often.
        customer, item = int(customers * draw.random() ** 3), int(items * draw.random() ** 3)
        kind = draw.random()
        if kind < 0.2:
            db.execute("SELECT count(*), sum(amount) FROM orders WHERE customer = ?", (customer,)).fetchall()
            continue
        db.execute("BEGIN IMMEDIATE")
        if kind < 0.9:
            db.execute("UPDATE stock SET amount = amount - 1 WHERE id = ?", (item,))
            db.execute("UPDATE customer SET balance = balance - 1 WHERE id = ?", (customer,))
            db.execute("INSERT INTO orders(customer, item, amount, text) VALUES (?, ?, 1, ?)", (customer, item, text(40, 600)))
        else:
            oldest = "DELETE FROM orders WHERE id IN (SELECT id FROM orders ORDER BY id LIMIT 4)"
            db.execute(oldest if number > count // 4 else "UPDATE stock SET amount = 1000 WHERE amount < 900")
        db.execute("COMMIT")
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    db.close()
    print(sqlite3.sqlite_version)


if __name__ == "__main__":
    main()
