"use strict";
// One question with all its videos: playing, frame stepping, timelines that seek.

(() => {
  const main = document.getElementById("question");
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 1000;
  const HEIGHT = 80;
  let index = null;
  let players = [];
  let speed = 1;
  let view = {};       // what the address names besides the question: models, size, time
  let allVideos = [];
  const MANY = 4;      // of more videos than this, small ones are shown at first

  function draw(tag, attributes) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }

  function seconds(value) {
    return `${value.toFixed(2)} s`;
  }

  /* A video with its frame rate. Stepping goes to the middle of a frame, where rounding cannot miss it. */
  class Player {
    constructor(info) {
      this.fps = info.fps || 24;
      this.length = info.seconds || 0;
      this.element = make("video", { src: linkTo(info.video), poster: info.thumb ? linkTo(info.thumb) : null, preload: "none",
        playsinline: true, tabindex: 0, "aria-label": `Video of ${info.model}` });
      this.element.muted = true;
      this.heads = [];
      this.clock = make("span", { class: "clock" }, "");
      for (const name of ["timeupdate", "seeked", "loadedmetadata"]) this.element.addEventListener(name, () => this.show());
      this.button = make("button", { type: "button", class: "play", onclick: () => this.toggle() }, "Play");
      this.element.addEventListener("click", () => this.toggle());
      for (const name of ["pause", "ended"]) this.element.addEventListener(name, () => { this.button.textContent = "Play"; });
      for (const name of ["pause", "seeked"]) this.element.addEventListener(name, () => {
        if (this.element.paused) setView({ t: this.element.currentTime.toFixed(2) });
      });
      this.element.addEventListener("play", () => { this.button.textContent = "Pause"; });
      this.element.addEventListener("play", () => { this.element.playbackRate = speed; this.follow(); });
    }

    get duration() {
      return Number.isFinite(this.element.duration) ? this.element.duration : this.length;
    }

    toggle() {
      if (this.element.paused) this.element.play();
      else this.element.pause();
    }

    follow() {
      this.show();
      if (!this.element.paused) requestAnimationFrame(() => this.follow());
    }

    show() {
      const now = this.element.currentTime;
      const frame = Math.floor(now * this.fps + 0.01);
      this.clock.textContent = `${seconds(now)} · frame ${frame}`;
      for (const head of this.heads) {
        const x = this.duration ? (now / this.duration) * WIDTH : 0;
        head.setAttribute("x1", x);
        head.setAttribute("x2", x);
      }
    }

    async ready() {
      if (this.element.readyState >= 1) return;
      this.element.preload = "auto";
      this.element.load();
      await new Promise((resolve) => this.element.addEventListener("loadedmetadata", resolve, { once: true }));
    }

    async seek(time) {
      await this.ready();
      this.element.pause();
      this.element.currentTime = Math.min(Math.max(0, time), Math.max(0, this.duration - 0.001));
    }

    async step(frames) {
      await this.ready();
      const frame = Math.floor(this.element.currentTime * this.fps + 0.01) + frames;
      await this.seek((Math.max(0, frame) + 0.5) / this.fps);
    }
  }

  function makeTimeline(player, verdict) {
    const length = player.duration || 1;
    const x = (time) => (time / length) * WIDTH;
    const y = (progress) => HEIGHT - 8 - progress * (HEIGHT - 16);
    const picture = draw("svg", { class: "timeline", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
    const title = draw("title", {});
    title.textContent = "Progress to the answer over time. Click to seek.";
    picture.append(title);
    const line = verdict.timeline;
    if (line) {
      line.t.forEach((time, place) => {
        if (line.s[place] && line.s[place] !== "r") {
          const next = line.t[place + 1] ?? length;
          picture.append(draw("rect", { class: "unread", x: x(time), y: 0, width: Math.max(1, x(next) - x(time)), height: HEIGHT }));
        }
      });
      let part = [];
      const flush = () => {
        if (part.length) picture.append(draw("polyline", { class: "progress", points: part.join(" ") }));
        part = [];
      };
      line.t.forEach((time, place) => {
        if (line.p[place] === null) flush();
        else part.push(`${x(time).toFixed(1)},${y(line.p[place]).toFixed(1)}`);
      });
      flush();
    }
    const mark = (time, name) => picture.append(draw("line", { class: name, x1: x(time), x2: x(time), y1: 0, y2: HEIGHT }));
    if (verdict.solved_at_s !== null) mark(verdict.solved_at_s, "solved");
    for (const finding of verdict.findings ?? []) if (finding.seconds !== null) mark(finding.seconds, finding.gating ? "found" : "note");
    const head = draw("line", { class: "head", x1: 0, x2: 0, y1: 0, y2: HEIGHT });
    picture.append(head);
    player.heads.push(head);
    const seek = (event) => {
      const box = picture.getBoundingClientRect();
      player.seek(((event.clientX - box.left) / box.width) * length);
    };
    picture.addEventListener("pointerdown", (event) => { picture.setPointerCapture(event.pointerId); seek(event); });
    picture.addEventListener("pointermove", (event) => { if (event.buttons) seek(event); });
    return picture;
  }

  function makeFindings(player, verdict) {
    const items = (verdict.findings ?? []).map((finding) => make("li", { class: finding.gating ? "gating" : null },
      finding.seconds === null ? null : make("button", { type: "button", disabled: !player, title: "Show this moment",
        onclick: () => player.seek(finding.seconds) }, seconds(finding.seconds)),
      make("span", {}, `${words(finding.name)}: ${finding.detail}`)));
    if (verdict.solved_at_s !== null && verdict.solved_at_s !== undefined) {
      items.push(make("li", {}, make("button", { type: "button", disabled: !player, title: "Show this moment",
        onclick: () => player.seek(verdict.solved_at_s) }, seconds(verdict.solved_at_s)), make("span", {}, "the answer is reached and stays")));
    }
    return items.length ? make("ul", { class: "findings", "aria-label": "Findings" }, ...items) : null;
  }

  function makeMetrics(verdict) {
    const names = Object.keys(verdict.metrics ?? {});
    const share = (value) => (value === null || value === undefined ? "–" : value.toFixed(2));
    const rows = [["outcome", share(verdict.outcome)], ["process", share(verdict.process)],
      ...names.map((name) => [words(name), String(verdict.metrics[name])])];
    return make("details", {}, make("summary", {}, "Measurements"), make("dl", { class: "facts" },
      ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
  }

  function makeVerdict(player, verdict, isOnly) {
    const name = verdict.annotator ? `${verdict.scorer} · ${verdict.annotator}` : verdict.scorer;
    const passed = verdict.passed ?? (verdict.value === null ? null : verdict.value >= 4);
    return make("div", { class: "judges" },
      isOnly ? null : make("p", {}, make("strong", {}, name), " ", makeChip(verdict.value, passed, verdict.failure_mode)),
      make("p", { class: "soft" }, verdict.value === null ? `Unscored: ${verdict.reason ?? "no reason is given"}` : verdict.explanation),
      player && verdict.value !== null && (verdict.timeline || (verdict.findings ?? []).length || verdict.solved_at_s !== null)
        ? makeTimeline(player, verdict) : null,
      makeFindings(player, verdict),
      verdict.value === null ? null : makeMetrics(verdict));
  }

  function makeVideo(info) {
    const player = info.video ? new Player(info) : null;
    if (player) players.push(player);
    const first = info.verdicts.find((verdict) => verdict.value !== null) ?? info.verdicts[0];
    const passed = first ? first.passed ?? (first.value === null ? null : first.value >= 4) : null;
    const screen = make("div", { class: "screen" });
    if (player) screen.append(player.element);
    else if (info.thumb) screen.append(make("img", { src: linkTo(info.thumb), alt: `Last frame of ${info.model}`, loading: "lazy" }));
    else screen.append(make("span", {}, info.reason || info.problem || "no video"));
    const facts = [info.size ? `${info.size[0]}×${info.size[1]}` : "", info.fps ? `${info.fps.toFixed(3).replace(/\.?0+$/, "")} fps` : "",
      info.seconds ? seconds(info.seconds) : "", info.took ? `made in ${info.took.toFixed(1)} s` : "",
      info.cost ? `${info.cost.toFixed(2)} USD` : "", info.variant && info.variant !== "default" ? `prompt ${info.variant}` : ""];
    const sample = info.sample ? ` (sample ${info.sample + 1})` : "";
    return make("article", { class: "video", "data-model": info.model },
      make("header", {}, make("h3", {}, makeModelName(info.model, sample, index.baselines)), makeChip(first ? first.value : null, passed, first ? first.failure_mode : "")),
      screen,
      player ? make("div", { class: "controls" }, player.button,
        make("button", { type: "button", title: "One frame back", "aria-label": "One frame back", "data-step": "-1", onclick: () => player.step(-1) }, "‹ frame"),
        make("button", { type: "button", title: "One frame on", "aria-label": "One frame on", "data-step": "1", onclick: () => player.step(1) }, "frame ›"),
        make("button", { type: "button", onclick: () => player.element.requestFullscreen() }, "full screen"),
        player.clock) : null,
      info.reason && info.thumb ? make("p", { class: "soft" }, info.reason) : null,
      info.note ? make("p", { class: "soft" }, info.note) : null,
      ...info.verdicts.map((verdict) => makeVerdict(player, verdict, info.verdicts.length === 1)),
      ...info.strips.map(([scorer, path, width, height]) => make("div", { class: "strip", tabindex: 0, role: "group",
        "aria-label": scorer ? `Evidence strip of ${scorer}` : "Filmstrip" },
        make("img", { src: linkTo(path), width, height, alt: scorer ? `Frames that ${scorer} judged` : "Frames of the video", loading: "lazy" }))),
      make("p", { class: "small soft" }, facts.filter(Boolean).join(" · ")));
  }

  function makeFrame(path, size, label) {
    return path ? make("figure", {}, make("img", { src: linkTo(path), alt: label, width: size ? size[0] : null, height: size ? size[1] : null }),
      make("figcaption", {}, label)) : null;
  }

  /* A value of a parameter as words: true is yes, a list is its members, a record its names and values. */
  function describe(value) {
    if (value === true || value === false) return value ? "yes" : "no";
    if (value === null) return "none";
    if (Array.isArray(value)) {
      return value.map((each) => (Array.isArray(each) ? `(${describe(each)})` : describe(each))).join(", ");
    }
    if (typeof value === "object") return Object.entries(value).map(([name, each]) => `${words(name)} ${describe(each)}`).join("; ");
    return typeof value === "string" ? words(value) : String(value);
  }

  function readAddress() {
    const [path, query] = location.hash.slice(1).split("?");
    view = Object.fromEntries(new URLSearchParams(query ?? ""));
    return path.split("/").map(decodeURIComponent).join("/");
  }

  /* Change what the address names, without a new entry in the history: a copied address shows the same models and moment. */
  function setView(changes) {
    view = { ...view, ...changes };
    for (const name of Object.keys(view)) if (!view[name]) delete view[name];
    const query = new URLSearchParams(view).toString();
    const hash = location.hash.split("?")[0];
    history.replaceState(history.state, "", `${hash || `#${linkTo(document.body.dataset.ready)}`}${query ? `?${query}` : ""}`);
  }

  function isSmall() {
    return view.size ? view.size === "small" : allVideos.length > MANY;
  }

  function listChosen() {
    const names = [...new Set(allVideos.map((info) => info.model))];
    const wanted = new Set((view.models ?? "").split("|").filter(Boolean));
    const chosen = names.filter((name) => wanted.has(name));
    return chosen.length ? chosen : names;
  }

  /* Show the chosen models alone, and small or large. Players of hidden videos rest. */
  function arrange() {
    const chosen = new Set(listChosen());
    const box = main.querySelector(".videos");
    box.classList.toggle("small", isSmall());
    box.replaceChildren();
    players = [];
    box.append(...allVideos.filter((info) => chosen.has(info.model)).map(makeVideo));
    main.querySelector("#play-all").hidden = players.length === 0;
  }

  function makePicker() {
    const names = [...new Set(allVideos.map((info) => info.model))];
    if (names.length < 2) return null;
    const chosen = new Set(listChosen());
    const boxes = names.map((name) => make("label", { class: "pick" },
      make("input", { type: "checkbox", value: name, checked: chosen.has(name), onchange: () => choose() }), name));
    const choose = () => {
      const wanted = boxes.map((box) => box.firstChild).filter((box) => box.checked).map((box) => box.value);
      setView({ models: wanted.length === names.length ? "" : wanted.join("|") });
      arrange();
    };
    return make("details", { class: "picker", open: Boolean(view.models) }, make("summary", {}, "models"), make("div", { class: "picks" }, ...boxes));
  }

  function playAll() {
    const paused = players.every((player) => player.element.paused);
    return Promise.all(players.map((player) => player.ready())).then(() => {
      for (const player of players) {
        if (!paused) player.element.pause();
        else {
          if (player.element.ended) player.element.currentTime = 0;
          player.element.play();
        }
      }
    });
  }

  function makeToolbar(place) {
    const change = (event) => {
      speed = Number(event.target.value);
      for (const player of players) player.element.playbackRate = speed;
    };
    const link = (step, text) => {
      const other = index.questions[place + step];
      return other ? make("a", { href: questionLink(other[1]), rel: step < 0 ? "prev" : "next", title: other[1] }, text) : null;
    };
    const all = make("button", { type: "button", id: "play-all", onclick: playAll }, "Play or pause all");
    const size = make("label", {}, "videos", make("select", { id: "size", onchange: (event) => { setView({ size: event.target.value }); arrange(); } },
      ...["small", "large"].map((name) => make("option", { value: name, selected: (name === "small") === isSmall() }, name))));
    return make("div", { class: "toolbar" }, all,
      make("label", {}, "speed", make("select", { id: "speed", onchange: change },
        ...[0.1, 0.25, 0.5, 1, 2].map((value) => make("option", { value, selected: value === speed }, `${value}×`)))), size, makePicker(),
      link(-1, "← previous question"), link(1, "next question →"));
  }

  function show(question, place) {
    for (const player of players) player.element.pause();
    players = [];
    const order = (info) => index.models.indexOf(info.model);
    const sorted = [...question.videos].sort((a, b) => order(a) - order(b) || a.sample - b.sample);
    allVideos = sorted;
    const videos = make("div", { class: "videos" });
    const params = Object.entries(question.params).map(([name, value]) => [words(name), describe(value)]);
    const facts = [["difficulty", question.difficulty ?? ""], ["tags", question.tags.map(words).join(", ")], ...params].filter(([, value]) => value !== "");
    main.replaceChildren(
      make("h1", {}, question.key),
      make("div", { class: "question" },
        make("div", {}, make("p", { class: "prompt" }, question.prompt || "(the prompt is not known)"),
          question.goal ? make("p", {}, `Goal: ${question.goal}`) : null,
          make("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]))),
        make("div", { class: "pair" }, makeFrame(question.first, question.size, "First frame"), makeFrame(question.final, question.size, "Expected final frame"))),
      makeToolbar(place), videos);
    arrange();
    if (view.t) for (const player of players) player.seek(Number(view.t) || 0);
    document.title = `${question.key} · ${index.experiment}`;
    document.body.dataset.ready = question.key;
  }

  async function open() {
    const key = readAddress() || index.questions[0]?.[1];
    const place = index.questions.findIndex((question) => question[1] === key);
    if (place < 0) {
      main.replaceChildren(make("h1", {}, "Question not found"), make("p", {}, `This report has no question ${key}.`),
        make("p", {}, make("a", { href: "gallery.html" }, "All videos")));
      return;
    }
    const file = await loadData(`questions-${String(index.questions[place][2]).padStart(3, "0")}`);
    show(file.find((question) => question.key === key), place);
    scrollTo({ top: 0, behavior: "instant" });
  }

  addEventListener("hashchange", () => { if (index) open().catch((error) => showProblem(main, error)); });
  addEventListener("keydown", (event) => {
    if (isTyping(event) || event.altKey || event.metaKey || event.ctrlKey) return;
    const focused = players.find((player) => player.element.closest(".video").contains(document.activeElement)) ?? players[0];
    if (event.key === "/") {
      event.preventDefault();
      location.href = "gallery.html#search";
    } else if (event.key === "," || event.key === ".") {
      focused?.step(event.key === "," ? -1 : 1);
    } else if (event.key === " " && !document.activeElement.closest("button, summary, a")) {
      event.preventDefault();
      const own = document.activeElement.closest(".video");
      if (own) focused?.toggle();
      else playAll();
    } else if ((event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      main.querySelector(event.key === "ArrowLeft" ? "a[rel=prev]" : "a[rel=next]")?.click();
    }
  });
  loadData("index").then((content) => { index = content; return open(); }).catch((error) => showProblem(main, error));
})();
