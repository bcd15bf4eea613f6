// Counts, lists of the scheme, and the map.
function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function placeText(there) {
  if (there.page === undefined) return there === "unmapped" ? "–" : there;
  const { block, page } = place(there.page);
  return `${block}.${page}`;
}

function itemText(item) {
  const [kind, value] = Object.entries(item)[0];
  if (kind === "lpn") return `LPN ${value}`;
  if (kind === "block") return `block ${value}`;
  if (kind === "logical_block") return `LBN ${value}`;
  if (kind === "translation_page") return `T${value}`;
  if (kind === "page") return placeText({ page: value });
  if (kind === "mapping") return `${value[0]} → ${placeText({ page: value[1] })}`;
  return String(value);
}

function drawCounts(state) {
  const { writes, programs, copies, reads, erases } = state.counts;
  const waf = writes ? ((programs + copies) / writes).toFixed(2) : "–";
  const rows = [
    ["host writes", writes, "Page writes of the host after the fill."],
    ["programs", programs, "Pages programmed by program, for any cause."],
    ["copies", copies, "Pages programmed by copy: a read and a program."],
    ["page reads", reads, "Pages read, for any cause."],
    ["erases", erases, "Blocks erased."],
    ["WAF", waf, "Write amplification: (programs + copies) / host writes."],
    ["free pages", state.free, "Pages that can be programmed without an erase."],
  ].map(([name, value, help]) => [name, value, `${help} At the end of the last whole page task.`]);
  byId("counts").replaceChildren(...rows.map(([name, value, help]) => {
    const pair = element("div");
    pair.title = help;
    pair.append(element("dt", "", name), element("dd", "", String(value)));
    return pair;
  }));
}

function drawLists(state) {
  const lists = byId("lists");
  byId("lists-section").hidden = state.lists.length === 0;
  lists.replaceChildren(...state.lists.map((list) => {
    const box = element("div", "list");
    const single = list.items.length === 1 && list.items[0].block === undefined && list.items[0].lpn === undefined;
    const size = single && !list.capacity ? "" : list.capacity ? ` ${list.items.length} of ${list.capacity}` : ` ${list.items.length}`;
    const name = element("h3", "", list.name);
    name.title = list.help;
    name.appendChild(element("small", "", size));
    const items = element("p", "items");
    items.append(...list.items.map((item) => element("span", "item", itemText(item))));
    if (list.items.length === 0) items.append(element("span", "none", "empty"));
    box.append(name, items);
    return box;
  }));
}

function drawMap(state, frame) {
  const map = byId("map");
  byId("map-section").hidden = !HEADER.tells_map;
  const changed = new Set((frame.map || []).map(([lpn]) => lpn));
  const perRow = HEADER.by_blocks ? HEADER.pages_per_block : 8;
  const rows = [];
  for (let first = 0; first < state.map.length; first += perRow) {
    const row = element("tr");
    row.appendChild(element("th", "", HEADER.by_blocks ? `LBN ${first / perRow}` : String(first)));
    state.map.slice(first, first + perRow).forEach((there, at) => {
      const cell = element("td", changed.has(first + at) ? "changed" : there.page === undefined ? there : "", placeText(there));
      cell.title = `LPN ${first + at}`;
      row.appendChild(cell);
    });
    rows.push(row);
  }
  const table = element("table");
  table.replaceChildren(...rows);
  map.replaceChildren(table);
}

// What is compared with another scheme: counters, and the times of the page tasks so far.
function figures(at) {
  const { counts, free } = stateAt(at);
  const done = TASKS.filter((task) => !task.mount && task.end <= at).map((task) => task.service + task.step);
  return {
    "host writes": counts.writes,
    WAF: counts.writes ? ((counts.programs + counts.copies) / counts.writes).toFixed(2) : "–",
    copies: counts.copies,
    erases: counts.erases,
    "free pages": free,
    "longest response": done.length ? timeText(Math.max(...done)) : "–",
    "mean response": done.length ? timeText(done.reduce((sum, one) => sum + one, 0) / done.length) : "–",
  };
}
