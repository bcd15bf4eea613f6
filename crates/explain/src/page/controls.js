// Controls, and the present frame.
let present = 0;
let timer = null;
const control = (id) => document.getElementById(id);

function show(at, keepsAddress) {
  present = Math.max(0, Math.min(LAST, at));
  draw(present);
  control("slider").value = present;
  control("position").textContent = `frame ${present} of ${LAST}${present <= FIRST ? " (fill)" : positionText(present)}`;
  if (!keepsAddress) {
    try { history.replaceState(null, "", `#frame=${present}`); } catch { /* Some viewers have no history. */ }
  }
}

function move(by) {
  pause();
  show(present + by);
}

function pause() {
  clearInterval(timer);
  timer = null;
  control("play").textContent = "▶ play";
}

function play() {
  if (timer) return pause();
  if (present === LAST) show(FIRST);
  control("play").textContent = "❚❚ pause";
  const step = () => (present < LAST ? show(present + 1) : pause());
  timer = setInterval(step, 1000 / Number(control("speed").value));
}

const ACTIONS = {
  first: () => show(FIRST),
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
  else if (event.key === "s") savePicture();
  else if (action) { pause(); ACTIONS[action](); } else return;
  event.preventDefault();
}

function fromAddress() {
  const found = /frame=(\d+)/.exec(location.hash);
  return found ? Number(found[1]) : FIRST;
}

async function copyLink() {
  const link = `${location.href.split("#")[0]}#frame=${present}`;
  try {
    await navigator.clipboard.writeText(link);
    control("copy").textContent = "copied";
  } catch {
    prompt("Link to this step:", link);
  }
  setTimeout(() => { control("copy").textContent = "copy link to this step"; }, 1500);
}

function savePicture() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([picture()], { type: "image/svg+xml" }));
  link.download = `${NAME.replace(/[^\w.=+%-]/g, "-")}-frame-${present}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

control("slider").max = LAST;
control("slider").addEventListener("input", (event) => { pause(); show(Number(event.target.value)); });
control("play").addEventListener("click", play);
control("speed").addEventListener("change", () => { if (timer) { pause(); play(); } });
control("copy").addEventListener("click", copyLink);
control("save").addEventListener("click", savePicture);
for (const [id, action] of Object.entries(ACTIONS)) control(id).addEventListener("click", () => { pause(); action(); });
// A button that was clicked would take the space key.
document.querySelectorAll("button").forEach((button) => button.addEventListener("click", (event) => { if (event.detail) button.blur(); }));
document.addEventListener("keydown", onKey);
addEventListener("hashchange", () => show(fromAddress(), true));
show(fromAddress(), true);
