// One bar per page task: service, and above it the collection step; the bound as a line.
const LINE = { height: 150, top: 16, foot: 22, left: 62 };

// Times that are round, at least so far apart.
function ticksOf(until, least) {
  const step = [1, 2, 5].flatMap((digit) => [...Array(12).keys()].map((power) => digit * 10 ** power)).sort((a, b) => a - b).find((ns) => ns >= least);
  return [...Array(Math.floor(until / step) + 1).keys()].map((at) => at * step);
}

function buildTimeline() {
  const svg = byId("timeline");
  const most = Math.max(1, HOST.longest, ...TASKS.map((task) => task.service + task.step));
  // A bound that is far above all bars would leave nothing of them to see.
  const bound = HEADER.bound.response_ns <= 5 * most ? HEADER.bound.response_ns : null;
  const longest = Math.max(most, bound || 0);
  const width = Math.max(10, Math.min(26, Math.floor(1200 / Math.max(1, TASKS.length))));
  const total = TASKS.length * width + 70;
  svg.setAttribute("viewBox", `0 0 ${total} ${LINE.height + LINE.top + LINE.foot}`);
  svg.style.width = `${total}px`;
  const y = (ns) => LINE.top + LINE.height * (1 - ns / longest);
  ticksOf(longest, longest / 4).slice(1).forEach((ns) => {
    shape("line", { x1: LINE.left, x2: total, y1: y(ns), y2: y(ns), class: "scale-line" }, svg);
    shape("text", { x: LINE.left - 4, y: y(ns) + 4, class: "tick scale" }, svg, timeText(ns));
  });
  const bars = TASKS.map((task, index) => {
    const x = LINE.left + index * width;
    const group = shape("g", { class: "task" }, svg);
    shape("rect", { x, y: LINE.top, width, height: LINE.height + LINE.foot, class: "target" }, group);
    if (task.mount) {
      shape("rect", { x: x + width / 2 - 2, y: LINE.top, width: 4, height: LINE.height, class: "mount" }, group);
    } else {
      shape("rect", { x: x + 1, y: y(task.service), width: width - 2, height: LINE.top + LINE.height - y(task.service), class: "service" }, group);
      shape("rect", { x: x + 1, y: y(task.service + task.step), width: width - 2, height: y(task.service) - y(task.service + task.step), class: "step" }, group);
    }
    if (task.mount || task.number % 5 === 0) {
      shape("text", { x: x + width / 2, y: LINE.top + LINE.height + (task.mount ? 11 : 19), class: "tick" }, group, task.mount ? "cut" : task.number);
    }
    const name = task.mount ? "power cut and mount" : `task ${task.number}: ${task.op}${task.lpn === null ? "" : ` LPN ${task.lpn}`}; `
      + `service ${timeText(task.service)}, step ${timeText(task.step)}${task.exceeded ? ": BOUND EXCEEDED" : ""}`;
    shape("title", {}, group, name);
    group.addEventListener("click", () => HOST.go(task.end));
    return group;
  });
  if (bound) {
    shape("line", { x1: LINE.left, x2: total, y1: y(bound), y2: y(bound), class: "bound" }, svg);
  }
  const kind = HEADER.bound.real_time ? "real-time bound" : "whole-victim worst case";
  const note = byId("bound-note");
  // On an SSD collection and service overlap.
  if (HEADER.ssd) note.parentElement.replaceChildren("Page tasks: response, with all waits for dies, buses and collection", note);
  note.textContent = bound ? `; the line is the bound of a response, ${timeText(bound)} (${kind}). Click a bar to go there.`
    : HEADER.bound.response_ns ? `; the bound of a response, ${timeText(HEADER.bound.response_ns)}, is far above (${kind}). Click a bar to go there.`
    : `; ${HEADER.ssd?.queue_depth > 1 ? "with several page tasks at once there is" : "this scheme has"} no bound. Click a bar to go there.`;
  return bars;
}

function drawTimeline(bars, at) {
  TASKS.forEach((task, index) => bars[index].classList.toggle("now", task.at <= at && at <= task.end));
  const present = bars[TASKS.findIndex((task) => task.at <= at && at <= task.end)];
  const box = byId("timeline-box");
  if (present && box.scrollWidth > box.clientWidth) {
    const x = present.getBBox().x;
    if (x < box.scrollLeft || x > box.scrollLeft + box.clientWidth - 60) box.scrollLeft = x - box.clientWidth / 2;
  }
}
