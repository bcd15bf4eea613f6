// Two schemes on the same requests: what the controls step through. Both begin a request at once; the one that needs fewer steps for
// it waits at its end.
// The longest response of either, so that the bars of both have one scale.
const LONGEST = Math.max(...RECORDINGS.flat().map((line) => (line.type === "header" ? line.bound.response_ns || 0 : (line.service_ns || 0) + (line.step_ns || 0))));
const SIDES = [0, 1].map((at) => {
  const shadow = document.getElementById(`side-${at}`).attachShadow({ mode: "open" });
  document.querySelectorAll("style").forEach((style) => shadow.append(style.cloneNode(true)));
  shadow.append(document.getElementById("side-template").content.cloneNode(true));
  const go = (frame) => show(PAIRS.reduce((found, pair, index) => (pair[at] === frame ? index : found), present));
  return side(shadow, RECORDINGS[at], { longest: LONGEST, go, move: (by) => move(by) });
});

// Frames of both at each step, and the steps at which both have ended a request.
const PAIRS = [];
const ENDS = [];
{
  const pieces = SIDES.map(({ FRAMES }) => {
    const starts = FRAMES.flatMap((frame, at) => (at === 0 || frame.type === "task" ? [at] : []));
    return starts.map((start, index) => [start, (starts[index + 1] ?? FRAMES.length) - 1]);
  });
  pieces[0].forEach((left, index) => {
    const both = [left, pieces[1][index]];
    const steps = Math.max(...both.map(([start, end]) => end - start));
    for (let step = 0; step <= steps; step++) PAIRS.push(both.map(([start, end]) => Math.min(start + step, end)));
    ENDS.push(PAIRS.length - 1);
  });
}
const LAST = PAIRS.length - 1;
const FIRST = PAIRS.reduce((found, pair, at) => (SIDES.every(({ HEADER }, one) => pair[one] <= HEADER.first) ? at : found), 0);
const NAME = SIDES.map(({ HEADER }) => HEADER.scheme).join("-beside-");
const endBefore = (at) => ENDS.filter((end) => end < at).pop() ?? 0;
const taskAfter = (at) => ENDS.find((end) => end > at) ?? LAST;
const taskBefore = (at) => (ENDS.includes(at) ? endBefore(at) : endBefore(endBefore(at) + 1));
const positionText = () => "";

function draw(at) {
  SIDES.forEach((one, index) => one.drawFrame(PAIRS[at][index]));
  // Of both at the same moment: the end of the last request that both have ended.
  const end = ENDS.includes(at) ? at : endBefore(at);
  const cells = SIDES.map((one, index) => one.figures(PAIRS[end][index]));
  const rows = Object.keys(cells[0]).map((name) => {
    const row = document.createElement("tr");
    const cell = (kind, text) => { const made = document.createElement(kind); made.textContent = text; row.append(made); };
    cell("th", name);
    cells.forEach((figures) => cell("td", figures[name]));
    return row;
  });
  document.getElementById("both").replaceChildren(...rows);
}

// Both pictures, one beside the other.
function picture() {
  const drawings = SIDES.map((one) => one.drawing());
  const [widths, heights] = ["width", "height"].map((key) => drawings.map((svg) => Number(svg.getAttribute(key))));
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const size = { width: widths[0] + widths[1], height: Math.max(...heights) };
  Object.entries({ ...size, viewBox: `0 0 ${size.width} ${size.height}`, style: "max-width:100%;height:auto" })
    .forEach(([key, value]) => svg.setAttribute(key, value));
  drawings[1].setAttribute("x", widths[0]);
  svg.append(...drawings);
  return new XMLSerializer().serializeToString(svg);
}

document.getElementById("title").textContent = SIDES.map(({ HEADER }) => HEADER.scheme).join(" beside ");
document.getElementById("workload").textContent = `The same requests and the same fill: ${SIDES[0].HEADER.workload}`;
document.getElementById("names").replaceChildren(...["At the end of the last request", ...SIDES.map(({ HEADER }) => HEADER.scheme)].map((name) => {
  const cell = document.createElement("th");
  cell.textContent = name;
  return cell;
}));
