const byId = (id) => ROOT.getElementById(id);

// The array: a column of pages for each block.
const SVG = "http://www.w3.org/2000/svg";
const CELL = { width: 64, height: 30, gap: 12, top: 22, foot: 48 };
const CELLS = [];

function shape(name, attributes, parent, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  if (parent) parent.appendChild(element);
  return element;
}

// Letters beside the colours, for readers who cannot tell these apart.
const LETTERS = { free: "", valid: "", older: "o", copy: "c", invalid: "×", padding: "·", torn: "!", absent: "–" };

// Position of a page: blocks in rows of at most 16.
const PER_ROW = Math.min(HEADER.blocks, 16);
const ROW_HEIGHT = CELL.top + HEADER.pages_per_block * CELL.height + CELL.foot;
function corner(ppn) {
  const { block, page } = place(ppn);
  const row = Math.floor(block / PER_ROW);
  return { x: (block % PER_ROW) * (CELL.width + CELL.gap) + 2, y: row * ROW_HEIGHT + CELL.top + page * CELL.height };
}

// The die of a block on an SSD, behind its number.
function dieText(block) {
  if (!HEADER.ssd) return "";
  const { channels, dies_per_channel: dies } = HEADER.ssd;
  return ` · ${block % channels}.${Math.floor(block / channels) % dies}`;
}

function buildArray() {
  const svg = byId("array");
  const rows = Math.ceil(HEADER.blocks / PER_ROW);
  const [width, height] = [PER_ROW * (CELL.width + CELL.gap), rows * ROW_HEIGHT];
  svg.setAttribute("viewBox", `-5 0 ${width + 5} ${height}`);
  svg.style.maxWidth = `${width * 1.5}px`;
  svg.style.minWidth = `${Math.min(width, 8 * (CELL.width + CELL.gap)) * 0.55}px`;
  const defs = shape("defs", {}, svg);
  defs.innerHTML = '<marker id="arrowhead" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto"><path d="M0 0 8 4 0 8z"/></marker>'
    + '<pattern id="hatch" width="6" height="6" patternTransform="rotate(45)" patternUnits="userSpaceOnUse"><rect class="hatch-ground" width="6" height="6"/><rect class="hatch-line" width="1.6" height="6"/></pattern>';
  const blocks = [];
  for (let block = 0; block < HEADER.blocks; block++) {
    const top = corner(block * HEADER.pages_per_block);
    const group = shape("g", { class: "block" }, svg);
    shape("text", { x: top.x + CELL.width / 2, y: top.y - 7, class: "block-name" }, group, HEADER.ssd ? `${block}${dieText(block)}` : `block ${block}`);
    const frame = shape("rect", {
      x: top.x - 2, y: top.y - 2, width: CELL.width + 4, height: HEADER.pages_per_block * CELL.height + 2, rx: 5, class: "block-frame",
    }, group);
    for (let page = 0; page < HEADER.pages_per_block; page++) {
      const ppn = block * HEADER.pages_per_block + page;
      const { x, y } = corner(ppn);
      const cell = shape("rect", { x, y, width: CELL.width, height: CELL.height - 2, rx: 3, class: "page" }, group);
      const label = shape("text", { x: x + CELL.width / 2, y: y + 20, class: "page-label" }, group);
      const tip = shape("title", {}, cell);
      CELLS.push({ cell, label, tip });
    }
    const foot = top.y + HEADER.pages_per_block * CELL.height + 14;
    const role = shape("text", { x: top.x + CELL.width / 2, y: foot, class: "block-role", lengthAdjust: "spacingAndGlyphs" }, group);
    const more = shape("text", { x: top.x + CELL.width / 2, y: foot + 15, class: "block-more" }, group);
    blocks.push({ group, frame, role, more });
  }
  const marks = shape("g", { id: "marks" }, svg);
  return { blocks, marks };
}

function pageText(page) {
  if (page.content.lpn !== undefined) return String(page.content.lpn);
  if (page.content.translation_page !== undefined) return `T${page.content.translation_page}`;
  return "";
}

function pageHelp(ppn, page) {
  const { block, page: number } = place(ppn);
  const holds = page.content.lpn !== undefined ? `, LPN ${page.content.lpn}`
    : page.content.translation_page !== undefined ? `, translation page ${page.content.translation_page}` : "";
  const help = HEADER.states.find(([name]) => name === page.state)[1];
  const die = HEADER.ssd ? `, die${dieText(block).slice(2)}` : "";
  return `block ${block} page ${number} (PPN ${ppn}${die}): ${page.state}${holds}. ${help}`;
}

function drawArray(built, state, frame, marks) {
  state.pages.forEach((page, ppn) => {
    const { cell, label, tip } = CELLS[ppn];
    cell.setAttribute("class", `page ${page.state}`);
    label.setAttribute("class", `page-label ${page.state}`);
    const text = pageText(page);
    label.textContent = [text, LETTERS[page.state]].filter((part) => part).join(" ");
    tip.textContent = pageHelp(ppn, page);
  });
  state.blocks.forEach(({ role, logical, put }, block) => {
    const drawn = built.blocks[block];
    const named = marks[block];
    drawn.role.textContent = named || role;
    // A long role is as wide as its column.
    if ((named || role).length > 9) drawn.role.setAttribute("textLength", CELL.width + CELL.gap - 3);
    else drawn.role.removeAttribute("textLength");
    markNext(state, block);
    drawn.more.textContent = logical === null || logical === undefined ? (["erased", "opened"].includes(named) ? "" : put) : `${HEADER.logical_blocks} ${logical}`;
    drawn.group.setAttribute("class", `block role-${(named || role).replace(/ /g, "-")}`);
  });
  drawMarks(built.marks, frame);
}

// The next page to be programmed in a block that is partly written.
function markNext(state, block) {
  const first = block * HEADER.pages_per_block;
  const pages = state.pages.slice(first, first + HEADER.pages_per_block);
  const next = pages.findIndex((page) => page.state === "free");
  if (next > 0) CELLS[first + next].cell.classList.add("next");
}

// Outlines of the pages just touched, and an arrow from source to target of a copy.
function drawMarks(marks, frame) {
  marks.replaceChildren();
  if (frame.type !== "operation") return;
  const outline = (ppn, kind, pages = 1) => {
    const { x, y } = corner(ppn);
    const size = { x: x - 1, y: y - 1, width: CELL.width + 2, height: pages * CELL.height, rx: 4 };
    shape("rect", { ...size, class: `mark ${kind}` }, marks);
  };
  if (frame.op === "erase") {
    outline(frame.block * HEADER.pages_per_block, "erase", HEADER.pages_per_block);
    return;
  }
  outline(frame.page, frame.op);
  if (frame.from === undefined) return;
  outline(frame.from, "source");
  const [from, to] = [corner(frame.from), corner(frame.page)];
  // From within the source to the near edge of the target; around the edge within one column.
  const same = to.x === from.x;
  const x1 = from.x + CELL.width * (same ? 1 : to.x > from.x ? 0.8 : 0.2);
  const x2 = to.x + (same || to.x < from.x ? CELL.width : 0);
  const [y1, y2] = [from.y + CELL.height / 2, to.y + CELL.height / 2];
  const middle = same ? `${x1 + 26} ${(y1 + y2) / 2}` : `${(x1 + x2) / 2} ${(y1 + y2) / 2 - 14}`;
  shape("path", { d: `M${x1} ${y1} Q${middle} ${x2} ${y2}`, class: "arrow", "marker-end": "url(#arrowhead)" }, marks);
}

function buildLegend() {
  const seen = new Set(["free"]);
  FRAMES.forEach((frame) => (frame.pages || []).forEach(([, page]) => seen.add(page.state)));
  const legend = byId("legend");
  const entry = (name, help, swatch) => {
    const item = document.createElement("li");
    item.title = help;
    if (swatch) {
      const svg = shape("svg", { viewBox: "0 0 30 18", class: "swatch" });
      shape("rect", { x: 1, y: 1, width: 28, height: 16, rx: 3, class: `page ${swatch}` }, svg);
      shape("text", { x: 15, y: 13, class: `page-label ${swatch}` }, svg, LETTERS[swatch] || "");
      item.appendChild(svg);
    }
    const strong = document.createElement("strong");
    strong.textContent = name;
    item.append(strong, ` ${help}`);
    legend.appendChild(item);
  };
  entry("next", "The next page to be programmed in its block.", "free next");
  HEADER.states.filter(([name]) => seen.has(name)).forEach(([name, help]) => entry(name, help, name));
  if (HEADER.handles) {
    const [handles, groups] = HEADER.handles;
    const group = groups > 1 ? `handle N mod ${handles} of reclaim group N div ${handles}` : "handle N";
    entry("stream N", `Reclaim unit of ${group}: pages that the host wrote with stream N; stream 0 is that of writes without one.`);
  }
  const puts = new Set(FRAMES.flatMap((frame) => (frame.placed || []).map(([, put]) => putText(put))));
  if (puts.has("copies")) entry("copies", "Reclaim unit of pages of all streams that collection has moved.");
  if ([...puts].some((put) => put.startsWith("class"))) entry("class N", "Block of pages that the placement policy expects to die at about the same time.");
  HEADER.roles.forEach(([name, help]) => entry(`${name} block`, help));
}
