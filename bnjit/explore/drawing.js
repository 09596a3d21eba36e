// The drawing: an SVG element for each node and each arc, made from the numbers in the page.

const network = JSON.parse(document.getElementById("network").textContent);
const { nodes, arcs } = network;
const byId = (id) => document.getElementById(id);
const svg = byId("drawing");

// An element with attributes and children; texts are texts, never markup.
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  return fill(element, attributes, children);
}

function makeSvg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const count = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
const colour = (name) => `--colour: var(--${name.replaceAll(" ", "-")})`;

function arrowHead(id) {
  const shape = makeSvg("path", { d: "M0 0.6 L7 3 L0 5.4 Z", class: `head ${id}` });
  return makeSvg(
    "marker",
    { id, viewBox: "0 0 7 6", refX: 7, refY: 3, markerWidth: 7, markerHeight: 6, markerUnits: "userSpaceOnUse", orient: "auto" },
    shape,
  );
}

svg.append(makeSvg("defs", {}, ...["plain", "to-parent", "to-child"].map(arrowHead)));
const layer = svg.appendChild(makeSvg("g"));
const names = svg.appendChild(makeSvg("g", { id: "names", "aria-hidden": "true" }));

for (const arc of arcs) {
  const between = `${nodes[arc.from].name} → ${nodes[arc.to].name}`;
  const words = arc.strength === undefined
    ? between
    : `${between}: in ${percent(arc.strength)} of the replicates, ${percent(arc.direction)} of these this way`;
  arc.line = makeSvg("path", { class: "arc", d: arc.path, "marker-end": "url(#plain)" });
  if (arc.strength !== undefined) arc.line.style.setProperty("--weight", 0.45 + 1.35 * arc.strength);
  arc.element = makeSvg("g", { class: "edge", "aria-hidden": "true" },
    makeSvg("title", {}, words), makeSvg("path", { class: "arc-target", d: arc.path }), arc.line);
  layer.append(arc.element);
}

for (const [i, node] of nodes.entries()) {
  const [x, y, width, height] = node.place;
  const box = makeSvg("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 3.2 });
  const first = y - 4.9 * (node.lines.length - 1) + 3.2;
  const lines = node.lines.map((line, k) => makeSvg("text", { x, y: first + 9.8 * k }, line));
  const kind = node.class === "other" ? "node" : node.class;
  node.element = makeSvg("g", {
    class: "node", tabindex: i === 0 ? 0 : -1, role: "button", "data-node": i, style: colour(node.class),
    "aria-label": `${node.name}, ${kind}, ${count(node.parents.length, "parent")}, ${count(node.children.length, "child", "children")}`,
  }, makeSvg("title", {}, node.name), box, ...lines);
  layer.append(node.element);
}

// Letters of a reader's font may be wider than those that the boxes were made for.
for (const node of nodes) {
  for (const text of node.element.querySelectorAll("text")) {
    const room = node.place[2] - 4;
    if (text.getComputedTextLength() > room) {
      text.setAttribute("textLength", room);
      text.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
  }
}

const classes = new Map();
for (const node of nodes) if (node.class !== "other") classes.set(node.class, (classes.get(node.class) ?? 0) + 1);
for (const [name, n] of classes) byId("legend").append(make("li", { style: colour(name) }, `${name} (${n})`));
