"use strict";
// Shared by the pages of a report. Text from files is only ever set as text, never parsed as HTML.

const report = { data: new Map(), waiting: new Map() };

/* Each data file calls this function with its name and its content. */
function vmevalkitData(name, content) {
  const waiting = report.waiting.get(name);
  if (waiting) {
    report.waiting.delete(name);
    waiting(content);
  }
}

/* Load a data file by a script element: a page that was opened from a file may not fetch. */
function loadData(name) {
  if (!report.data.has(name)) {
    report.data.set(name, new Promise((resolve, reject) => {
      report.waiting.set(name, resolve);
      const script = document.createElement("script");
      script.src = `data/${name}.js`;
      script.onerror = () => reject(new Error(`data/${name}.js is missing`));
      script.onload = () => script.remove();
      document.head.append(script);
    }));
  }
  return report.data.get(name);
}

/* Make an element. Keys that start with "on" are listeners; null and undefined are left out. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/* A path inside the report as a URL: names may contain "%", "#" or "?". */
function linkTo(path) {
  return path.split("/").map(encodeURIComponent).join("/");
}

function questionLink(key) {
  return `question.html#${linkTo(key)}`;
}

function words(name) {
  return name.replaceAll("_", " ");
}

/* The name of a model; a baseline is marked, so that nobody takes it for a model. */
function makeModelName(model, sample, baselines) {
  return make("span", { title: model, class: baselines.includes(model) ? "is-baseline" : null }, `${model}${sample}`);
}

function makeChip(value, passed, mode) {
  if (value === null || value === undefined) return make("span", { class: "chip" }, "unscored");
  const label = passed === 1 || passed === true ? "pass" : "fail";
  const text = label === "fail" && mode && mode !== "none" ? `${value} · ${words(mode)}` : `${value} · ${label}`;
  return make("span", { class: `chip ${label}`, title: `value ${value} of 5, ${label}` }, text);
}

function isTyping(event) {
  return event.target.closest && event.target.closest("input, select, textarea");
}

function showProblem(place, error) {
  place.replaceChildren(make("p", { class: "note" }, `The data of this page cannot be loaded: ${error.message}.`));
}
