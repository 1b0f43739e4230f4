"use strict";
// Draws the figures of the page. Names of groups and columns reach the page only through textContent.
(() => {
  const report = JSON.parse(document.getElementById("report-data").textContent);
  const element = (id) => document.getElementById(id);
  const drawn = new Map();
  const touch = window.matchMedia("(pointer: coarse)").matches;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  // Buttons are listed, not removed: plotly's own choice has one that sends the data to a server.
  const config = (layout) => ({
    responsive: true,
    displaylogo: false,
    displayModeBar: touch ? false : "hover",
    modeBarButtons: [["toImage", layout.scene ? "resetCameraDefault3d" : "resetScale2d"]],
    plotlyServerURL: "",
  });

  // Colours of the screen, light or dark, are the style sheet's.
  function screen() {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    return { ink: color("--ink"), quiet: color("--quiet"), line: color("--line"), card: color("--card") };
  }

  function themedLayout(layout) {
    const { ink, quiet, line, card } = screen();
    const clear = "rgba(0,0,0,0)";
    const themed = {
      ...layout,
      autosize: true,
      // A drag on a touch screen scrolls the page instead of zooming a chart.
      dragmode: layout.scene ? "orbit" : touch ? false : "zoom",
      paper_bgcolor: clear,
      plot_bgcolor: clear,
      font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: ink },
      hoverlabel: { bgcolor: card, bordercolor: line, font: { color: ink }, namelength: -1 },
      modebar: { bgcolor: clear, color: quiet, activecolor: ink },
    };
    const axis = { gridcolor: line, zerolinecolor: line, linecolor: line, tickcolor: line };
    for (const key of Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name))) {
      themed[key] = { ...axis, ...layout[key] };
    }
    if (layout.scene) {
      themed.scene = { ...layout.scene, bgcolor: clear };
      for (const key of ["xaxis", "yaxis", "zaxis"]) {
        themed.scene[key] = { ...axis, color: quiet, showbackground: false, zerolinecolor: quiet, ...layout.scene[key] };
      }
    }
    if (layout.shapes) {
      themed.shapes = layout.shapes.map((shape) => ({ ...shape, line: { ...shape.line, color: quiet } }));
    }
    return themed;
  }

  // The darker blue is dim on a dark screen, the lighter one on a light screen: there they change places.
  const blues = { "#0072B2": "#56B4E9", "#56B4E9": "#0072B2" };
  function recolored(value, key) {
    if (key === "color") return blues[value] || value;
    if (Array.isArray(value) || value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, recolored(entry, name)]));
  }

  function themedTrace(trace) {
    const { ink } = screen();
    const shown = dark.matches ? recolored(trace) : trace;
    return shown.error_x ? { ...shown, error_x: { color: ink, ...shown.error_x } } : shown;
  }

  function draw(div, figure) {
    drawn.set(div, figure);
    return Plotly.react(div, figure.data.map(themedTrace), themedLayout(figure.layout), config(figure.layout));
  }

  function options(select, names) {
    select.replaceChildren(...names.map((name, place) => {
      const option = document.createElement("option");
      option.value = String(place);
      option.textContent = name;
      return option;
    }));
    select.parentElement.hidden = names.length < 2;
  }

  function node(tag, parent, text = "") {
    const made = document.createElement(tag);
    made.textContent = text;
    parent.append(made);
    return made;
  }

  function addPanel(grid, panel) {
    const figure = node("figure", grid);
    figure.className = "card";
    const caption = node("figcaption", figure);
    node("bdi", node("h3", caption), panel.name);
    if (panel.explained) node("span", caption, `explains ${panel.explained}`);
    const chart = node("div", figure);
    chart.className = "chart square";
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", `Predicted against true values of ${panel.name}`);
    return chart;
  }

  function drawPanels(page) {
    const grid = element("panels");
    for (const chart of grid.querySelectorAll(".chart")) {
      Plotly.purge(chart);
      drawn.delete(chart);
    }
    grid.replaceChildren();
    // All cards first: a chart takes the size that its card has when it is drawn, and one more card makes all others narrower.
    const shown = report.panels.slice(page * report.perPage, (page + 1) * report.perPage);
    const charts = shown.map((panel) => addPanel(grid, panel));
    charts.forEach((chart, place) => draw(chart, shown[place].figure));
  }

  function preparePanels() {
    const pages = element("panels-page");
    if (pages) {
      const count = Math.ceil(report.panels.length / report.perPage);
      const last = (page) => Math.min((page + 1) * report.perPage, report.panels.length);
      options(pages, Array.from({ length: count }, (_, page) => `${page * report.perPage + 1} to ${last(page)}`));
      pages.addEventListener("change", () => drawPanels(Number(pages.value)));
    }
    drawPanels(0);
  }

  function prepareOrbit() {
    const [groups, outputs, angle] = ["orbit-group", "orbit-output", "orbit-angle"].map(element);
    const [inputs, vector, component] = ["orbit-inputs", "orbit-vector", "orbit-component"].map(element);
    const play = element("orbit-play");
    let timer = 0;
    const orbit = () => report.orbits[Number(groups.value)];

    // The arrow of path k is the trace that many places after it.
    function point(figure, place) {
      for (let k = 0; k < figure.paths; k++) {
        for (const axis of ["x", "y", "z"]) figure.data[figure.paths + k][axis] = [0, figure.data[k][axis][place]];
      }
      return figure;
    }

    function move() {
      const place = Number(angle.value);
      const now = orbit();
      draw(inputs, point(now.inputs, place));
      vector.parentElement.hidden = !now.vector;
      component.parentElement.classList.toggle("whole", Boolean(now.vector));
      if (now.vector) draw(vector, point(now.vector, place));
      const chosen = now.outputs[Number(outputs.value)];
      if (chosen) {
        Object.assign(chosen.figure.layout.shapes[0], { x0: now.values[place], x1: now.values[place] });
        draw(component, chosen.figure);
      }
      angle.setAttribute("aria-valuetext", now.labels[place]);
      element("orbit-readout").textContent = `At ${now.labels[place]}, f(gx) and g f(x) differ by an error of ${now.errors[place]}.`;
    }

    function enter() {
      const now = orbit();
      options(outputs, now.outputs.map((output) => output.name));
      outputs.value = String(now.first);
      angle.max = String(now.values.length - 1);
      angle.value = "0";
      move();
    }

    function toggle() {
      const on = !timer;
      if (on) {
        timer = setInterval(() => {
          angle.value = String((Number(angle.value) + 1) % (Number(angle.max) + 1));
          move();
        }, 80);
      } else {
        timer = clearInterval(timer) || 0;
      }
      play.textContent = on ? "Stop" : "Play";
      play.setAttribute("aria-pressed", String(on));
    }

    options(groups, report.orbits.map((view) => view.group));
    groups.addEventListener("change", enter);
    outputs.addEventListener("change", move);
    angle.addEventListener("input", move);
    play.addEventListener("click", toggle);
    enter();
  }

  for (const [id, figure] of Object.entries(report.figures)) draw(element(id), figure);
  if (report.panels.length) preparePanels();
  if (report.orbits.length) prepareOrbit();
  dark.addEventListener("change", () => {
    for (const [div, figure] of drawn) draw(div, figure);
  });
})();
