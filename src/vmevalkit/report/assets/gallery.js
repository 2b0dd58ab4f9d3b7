"use strict";
// The gallery: filters, sorting, pages, and a URL hash that names the view.

(() => {
  const PAGE = 48;
  const DEFAULTS = { q: "", model: "", task: "", verdict: "", mode: "", level: "", tag: "", low: "1", high: "5", judge: "", right: "", wrong: "", sort: "question", page: "1" };
  const [QUESTION, MODEL, SAMPLE, THUMB, VIDEO, , VERDICTS, REASON] = [0, 1, 2, 3, 4, 5, 6, 7];
  const grid = document.getElementById("grid");
  const count = document.getElementById("count");
  const form = document.getElementById("filters");
  let index = null;
  let rows = [];
  let state = { ...DEFAULTS };
  let found = [];

  function readHash() {
    const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    return Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, given[name] ?? DEFAULTS[name]]));
  }

  function writeHash(next, replace) {
    const parts = new URLSearchParams();
    for (const name of Object.keys(DEFAULTS)) if (next[name] !== DEFAULTS[name]) parts.set(name, next[name]);
    const hash = `#${parts}`;
    if (hash === (location.hash || "#")) return;
    if (replace) location.replace(hash);
    else location.hash = hash;
  }

  function prepare(row) {
    const question = index.questions[row[QUESTION]];
    const texts = row[VERDICTS].map((verdict) => verdict[5]).join(" ");
    return {
      row,
      question,
      key: question[1],
      text: `${question[1]} ${index.models[row[MODEL]]} ${index.prompts[question[3]]} ${texts} ${row[REASON]}`.toLowerCase(),
    };
  }

  /* The verdict of the chosen judge; without a choice the first scorer of the report. */
  function verdictOf(item, judge) {
    return item.row[VERDICTS].find((verdict) => verdict[0] === judge) ?? null;
  }

  /* The videos of questions that one model gets right and another one wrong, side by side. */
  function findPair(judge) {
    const [right, wrong] = [state.right, state.wrong].map((name) => index.models.indexOf(name));
    const kept = new Map();
    for (const item of rows) {
      const verdict = verdictOf(item, judge);
      const passed = verdict && verdict[1] !== null ? verdict[2] : -1;
      const isRight = item.row[MODEL] === right && passed === 1;
      const isWrong = item.row[MODEL] === wrong && passed === 0;
      if (!isRight && !isWrong) continue;
      const key = `${item.key} ${item.row[SAMPLE]}`;
      const pair = kept.get(key) ?? {};
      pair[isRight ? "right" : "wrong"] = item;
      kept.set(key, pair);
    }
    return new Set([...kept.values()].filter((pair) => pair.right && pair.wrong).flatMap((pair) => [pair.right, pair.wrong]));
  }

  function select() {
    const judge = state.judge === "" ? 0 : index.judges.indexOf(state.judge);
    const model = index.models.indexOf(state.model);
    const task = index.domains.indexOf(state.task);
    const mode = index.modes.indexOf(state.mode);
    const level = index.levels.indexOf(state.level);
    const tag = index.tags.indexOf(state.tag);
    const low = Number(state.low);
    const high = Number(state.high);
    const limited = low > 1 || high < 5;
    const needles = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = [];
    const pair = state.right && state.wrong ? findPair(judge) : null;
    for (const item of rows) {
      if (pair && !pair.has(item)) continue;
      if (state.model && item.row[MODEL] !== model) continue;
      if (state.task && item.question[0] !== task) continue;
      if (state.level && item.question[4] !== level) continue;
      if (state.tag && !item.question[5].includes(tag)) continue;
      const verdict = verdictOf(item, judge);
      const value = verdict ? verdict[1] : null;
      const passed = verdict && value !== null ? verdict[2] : -1;
      if (state.verdict === "pass" && passed !== 1) continue;
      if (state.verdict === "fail" && passed !== 0) continue;
      if (state.verdict === "unscored" && value !== null) continue;
      if (state.mode && (!verdict || value === null || verdict[3] !== mode)) continue;
      if (limited && (value === null || value < low || value > high)) continue;
      if (!needles.every((needle) => item.text.includes(needle))) continue;
      chosen.push({ item, verdict, value: value ?? 0, passed });
    }
    const outcome = (each) => (each.verdict && each.verdict[4] >= 0 ? each.verdict[4] : -1);
    const order = {
      best: (a, b) => b.value - a.value || outcome(b) - outcome(a),
      worst: (a, b) => (a.value || 9) - (b.value || 9) || outcome(a) - outcome(b),
      model: (a, b) => a.item.row[MODEL] - b.item.row[MODEL],
    }[state.sort];
    if (order) chosen.sort(order);
    return chosen;
  }

  function makeCard({ item, verdict }) {
    const { row } = item;
    const model = index.models[row[MODEL]];
    const value = verdict ? verdict[1] : null;
    const picture = make("div", { class: "picture" });
    if (row[THUMB]) {
      picture.append(make("img", { src: linkTo(row[THUMB]), alt: "", loading: "lazy", decoding: "async", width: 320, height: 240 }));
    } else {
      picture.append(make("span", {}, row[REASON] || "no video"));
    }
    const why = value === null ? (verdict && verdict[5]) || row[REASON] || "not scored by this scorer" : verdict[5];
    const sample = row[SAMPLE] ? ` (${row[SAMPLE] + 1})` : "";
    const card = make("a", { class: "card", href: questionLink(item.key) }, picture, make("div", { class: "words" },
      make("div", { class: "name" }, makeModelName(model, sample, index.baselines),
        makeChip(value, verdict ? verdict[2] : null, verdict ? index.modes[verdict[3]] : "")),
      make("div", { class: "small soft" }, item.key),
      make("div", { class: "why" }, why)));
    if (row[VIDEO]) {
      card.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") preview(picture, row[VIDEO]); });
      card.addEventListener("pointerleave", () => picture.querySelector("video")?.remove());
    }
    return make("li", {}, card);
  }

  function preview(picture, video) {
    if (picture.querySelector("video") || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const player = make("video", { src: linkTo(video), muted: true, loop: true, playsinline: true, tabindex: -1, "aria-hidden": "true" });
    player.muted = true;
    picture.append(player);
    player.play().catch(() => player.remove());
  }

  function render() {
    found = select();
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    const page = Math.min(Math.max(1, Number(state.page) || 1), pages);
    const first = (page - 1) * PAGE;
    grid.replaceChildren(...found.slice(first, first + PAGE).map(makeCard));
    const number = (value) => value.toLocaleString("en");
    count.textContent = found.length
      ? `${number(found.length)} of ${number(rows.length)} videos; ${number(first + 1)} to ${number(Math.min(first + PAGE, found.length))} shown`
      : `None of ${number(rows.length)} videos match. Change or reset the filters.`;
    for (const pager of document.querySelectorAll(".pager")) {
      pager.querySelector("output").textContent = `page ${page} of ${pages}`;
      pager.querySelector("[data-go='-1']").disabled = page === 1;
      pager.querySelector("[data-go='1']").disabled = page === pages;
    }
    for (const [name, value] of Object.entries(state)) {
      const field = form.elements.namedItem(name);
      if (field && field !== document.activeElement) field.value = value;
      if (field && field.tagName === "SELECT") field.value = value;
    }
    state.page = String(page);
  }

  function go(step) {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    const page = Math.min(Math.max(1, Number(state.page) + step), pages);
    if (String(page) === state.page) return false;
    writeHash({ ...state, page: String(page) });
    return true;
  }

  function fill(name, names, all) {
    const field = form.elements.namedItem(name);
    field.replaceChildren(make("option", { value: "" }, all),
      ...names.filter(Boolean).map((each) => make("option", { value: each }, words(each))));
    field.closest("label").hidden = names.filter(Boolean).length < 2;
  }

  function moveFocus(event) {
    const cards = [...grid.querySelectorAll(".card")];
    const place = cards.indexOf(document.activeElement);
    if (place < 0) {
      if (event.key === "ArrowRight") cards[0]?.focus();
      return event.key === "ArrowRight";
    }
    const columns = getComputedStyle(grid).gridTemplateColumns.split(" ").length;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    const target = cards[place + step];
    if (target) target.focus();
    else if (go(step < 0 ? -1 : 1)) addEventListener("hashchange", () => grid.querySelector(".card")?.focus(), { once: true });
    return true;
  }

  form.addEventListener("input", (event) => {
    const next = { ...state, page: "1", [event.target.name]: event.target.value };
    writeHash(next, event.target.name === "q");
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    form.elements.namedItem("q").value = "";
    writeHash({ ...DEFAULTS });
  });
  addEventListener("hashchange", () => {
    if (!index) return;
    const before = state.page;
    state = readHash();
    render();
    if (before !== state.page) document.getElementById("top").scrollIntoView();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !isTyping(event)) {
      event.preventDefault();
      form.elements.namedItem("q").focus();
    } else if (event.key === "Escape" && isTyping(event)) {
      event.target.blur();
    } else if (event.key.startsWith("Arrow") && !isTyping(event) && !event.altKey && !event.metaKey && !event.ctrlKey) {
      if (moveFocus(event)) event.preventDefault();
    }
  });
  for (const button of document.querySelectorAll(".pager button")) button.addEventListener("click", () => go(Number(button.dataset.go)));

  /* The place in a long page is kept for the back button. */
  addEventListener("pagehide", () => history.replaceState({ scroll: scrollY }, ""));

  async function start() {
    index = await loadData("index");
    fill("model", index.models, "all models");
    fill("right", index.models, "any");
    fill("wrong", index.models, "any");
    fill("task", index.domains, "all tasks");
    fill("mode", index.modes.filter((mode) => mode && mode !== "none"), "any failure");
    fill("level", index.levels, "any difficulty");
    fill("tag", [...index.tags].sort(), "any tag");
    fill("judge", index.judges, index.judges[0] ?? "no scorer");
    const files = Array.from({ length: index.files.videos }, (_, number) => loadData(`videos-${String(number).padStart(3, "0")}`));
    for (const file of files) {
      const part = await file;
      rows.push(...part.map(prepare));
    }
    state = readHash();
    render();
    document.body.dataset.ready = "yes";
    if (location.hash === "#search") form.elements.namedItem("q").focus();
    if (history.state?.scroll) scrollTo({ top: history.state.scroll, behavior: "instant" });
  }
  start().catch((error) => showProblem(count, error));
})();
