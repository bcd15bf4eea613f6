'use strict';
// What every page has: buttons that copy, tables that a click sorts, and on paper everything that is folded.
(() => {
  const select = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  };
  for (const button of document.querySelectorAll('button.copy')) {
    button.addEventListener('click', async () => {
      const text = button.nextElementSibling;
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = 'copied';
      } catch {
        // Without the right to write it, the text is at least selected.
        select(text);
        button.textContent = document.execCommand('copy') ? 'copied' : 'selected';
      }
      setTimeout(() => { button.textContent = 'copy'; }, 1500);
    });
  }

  const UNITS = {
    ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9, h: 3.6e12, B: 1, KiB: 1024, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40,
    MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15, nJ: 1, 'µJ': 1e3, mJ: 1e6, J: 1e9, k: 1e3, M: 1e6, G: 1e9, 'k/s': 1e3, 'M/s': 1e6,
  };
  // The number that a cell begins with, in the least unit of its kind; what is no number is not sorted as one.
  const value = (text) => {
    const found = /^([-−]?[\d,]*\.?\d+(?:e[-+]?\d+)?)\s*([^\s\d]*)/.exec(text.replace(/^> /, ''));
    return found ? Number(found[1].replaceAll(',', '').replace('−', '-')) * (UNITS[found[2]] ?? 1) : NaN;
  };
  const sort = (table, at, down) => {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => {
      const text = row.cells[at]?.textContent.trim() ?? '';
      return { row, text, number: value(text) };
    });
    rows.sort((a, b) => {
      if (Number.isNaN(a.number) !== Number.isNaN(b.number)) return Number.isNaN(a.number) ? 1 : -1;
      const order = Number.isNaN(a.number) ? a.text.localeCompare(b.text) : a.number - b.number;
      return down ? -order : order;
    });
    body.append(...rows.map((of) => of.row));
  };
  for (const table of document.querySelectorAll('table.sortable')) {
    const headings = [...table.tHead.rows[0].cells];
    if (table.tBodies[0].rows.length < 3) continue;
    headings.forEach((heading, at) => {
      heading.ariaSort = 'none';
      heading.tabIndex = 0;
      const click = () => {
        const down = heading.ariaSort === 'ascending';
        for (const other of headings) other.ariaSort = 'none';
        heading.ariaSort = down ? 'descending' : 'ascending';
        sort(table, at, down);
      };
      heading.addEventListener('click', click);
      heading.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); click(); }
      });
    });
  }

  let folded = [];
  addEventListener('beforeprint', () => {
    folded = [...document.querySelectorAll('details:not([open])')];
    for (const details of folded) details.open = true;
  });
  addEventListener('afterprint', () => {
    for (const details of folded) details.open = false;
    folded = [];
  });
})();
