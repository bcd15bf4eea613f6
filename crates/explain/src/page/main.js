// Controls, and the present frame.
const byId = (id) => document.getElementById(id);
let present = 0;
let timer = null;

function show(at, keepsAddress) {
  present = Math.max(0, Math.min(LAST, at));
  const frame = FRAMES[present];
  const state = stateAt(present);
  const task = FRAMES[startOf(present)];
  byId("task").textContent = task === frame ? (present < HEADER.first ? "fill" : "") : task.caption;
  byId("caption").textContent = frame.caption;
  byId("caption").className = `${frame.type} ${frame.exceeded ? "exceeded" : ""} ${frame.step ? "step" : ""}`;
  drawArray(built, state, frame, marksAt(present));
  drawCounts(state);
  drawLists(state);
  drawMap(state, frame);
  drawTimeline(bars, present);
  byId("slider").value = present;
  byId("position").textContent = `frame ${present} of ${LAST}${present <= HEADER.first ? " (fill)" : `, at ${timeText(frame.at_ns)}`}`;
  if (!keepsAddress) {
    try { history.replaceState(null, "", `#frame=${present}`); } catch { /* Some viewers have no history. */ }
  }
}

function pause() {
  clearInterval(timer);
  timer = null;
  byId("play").textContent = "▶ play";
}

function play() {
  if (timer) return pause();
  if (present === LAST) show(HEADER.first);
  byId("play").textContent = "❚❚ pause";
  const step = () => (present < LAST ? show(present + 1) : pause());
  timer = setInterval(step, 1000 / Number(byId("speed").value));
}

const ACTIONS = {
  first: () => show(HEADER.first),
  "back-task": () => show(taskBefore(present)),
  back: () => show(present - 1),
  forward: () => show(present + 1),
  "forward-task": () => show(taskAfter(present)),
  last: () => show(LAST),
};

function onKey(event) {
  if (event.target.tagName === "SELECT" || event.ctrlKey || event.metaKey || event.altKey) return;
  const action = {
    ArrowLeft: event.shiftKey ? "back-task" : "back",
    ArrowRight: event.shiftKey ? "forward-task" : "forward",
    Home: "first",
    End: "last",
  }[event.key];
  if (event.key === " ") play();
  else if (action) { pause(); ACTIONS[action](); } else return;
  event.preventDefault();
}

function fromAddress() {
  const found = /frame=(\d+)/.exec(location.hash);
  return found ? Number(found[1]) : HEADER.first;
}

async function copyLink() {
  const link = `${location.href.split("#")[0]}#frame=${present}`;
  try {
    await navigator.clipboard.writeText(link);
    byId("copy").textContent = "copied";
  } catch {
    prompt("Link to this step:", link);
  }
  setTimeout(() => { byId("copy").textContent = "copy link to this step"; }, 1500);
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
    `workload: ${HEADER.workload}`,
  ];
  byId("facts").textContent = facts.join(" · ");
  const notes = [`Seed ${HEADER.seed}.`, ...HEADER.notes, `Source: ${HEADER.source}`];
  byId("notes").replaceChildren(...notes.map((note) => element("li", "", note)));
}

const built = buildArray();
const bars = buildTimeline();
buildHeader();
buildLegend();
byId("slider").max = LAST;
byId("slider").addEventListener("input", (event) => { pause(); show(Number(event.target.value)); });
byId("play").addEventListener("click", play);
byId("speed").addEventListener("change", () => { if (timer) { pause(); play(); } });
byId("copy").addEventListener("click", copyLink);
for (const [id, action] of Object.entries(ACTIONS)) byId(id).addEventListener("click", () => { pause(); action(); });
// A button that was clicked would take the space key.
document.querySelectorAll("button").forEach((button) => button.addEventListener("click", (event) => { if (event.detail) button.blur(); }));
document.addEventListener("keydown", onKey);
addEventListener("hashchange", () => show(fromAddress(), true));
let touched = null;
byId("array").addEventListener("touchstart", (event) => { touched = event.touches[0].clientX; }, { passive: true });
byId("array").addEventListener("touchend", (event) => {
  const moved = event.changedTouches[0].clientX - touched;
  if (Math.abs(moved) > 40) { pause(); show(present + (moved < 0 ? 1 : -1)); }
}, { passive: true });
show(fromAddress(), true);
