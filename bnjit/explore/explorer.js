// What is shown: the node under the pointer or the chosen one with its neighbours, and the arcs that are strong enough.

const state = { hovered: null, chosen: null, least: 0 };
const between = new Map(arcs.map((arc) => [`${arc.from},${arc.to}`, arc]));

function arcBetween(from, to) {
  return between.get(`${from},${to}`);
}

const isShown = (arc) => arc.strength === undefined || arc.strength >= state.least;

function highlight() {
  const i = state.hovered ?? state.chosen;
  svg.classList.toggle("near", i !== null);
  for (const [k, { element }] of nodes.entries()) {
    element.classList.remove("parent", "child");
    element.classList.toggle("centre", k === i);
    element.classList.toggle("chosen", k === state.chosen);
  }
  for (const arc of arcs) {
    const kind = arc.to === i ? "to-parent" : arc.from === i ? "to-child" : "plain";
    const lit = kind !== "plain" && isShown(arc);
    arc.element.classList.toggle("lit", lit);
    arc.line.setAttribute("class", lit ? `arc ${kind}` : "arc");
    arc.line.setAttribute("marker-end", lit ? `url(#${kind})` : "url(#plain)");
    if (lit) nodes[kind === "to-parent" ? arc.from : arc.to].element.classList.add(kind === "to-parent" ? "parent" : "child");
  }
  redraw();
}

// The node in the middle first, then its neighbours, then those with most neighbours.
function nodesByWeight() {
  const weight = ({ element, parents, children }) => {
    const listed = element.classList;
    const first = listed.contains("centre") ? 4e6 : listed.contains("match") ? 3e6
      : listed.contains("parent") || listed.contains("child") ? 2e6 : 0;
    return first + parents.length + children.length;
  };
  const some = svg.classList.contains("near") || svg.classList.contains("searching");
  const wanted = some ? nodes.filter((node) => weight(node) >= 1e6) : [...nodes];
  return wanted.sort((a, b) => weight(b) - weight(a));
}

function choose(i, enlarge = false) {
  state.chosen = i;
  state.hovered = null;
  if (i === null) {
    panel.hidden = true;
    panel.replaceChildren();
    keepMiddle();
  } else {
    showDetails(i);
    reachable(i);
    keepMiddle();
    bringIntoSight(nodes[i], enlarge);
  }
  highlight();
}

// One node at a time is in the order of the Tab key; arrow keys go to the others.
function reachable(i) {
  for (const [k, { element }] of nodes.entries()) element.setAttribute("tabindex", k === i ? 0 : -1);
}

function focusNode(i) {
  reachable(i);
  nodes[i].element.focus({ preventScroll: true });
  bringIntoSight(nodes[i], false);
}

// The nearest node in a direction: what lies straight ahead counts as nearer than what lies aside.
function nextNode(i, dx, dy) {
  const [x, y] = nodes[i].place;
  let best = null, least = Infinity;
  for (const [k, { place }] of nodes.entries()) {
    const ahead = (place[0] - x) * dx + (place[1] - y) * dy;
    const aside = Math.abs((place[0] - x) * dy + (place[1] - y) * dx);
    const far = ahead + 2.5 * aside;
    if (k !== i && ahead > 0.5 && far < least) [best, least] = [k, far];
  }
  return best;
}

const nodeOf = (target) => {
  const element = target instanceof Element ? target.closest("[data-node]") : null;
  return element ? Number(element.dataset.node) : null;
};

svg.addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch" || pointers.size > 0) return;
  const i = nodeOf(event.target);
  if (i === state.hovered) return;
  state.hovered = i;
  highlight();
});
svg.addEventListener("pointerleave", () => {
  if (state.hovered === null) return;
  state.hovered = null;
  highlight();
});
svg.addEventListener("click", (event) => {
  if (dragged) return;
  const i = nodeOf(event.target);
  choose(i);
  if (i !== null) focusNode(i);
});
// On the element around the drawing: one with listeners for the focus would be a stop of the Tab key itself.
byId("stage").addEventListener("focusin", (event) => {
  if (!event.target.matches(":focus-visible")) return;
  state.hovered = nodeOf(event.target);
  highlight();
});
byId("stage").addEventListener("focusout", () => {
  state.hovered = null;
  highlight();
});

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

svg.addEventListener("keydown", (event) => {
  const i = nodeOf(event.target);
  if (i === null || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in ARROWS) {
    const next = nextNode(i, ...ARROWS[event.key]);
    if (next !== null) focusNode(next);
  } else if (event.key === "Home" || event.key === "End") focusNode(event.key === "Home" ? 0 : nodes.length - 1);
  else if (event.key === "Enter" || event.key === " ") {
    choose(i);
    panel.querySelector("h2").focus();
  } else if (event.key === "+" || event.key === "=") zoomBy(1.4);
  else if (event.key === "-") zoomBy(1 / 1.4);
  else if (event.key === "0") showAll();
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || state.chosen === null) return;
  const i = state.chosen;
  const fromPanel = panel.contains(document.activeElement);
  choose(null);
  if (fromPanel) focusNode(i);
});

const slider = byId("strength"), sliderValue = byId("strength-value");

function setLeast(least) {
  state.least = least;
  for (const arc of arcs) arc.element.toggleAttribute("hidden", !isShown(arc));
  const words = `${percent(least)}: ${arcs.filter(isShown).length} of ${count(arcs.length, "arc")}`;
  sliderValue.textContent = words;
  slider.setAttribute("aria-valuetext", words);
  highlight();
}

slider.addEventListener("input", () => setLeast(Number(slider.value)));
if (arcs.some((arc) => arc.strength !== undefined)) {
  byId("strength-control").hidden = false;
  const { significant } = network;
  if (significant !== null) {
    const button = byId("significant");
    button.hidden = false;
    button.textContent = `significant: from ${percent(significant)}`;
    button.title = "The threshold of bnjit.averaged_network, which follows from the strengths";
    button.addEventListener("click", () => {
      slider.value = significant;
      setLeast(significant);
    });
  }
  setLeast(0);
}

new ResizeObserver(() => {
  keepMiddle();
  if (state.chosen !== null) bringIntoSight(nodes[state.chosen], false);
  redraw();
}).observe(svg);
showAll();
