// Search by name: a list under the field, whose first entry Enter takes.

const field = byId("search"), list = byId("found");
const MOST_FOUND = 40;
let found = [], marked = -1;

function search() {
  const wanted = field.value.trim().toLowerCase();
  const rank = (i) => nodes[i].name.toLowerCase().indexOf(wanted);
  found = wanted === "" ? [] : [...nodes.keys()].filter((i) => rank(i) >= 0).sort((i, j) => Math.min(rank(i), 1) - Math.min(rank(j), 1));
  for (const node of nodes) node.element.classList.remove("match");
  for (const i of found) nodes[i].element.classList.add("match");
  svg.classList.toggle("searching", wanted !== "");
  const items = found.slice(0, MOST_FOUND).map((i, k) => {
    const item = make("li", { role: "option", id: `found-${k}`, "aria-selected": "false" }, nodes[i].name);
    item.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      take(i);
    });
    return item;
  });
  if (found.length > MOST_FOUND) items.push(make("li", { class: "none" }, `and ${found.length - MOST_FOUND} more`));
  if (wanted !== "" && found.length === 0) items.push(make("li", { class: "none" }, "no node has this in its name"));
  list.replaceChildren(...items);
  list.hidden = wanted === "";
  field.setAttribute("aria-expanded", String(!list.hidden));
  mark(found.length > 0 ? 0 : -1);
  redraw();
}

function mark(k) {
  marked = k;
  for (const [at, item] of [...list.querySelectorAll("[role=option]")].entries()) {
    item.setAttribute("aria-selected", String(at === k));
    if (at === k) item.scrollIntoView({ block: "nearest" });
  }
  if (k >= 0) field.setAttribute("aria-activedescendant", `found-${k}`);
  else field.removeAttribute("aria-activedescendant");
}

function take(i) {
  endSearch();
  choose(i, true);
  focusNode(i);
}

function endSearch() {
  field.value = "";
  search();
}

field.addEventListener("input", search);
field.addEventListener("blur", () => {
  list.hidden = true;
  field.setAttribute("aria-expanded", "false");
});
field.addEventListener("focus", () => {
  if (field.value.trim() !== "") search();
});
field.addEventListener("keydown", (event) => {
  const last = Math.min(found.length, MOST_FOUND) - 1;
  if (event.key === "Enter" && marked >= 0) take(found[marked]);
  else if (event.key === "ArrowDown" && last >= 0) mark(Math.min(marked + 1, last));
  else if (event.key === "ArrowUp" && last >= 0) mark(Math.max(marked - 1, 0));
  else if (event.key === "Escape") endSearch();
  else return;
  event.preventDefault();
  event.stopPropagation();
});
