// The recording, and the state of array and scheme at any frame.
const HEADER = LINES[0];
const FRAMES = LINES.slice(1);

// Copies of the state at every so many frames, so that a jump applies few of them.
const STRIDE = 64;
const KEPT = [];

const zeroes = () => ({ writes: 0, programs: 0, copies: 0, reads: 0, erases: 0 });

function emptyState() {
  const pages = [];
  for (let ppn = 0; ppn < HEADER.blocks * HEADER.pages_per_block; ppn++) pages.push({ state: "free", content: "nothing" });
  const blocks = [];
  for (let block = 0; block < HEADER.blocks; block++) blocks.push({ role: "", logical: null, put: "" });
  const map = new Array(HEADER.logical_pages).fill("unmapped");
  return { pages, blocks, map, lists: [], free: 0, counts: zeroes(), open: zeroes() };
}

function copyState(state) {
  return {
    pages: state.pages.slice(), blocks: state.blocks.slice(), map: state.map.slice(),
    lists: state.lists, free: state.free, counts: { ...state.counts }, open: { ...state.open },
  };
}

function apply(state, frame, at) {
  for (const [ppn, page] of frame.pages || []) state.pages[ppn] = page;
  for (const [block, role, logical] of frame.blocks || []) state.blocks[block] = { ...state.blocks[block], role, logical };
  for (const [block, put] of frame.placed || []) state.blocks[block] = { ...state.blocks[block], put: putText(put) };
  for (const [lpn, place] of frame.map || []) state.map[lpn] = place;
  if (frame.lists) state.lists = frame.lists;
  if (frame.free_pages !== undefined) state.free = frame.free_pages;
  // The fill is not counted.
  if (at > HEADER.first) count(state.open, frame);
  // Counters are of whole page tasks, as free pages and lists are: within one they show the state before it.
  if (FRAMES[at + 1]?.group === frame.group) return;
  for (const key in state.open) state.counts[key] += state.open[key];
  state.open = zeroes();
}

function count(counts, frame) {
  if (frame.type === "task" && frame.op === "write") counts.writes++;
  if (frame.type !== "operation" || frame.outcome !== "done") return;
  if (frame.op === "program") counts.programs++;
  if (frame.op === "copy") counts.copies++;
  if (frame.op === "read") counts.reads++;
  if (frame.op === "erase") counts.erases++;
}

// What the placement policy puts into a block.
function putText(put) {
  if (put === null || put === "copies") return put || "";
  return Object.entries(put)[0].join(" ");
}

// The state after frame `at`.
function stateAt(at) {
  let from = Math.floor(at / STRIDE);
  while (from > 0 && !KEPT[from]) from--;
  let state = from > 0 ? copyState(KEPT[from]) : emptyState();
  for (let next = from > 0 ? from * STRIDE + 1 : 0; next <= at; next++) {
    apply(state, FRAMES[next], next);
    if (next % STRIDE === 0 && next > 0 && !KEPT[next / STRIDE]) KEPT[next / STRIDE] = copyState(state);
  }
  return state;
}

// Names that events and erases have given to blocks since the present page task began; its end tells the roles anew.
function marksAt(at) {
  const marks = {};
  if (at === endOf(at)) return marks;
  for (let next = startOf(at); next <= at; next++) {
    const frame = FRAMES[next];
    for (const [block, name] of frame.marks || []) marks[block] = name;
    if (frame.op === "erase" && frame.outcome === "done") marks[frame.block] = "erased";
    else if (["program", "copy"].includes(frame.op) && (frame.page % HEADER.pages_per_block === 0 || marks[frame.block] === "erased")) {
      marks[frame.block] = "opened";
    }
  }
  return marks;
}

// First frames of the page tasks, mounts and pieces of background work.
const STARTS = FRAMES.flatMap((frame, at) => (at === 0 || FRAMES[at - 1].group !== frame.group ? [at] : []));
const LAST = FRAMES.length - 1;

function startOf(at) {
  return STARTS.filter((start) => start <= at).pop();
}

// End of the page task before, of the present one, and of the next.
function taskBefore(at) {
  return Math.max(startOf(at) - 1, 0);
}

function endOf(at) {
  const next = STARTS.find((start) => start > at);
  return next === undefined ? LAST : next - 1;
}

function taskAfter(at) {
  const end = endOf(at);
  return end > at ? end : endOf(Math.min(at + 1, LAST));
}

// Page tasks of the measured part, for the time line.
const TASKS = [];
{
  let begun = null;
  FRAMES.forEach((frame, at) => {
    if (frame.type === "task" && !frame.fill) begun = { at, number: frame.number, op: frame.op, lpn: frame.lpn };
    if (frame.type === "task-end" && begun) {
      TASKS.push({ ...begun, end: at, service: frame.service_ns, step: frame.step_ns, exceeded: frame.exceeded });
      begun = null;
    }
    if (frame.type === "power-cut") begun = null;
    if (frame.type === "mounted") TASKS.push({ at: startOf(at), end: at, mount: true, service: 0, step: 0 });
  });
}

function timeText(ns) {
  if (ns < 1000) return `${ns} ns`;
  const [value, unit] = ns < 1e7 ? [ns / 1e3, "µs"] : ns < 1e10 ? [ns / 1e6, "ms"] : [ns / 1e9, "s"];
  return `${Math.round(value * 10) / 10} ${unit}`;
}

function place(ppn) {
  const block = Math.floor(ppn / HEADER.pages_per_block);
  return { block, page: ppn % HEADER.pages_per_block };
}
