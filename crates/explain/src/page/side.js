// The frame shown, and what is drawn of it.
let drawn = 0;

function drawFrame(at) {
  drawn = Math.max(0, Math.min(LAST, at));
  const frame = FRAMES[drawn];
  const state = stateAt(drawn);
  const task = FRAMES[startOf(drawn)];
  byId("task").textContent = task === frame ? (drawn < HEADER.first ? "fill" : "") : task.caption;
  byId("caption").textContent = frame.caption;
  byId("caption").className = `${frame.type} ${frame.exceeded ? "exceeded" : ""} ${frame.step ? "step" : ""}`;
  drawArray(built, state, frame, marksAt(drawn));
  drawCounts(state);
  drawLists(state);
  drawMap(state, frame);
  drawTimeline(bars, drawn);
  drawLanes(lanes, drawn);
}

function buildHeader() {
  const plural = `${HEADER.blocks} blocks × ${HEADER.pages_per_block} pages`;
  byId("title").textContent = HEADER.scheme;
  byId("summary").textContent = HEADER.summary;
  const bound = HEADER.bound.response_ns;
  const facts = [
    `${plural}, ${HEADER.logical_pages} logical pages`,
    `${HEADER.part}: tR ${timeText(HEADER.read_ns)}, tPROG ${timeText(HEADER.program_ns)}, tBERS ${timeText(HEADER.erase_ns)}`,
    bound ? `bound of a response ${timeText(bound)}` : "no bound",
    HEADER.ssd ? `${HEADER.ssd.channels} channels × ${HEADER.ssd.dies_per_channel} ${HEADER.ssd.dies_per_channel > 1 ? "dies" : "die"}, queue depth ${HEADER.ssd.queue_depth}` : "",
    `workload: ${HEADER.workload}`,
  ];
  byId("facts").textContent = facts.filter((fact) => fact).join(" · ");
  const notes = [`Seed ${HEADER.seed}.`, ...HEADER.notes, `Source: ${HEADER.source}`];
  byId("notes").replaceChildren(...notes.map((note) => element("li", "", note)));
}

// Lines of at most so many characters, broken between words.
function wrapped(text, columns) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.pop();
    if (line && line.length + 1 + word.length > columns) lines.push(line, word);
    else lines.push(line ? `${line} ${word}` : word);
  }
  return lines;
}

// The style of pictures: drawing programs do not know custom properties.
function plainStyle() {
  const css = document.getElementById("array-style").textContent;
  const end = css.indexOf("}");
  const values = Object.fromEntries([...css.slice(0, end).matchAll(/(--[\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value]));
  return css.slice(end + 1).replace(/var\((--[\w-]+)\)/g, (all, name) => values[name] ?? all);
}

// The frame shown as a picture of its own: captions, array, legend, counters and lists.
function drawing() {
  const [, , arrayWidth, arrayHeight] = byId("array").getAttribute("viewBox").split(" ").map(Number);
  const width = Math.max(640, arrayWidth);
  const svg = shape("svg", { xmlns: SVG, "font-family": "sans-serif", style: "max-width:100%;height:auto" });
  shape("title", {}, svg, `${HEADER.scheme}, frame ${drawn} of ${LAST}`);
  shape("style", {}, svg, plainStyle());
  const ground = shape("rect", { x: -10, y: -10, class: "ground" }, svg);
  let y = 20;
  const lines = (text, columns, size, name) => wrapped(text, columns).forEach((line) => {
    shape("text", { x: 0, y, class: name }, svg, line);
    y += size;
  });
  lines(HEADER.scheme, Math.floor(width / 11), 22, "title");
  lines(`${byId("facts").textContent} · frame ${drawn} of ${LAST}`, Math.floor(width / 6.4), 17, "words");
  if (byId("task").textContent) lines(byId("task").textContent, Math.floor(width / 6.4), 22, "words");
  lines(byId("caption").textContent, Math.floor(width / 10), 22, "caption");
  const array = shape("g", { transform: `translate(0 ${y - 10})` }, svg);
  array.append(...[...byId("array").childNodes].map((node) => node.cloneNode(true)));
  y += arrayHeight + 8;
  const states = HEADER.states.filter(([name]) => stateAt(drawn).pages.some((page) => page.state === name));
  states.forEach(([name], at) => {
    shape("rect", { x: at * 105 + 1, y: y - 28, width: 28, height: 16, rx: 3, class: `page ${name}` }, svg);
    shape("text", { x: at * 105 + 15, y: y - 16, class: `page-label ${name}` }, svg, LETTERS[name]);
    shape("text", { x: at * 105 + 34, y: y - 16, class: "words" }, svg, name);
  });
  y += 10;
  const counts = [...byId("counts").children].map((pair) => `${pair.firstChild.textContent} ${pair.lastChild.textContent}`);
  lines(counts.join(" · "), Math.floor(width / 6.4), 17, "words");
  for (const list of stateAt(drawn).lists) {
    lines(`${list.name}: ${list.items.map(itemText).join(", ") || "empty"}`, Math.floor(width / 6.4), 17, "words");
  }
  if (HEADER.ssd) y += lanesDrawing(svg, y - 4, width);
  const size = { width: width + 20, height: y + 10 };
  for (const [key, value] of Object.entries(size)) for (const part of [svg, ground]) part.setAttribute(key, value);
  svg.setAttribute("viewBox", `-10 -10 ${size.width} ${size.height}`);
  return svg;
}

const built = buildArray();
const bars = buildTimeline();
const lanes = buildLanes();
buildHeader();
buildLegend();
{
  let touched = null;
  byId("array").addEventListener("touchstart", (event) => { touched = event.touches[0].clientX; }, { passive: true });
  byId("array").addEventListener("touchend", (event) => {
    const moved = event.changedTouches[0].clientX - touched;
    if (Math.abs(moved) > 40) HOST.move(moved < 0 ? 1 : -1);
  }, { passive: true });
}
