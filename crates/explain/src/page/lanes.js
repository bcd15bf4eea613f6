// On an SSD: what keeps each bus and each die busy. A row per channel, and below it one per die of it.
const LANES = { bus: 12, die: 22, gap: 3, between: 8, top: 4, foot: 18, page: 34, most: 24000 };
const SPANS = HEADER.ssd ? FRAMES.flatMap((frame, at) => (frame.spans || []).map((span) => ({ at, group: frame.group, op: frame.op, span }))) : [];

// Rows in order of channels: top and height of each lane.
function lanesRows() {
  const { channels, dies_per_channel: dies } = HEADER.ssd;
  const rows = [];
  let y = LANES.top;
  for (let channel = 0; channel < channels; channel++) {
    rows[channel] = { y, height: LANES.bus, name: `channel ${channel}: bus` };
    y += LANES.bus + LANES.gap;
    for (let die = 0; die < dies; die++) {
      rows[channels + channel * dies + die] = { y, height: LANES.die, name: `die ${channel}.${die}` };
      y += LANES.die + LANES.gap;
    }
    y += LANES.between;
  }
  return { rows, height: y + LANES.foot };
}

function buildLanes() {
  byId("lanes-section").hidden = !HEADER.ssd;
  if (!HEADER.ssd) return [];
  const until = Math.max(1, ...SPANS.map(({ span: [, , to] }) => to));
  // A page program is as wide as its label would be, unless the run is long.
  const scale = Math.min(LANES.page / HEADER.program_ns, LANES.most / until);
  const { rows, height } = lanesRows();
  const [names, svg] = [byId("lane-names"), byId("lanes")];
  const width = Math.ceil(until * scale) + 40;
  for (const [drawn, wide] of [[names, 110], [svg, width]]) {
    drawn.setAttribute("viewBox", `0 0 ${wide} ${height}`);
    drawn.style.width = `${wide}px`;
  }
  rows.forEach(({ y, height: tall, name }) => {
    shape("text", { x: 104, y: y + tall / 2 + 4, class: "lane-name" }, names, name);
    shape("rect", { x: 0, y, width, height: tall, class: "lane" }, svg);
  });
  ticksOf(until, 90 / scale).forEach((ns) => {
    shape("line", { x1: ns * scale, x2: ns * scale, y1: LANES.top, y2: height - LANES.foot, class: "scale-line" }, svg);
    shape("text", { x: ns * scale + 3, y: height - 4, class: "lane-time" }, svg, timeText(ns));
  });
  const task = shape("rect", { y: 0, height: height - LANES.foot + 2, class: "lane-task" }, svg);
  const bars = SPANS.map(({ at, op, span: [lane, from, to] }) => {
    const { y, height: tall, name } = rows[lane];
    const bar = shape("rect", { x: from * scale, y, width: Math.max(1, (to - from) * scale), height: tall, class: `span ${op}` }, svg);
    shape("title", {}, bar, `${name}, ${timeText(from)} to ${timeText(to)}: ${FRAMES[at].caption}`);
    bar.addEventListener("click", () => HOST.go(at));
    return bar;
  });
  return { bars, task, scale };
}

// Marks the present operation and those of its page task; what the scheme has not decided yet is pale.
function drawLanes(lanes, at) {
  if (!HEADER.ssd) return;
  const { group } = FRAMES[at];
  SPANS.forEach((one, index) => {
    const marks = [one.at > at && "later", one.group === group && "of-task", one.at === at && "now"].filter((mark) => mark);
    lanes.bars[index].setAttribute("class", ["span", one.op, ...marks].join(" "));
  });
  const begun = FRAMES[startOf(at)];
  const isTask = begun.type === "task" && !begun.fill;
  const [from, to] = isTask ? [begun.at_ns, FRAMES[endOf(at)].at_ns] : [0, 0];
  lanes.task.setAttribute("x", from * lanes.scale);
  lanes.task.setAttribute("width", (to - from) * lanes.scale);
  const box = byId("lanes-box");
  const own = SPANS.find((one) => one.at === at);
  const x = (own ? own.span[1] : from) * lanes.scale;
  if (x < box.scrollLeft || x > box.scrollLeft + box.clientWidth - 80) box.scrollLeft = Math.max(0, x - box.clientWidth / 3);
}

// The part that is seen, for a picture; its height.
function lanesDrawing(svg, y, width) {
  const [, , , height] = byId("lanes").getAttribute("viewBox").split(" ").map(Number);
  const names = shape("g", { transform: `translate(0 ${y})` }, svg);
  names.append(...[...byId("lane-names").childNodes].map((node) => node.cloneNode(true)));
  const from = byId("lanes-box").scrollLeft;
  const part = shape("svg", { x: 110, y, width: width - 110, height, viewBox: `${from} 0 ${width - 110} ${height}` }, svg);
  part.append(...[...byId("lanes").childNodes].map((node) => node.cloneNode(true)));
  ["read", "program", "copy", "erase"].forEach((op, at) => {
    shape("rect", { x: 120 + at * 90, y: y + height + 2, width: 22, height: 12, class: `span ${op}` }, svg);
    shape("text", { x: 147 + at * 90, y: y + height + 13, class: "words" }, svg, op);
  });
  return height + 20;
}
