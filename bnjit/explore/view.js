// Zoom and pan, by pointer, wheel, buttons and keys; and names that can be read from afar.

const view = { x: 0, y: 0, scale: 1, whole: true };
const LETTERS = 9, READABLE = 7.5, NAME_HEIGHT = 16, MOST_SCALE = 8;
const embedded = window.self !== window.top;
const pointers = new Map();
let touched = false; // in a notebook, the wheel scrolls the page until the drawing was clicked
let waiting = false;
let dragged = false;

// Of the drawing, without the line of help at the bottom.
function room() {
  const { width, height } = svg.getBoundingClientRect();
  return { width: Math.max(width, 1), height: Math.max(height - byId("help").offsetHeight, 1) };
}

function wholeScale() {
  const { width, height } = room();
  return Math.min(2, (width - 24) / network.frame[2], (height - 24) / network.frame[3]);
}

function showAll() {
  const { width, height } = room();
  const [left, top, wide, high] = network.frame;
  view.scale = Math.max(wholeScale(), 1e-3);
  view.x = width / 2 - view.scale * (left + wide / 2);
  view.y = height / 2 - view.scale * (top + high / 2);
  view.whole = true;
  redraw();
}

// What was in the middle stays there when the panel or the window changes its size; all of it, if that was shown.
let known = room();
function keepMiddle() {
  const now = room();
  if (view.whole) showAll();
  view.x += view.whole ? 0 : (now.width - known.width) / 2;
  view.y += view.whole ? 0 : (now.height - known.height) / 2;
  known = now;
}

function zoomBy(factor, x = room().width / 2, y = room().height / 2) {
  const scale = Math.min(MOST_SCALE, Math.max(view.scale * factor, 0.5 * Math.min(wholeScale(), 1)));
  view.x = x - (x - view.x) * (scale / view.scale);
  view.y = y - (y - view.y) * (scale / view.scale);
  view.scale = scale;
  view.whole = false;
  redraw();
}

// Bring a node into sight: where it is already, large enough and off the border, nothing moves, nor where all is shown.
function bringIntoSight(node, enlarge) {
  if (view.whole && !(enlarge && view.scale < 1.2)) return;
  const { width, height } = room();
  const scale = enlarge ? Math.max(view.scale, 1.2) : view.scale;
  const [x, y] = [view.x + node.place[0] * view.scale, view.y + node.place[1] * view.scale];
  const inside = x > 40 && x < width - 40 && y > 30 && y < height - 30;
  if (inside && scale === view.scale) return;
  view.scale = scale;
  view.x = width / 2 - scale * node.place[0];
  view.y = height / 2 - scale * node.place[1];
  view.whole = false;
  redraw();
}

function redraw() {
  layer.setAttribute("transform", `translate(${view.x.toFixed(2)} ${view.y.toFixed(2)}) scale(${view.scale.toFixed(5)})`);
  svg.style.setProperty("--thin", `${Math.max(0.9, 0.75 / view.scale)}px`);
  svg.classList.toggle("far", LETTERS * view.scale < READABLE);
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    placeNames();
  });
}

// Where boxes are too small for their names, those that matter most get a larger one, as far as there is room.
function placeNames() {
  names.replaceChildren();
  if (!svg.classList.contains("far")) return;
  const { width, height } = room();
  const taken = [];
  for (const node of nodesByWeight()) {
    const [x, y] = [view.x + node.place[0] * view.scale, view.y + node.place[1] * view.scale];
    if (x < 0 || x > width || y < 0 || y > height) continue;
    const text = node.name.length > 26 ? `${node.name.slice(0, 25)}…` : node.name;
    const half = 3.3 * text.length + 5;
    const centre = Math.min(Math.max(x, half), width - half);
    const free = taken.every(([a, b, other]) => Math.abs(b - y) >= NAME_HEIGHT || Math.abs(a - centre) >= half + other);
    if (!free) continue;
    taken.push([centre, y, half]);
    const label = makeSvg("text", { x: centre.toFixed(1), y: (y + 4).toFixed(1) }, text);
    const back = makeSvg("rect", { x: (centre - half).toFixed(1), y: (y - 7.5).toFixed(1), width: 2 * half, height: 15, rx: 3 });
    names.append(makeSvg("g", { class: `name ${node.element.getAttribute("class").replace("node", "")}`, style: colour(node.class) }, back, label));
  }
}

function distanceOf([a, b]) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

svg.addEventListener("pointerdown", (event) => {
  const { left, top } = svg.getBoundingClientRect();
  pointers.set(event.pointerId, { x: event.clientX - left, y: event.clientY - top });
  if (pointers.size === 1) dragged = false;
  touched = true;
});

window.addEventListener("pointermove", (event) => {
  const before = pointers.get(event.pointerId);
  if (!before) return;
  const { left, top } = svg.getBoundingClientRect();
  const now = { x: event.clientX - left, y: event.clientY - top };
  const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
  if (!dragged && others.length === 0 && distanceOf([now, before]) < 4) return;
  if (!dragged) svg.classList.add("moving");
  dragged = true;
  if (others.length > 0) {
    const factor = distanceOf([now, others[0]]) / Math.max(distanceOf([before, others[0]]), 1);
    zoomBy(factor, (now.x + others[0].x) / 2, (now.y + others[0].y) / 2);
  } else {
    view.x += now.x - before.x;
    view.y += now.y - before.y;
    view.whole = false;
    redraw();
  }
  pointers.set(event.pointerId, now);
});

for (const end of ["pointerup", "pointercancel"]) {
  window.addEventListener(end, (event) => {
    pointers.delete(event.pointerId);
    if (pointers.size === 0) svg.classList.remove("moving");
  });
}

svg.addEventListener("wheel", (event) => {
  if (embedded && !touched && !event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  const { left, top } = svg.getBoundingClientRect();
  const lines = event.deltaMode === 1 ? 16 : 1;
  zoomBy(Math.exp(-0.0016 * lines * Math.max(-300, Math.min(300, event.deltaY))), event.clientX - left, event.clientY - top);
}, { passive: false });

svg.addEventListener("pointerleave", () => {
  if (embedded && pointers.size === 0) touched = false;
});

byId("zoom-in").addEventListener("click", () => zoomBy(1.4));
byId("zoom-out").addEventListener("click", () => zoomBy(1 / 1.4));
byId("zoom-all").addEventListener("click", showAll);
