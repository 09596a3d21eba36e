// The panel beside the drawing: parents and children, distribution and parameters of the chosen node.

const panel = byId("details");

function showDetails(i) {
  const node = nodes[i];
  const close = make("button", { type: "button", "aria-label": "Close", title: "Close (Escape)" }, "×");
  close.addEventListener("click", () => choose(null));
  const heading = make("h2", { tabindex: -1 }, node.name);
  panel.replaceChildren(make("div", { class: "top" }, heading, close));
  if (node.class !== "other") panel.append(make("p", { class: "quiet" }, `${node.class} node`));
  panel.append(...neighbours("Parents", node.parents, (other) => arcBetween(other, i)));
  panel.append(...neighbours("Children", node.children, (other) => arcBetween(i, other)));
  const about = node.details;
  if (about?.bars) panel.append(make("h3", {}, "Distribution"), bars(about.bars), source(about));
  if (about?.histogram) panel.append(make("h3", {}, "Distribution"), histogram(about.histogram), source(about));
  if (about?.table) panel.append(...parameters(about.table, Boolean(about.histogram)));
  if (!about && network.note) panel.append(make("p", { class: "quiet" }, network.note));
  panel.hidden = false;
  panel.scrollTop = 0;
}

function neighbours(title, list, arc) {
  if (list.length === 0) return [make("h3", {}, title), make("p", { class: "quiet" }, "none")];
  const items = list.map((other) => {
    const button = make("button", { type: "button" }, nodes[other].name);
    const { strength } = arc(other);
    if (strength !== undefined) button.append(make("span", { class: "share", title: "arc strength" }, percent(strength)));
    button.addEventListener("click", () => {
      choose(other, true);
      panel.querySelector("h2").focus();
    });
    return make("li", {}, button);
  });
  return [make("h3", {}, `${title} (${list.length})`), make("ul", { class: "near-nodes" }, ...items)];
}

function source(about) {
  return make("p", { class: "quiet" }, about.source);
}

function bars({ levels, shares, more }) {
  const most = Math.max(...shares, 1e-12);
  const list = make("dl", { class: "bars" });
  for (const [k, level] of levels.entries()) {
    const bar = make("span");
    bar.style.width = `${(100 * shares[k]) / most}%`;
    list.append(make("dt", { title: level }, level),
      make("dd", {}, make("div", { class: "track" }, bar), make("span", { class: "value" }, percent(shares[k]))));
  }
  if (more === 0) return list;
  return make("div", {}, list, make("p", { class: "quiet" }, `and ${count(more, "less probable level")}`));
}

function histogram({ edges, shares, mean, sd }) {
  const [width, height, base] = [340, 130, 104];
  const [low, high] = [edges[0], edges.at(-1)];
  const most = Math.max(...shares, 1e-12);
  const at = (value) => 6 + ((value - low) / (high - low || 1)) * (width - 12);
  const chart = makeSvg("svg", {
    class: "histogram", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Histogram: mean ${mean}, standard deviation ${sd}`,
  });
  for (const [k, share] of shares.entries()) {
    const tall = (share / most) * (base - 8);
    const wide = Math.max(at(edges[k + 1]) - at(edges[k]) - 0.6, 0.5);
    chart.append(makeSvg("rect", { x: at(edges[k]).toFixed(2), y: (base - tall).toFixed(2), width: wide.toFixed(2), height: tall.toFixed(2) }));
  }
  chart.append(makeSvg("line", { x1: 0, x2: width, y1: base + 0.5, y2: base + 0.5 }));
  const ticks = high > low ? [low, (low + high) / 2, high] : [low];
  for (const [k, value] of ticks.entries()) {
    const anchor = ticks.length === 1 ? "start" : ["start", "middle", "end"][k];
    chart.append(makeSvg("text", { x: at(value), y: base + 16, "text-anchor": anchor }, Number(value.toPrecision(3)).toString()));
  }
  return make("div", {}, chart, make("p", {}, `mean ${mean}, standard deviation ${sd}`));
}

function parameters(table, continuous) {
  const found = [make("h3", { id: "parameters" }, continuous ? "Regression" : "Probabilities")];
  const single = table.given === 0 && table.rows.length === 1;
  const body = single
    ? table.columns.map((name, k) => make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "number" }, table.rows[0][k])))
    : table.rows.map((row) => make("tr", {}, ...row.map((value, k) => cell(value, k >= table.given, !continuous))));
  const parts = [make("tbody", {}, ...body)];
  if (!single) {
    const heads = table.columns.map((name, k) => make("th", { scope: "col", class: k >= table.given ? "number" : "" }, name));
    parts.unshift(make("thead", {}, make("tr", {}, ...heads)));
  }
  found.push(make("div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": "parameters" }, make("table", {}, ...parts)));
  const words = [];
  if (table.total > table.rows.length) words.push(`The first ${table.rows.length} of ${count(table.total, "configuration")} of its discrete parents.`);
  if (table.more > 0) words.push(`${count(table.more, "more level")} without a column here.`);
  if (table.unseen > 0) words.push(`${count(table.unseen, "configuration")} without parameters: the data showed ${table.unseen === 1 ? "it" : "them"} never, or in too few rows.`);
  if (words.length > 0) found.push(make("p", { class: "quiet" }, words.join(" ")));
  return found;
}

function cell(value, isNumber, isShare) {
  const made = make("td", { class: isNumber ? `number ${isShare ? "share" : ""}` : "" }, value);
  if (isNumber && isShare) made.style.setProperty("--share", `${100 * Number(value)}%`);
  return made;
}
