"use strict";
// The browser shows the scene and records it, 24 times a second, as the places of its parts. The server draws the video
// from them with the task's own drawing. Parts follow the pointer at a limited speed, so that a video shows the motion.

const FADE_FRAMES = 6;
const TOKEN = document.querySelector("meta[name=play-token]").content;
const $ = (id) => document.getElementById(id);
const board = $("board");
const context = board.getContext("2d");

let question = null, index = 0, images = {}, ground = null;
let parts = new Map();      // by name; a part that was taken away is not here
let targets = new Map();    // where parts are going: {x, y} or {angle}
let fades = new Map();      // looks that cells are getting
let queue = [];             // frames of a legal move that is being made
let moves = [], waitingKey = null, asked = "";
let recording = [], restarts = 0, skipped = [], selected = [], drag = null, began = 0, clock = null;

async function send(path, message) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Play-Token": TOKEN },
    body: JSON.stringify(message),
  });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error);
  return data;
}

function say(text) {
  $("message").textContent = text;
  $("message").hidden = !text;
}

function loadImage(source) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => reject(new Error("a picture of the puzzle cannot be read"));
    image.src = source;
  });
}

async function showNext() {
  document.body.dataset.state = "loading";
  const answer = await send("/api/next", { skipped });
  $("progress").textContent = `${answer.model}: ${answer.done} of ${answer.total} done`;
  $("work").hidden = !answer.question;
  $("end").hidden = Boolean(answer.question);
  if (!answer.question) {
    question = null;
    $("end").innerHTML = "<h2>All questions are done</h2><p>Stop the server with Ctrl+C, then score the videos:</p><p><code></code></p>";
    $("end").querySelector("code").textContent = `vmevalkit score --experiment ${answer.experiment}`;
    document.body.dataset.state = "end";
    return;
  }
  index = answer.index;
  const next = answer.question;
  ground = await loadImage(next.ground);
  images = {};
  for (const [look, sprite] of Object.entries(next.sprites)) images[look] = await loadImage(sprite.png);
  question = next;
  restarts = 0;
  [board.width, board.height] = next.size;
  $("title").textContent = `${next.title}: ${next.id}`;
  $("prompt").textContent = next.prompt;
  showHelp();
  begin();
}

function showHelp() {
  const kinds = Object.values(question.kinds);
  const lines = [];
  if (kinds.some((kind) => kind.moves)) {
    lines.push("Drag a part anywhere; it follows at a limited speed. With <kbd>Alt</kbd> it stays exactly where you drop it.");
    lines.push("<kbd>Shift</kbd> and a click choose several parts, which are dragged together. <kbd>Delete</kbd> takes a part away.");
  }
  if (kinds.some((kind) => kind.turns && !kind.moves)) lines.push("Drag around a part to turn it.");
  if (kinds.some(changesLook)) lines.push("Click a cell, then choose its content below, or press <kbd>1</kbd> to <kbd>9</kbd>; <kbd>0</kbd> empties it.");
  if (question.has_moves) {
    lines.push("Arrow keys make a legal move. Where several parts can move, click one first, or press <kbd>N</kbd> for the next one.");
  }
  lines.push("Nothing stops you from breaking the rules: the video is scored like that of any other model.");
  $("help").innerHTML = lines.map((line) => `<li>${line}</li>`).join("");
}

function begin() {
  parts = new Map(question.parts.map((part) => [part.name, { ...part }]));
  targets.clear(); fades.clear();
  queue = []; recording = []; selected = []; drag = null; asked = ""; waitingKey = null;
  moves = question.has_moves ? null : [];  // null: not known yet, a key waits for them
  began = performance.now();
  clock = null;
  say("");
  showPalette();
  document.body.dataset.state = moves === null ? "asking" : "idle";
}

// -- the clock: a step for each frame of the video ------------------------------------------------------------------

function tick(now) {
  if (question && document.body.dataset.state !== "saving" && document.body.dataset.state !== "loading") {
    if (clock === null) clock = now;
    const length = 1000 / question.fps;
    // A browser that is slow makes the parts slower; it never makes them jump.
    for (let steps = 0; now - clock >= length && steps < 3; steps++, clock += length) step();
    if (now - clock >= length) clock = now;
    draw();
    $("time").textContent = `${(recording.reduce((sum, each) => sum + each.frames, 0) / question.fps).toFixed(0)} s; pauses are shortened in the video`;
  }
  requestAnimationFrame(tick);
}

function step() {
  if (queue.length) {
    parts = new Map(queue.shift().map((part) => [part.name, { ...part }]));
  } else {
    for (const [name, target] of targets) if (approach(parts.get(name), target)) targets.delete(name);
    for (const [name, fade] of fades) if (change(parts.get(name), fade)) fades.delete(name);
  }
  record();
  const busy = queue.length > 0 || targets.size > 0 || fades.size > 0;
  if (!busy) askForMoves();
  document.body.dataset.state = busy ? "busy" : moves === null ? "asking" : "idle";
}

function approach(part, target) {
  if (!part) return true;
  if (target.angle !== undefined) {
    const turn = ((target.angle - part.angle + 540) % 360) - 180;
    const most = question.deg_per_frame;
    part.angle = (part.angle + Math.max(-most, Math.min(most, turn)) + 360) % 360;
    return Math.abs(turn) <= most && !target.held;
  }
  const dx = target.x - part.x, dy = target.y - part.y, length = Math.hypot(dx, dy);
  const share = Math.min(1, (target.most || question.px_per_frame) / (length || 1));
  part.x += share * dx;
  part.y += share * dy;
  return share === 1 && !target.held;
}

function change(part, fade) {
  if (part.look !== fade.look) {
    part.opacity = part.look ? part.opacity - 1 / FADE_FRAMES : 0;
    if (part.opacity > 0.01) return false;
    part.look = fade.look;
    part.opacity = fade.look ? 0 : 1;
    return !fade.look;
  }
  part.opacity = Math.min(1, part.opacity + 1 / FADE_FRAMES);
  return part.opacity === 1;
}

function listParts() {
  const round = (value) => Math.round(value * 10) / 10;
  return [...parts.values()].map((part) => ({
    name: part.name, look: part.look, x: round(part.x), y: round(part.y), angle: round(part.angle),
    opacity: Math.round(part.opacity * 100) / 100,
  }));
}

function record() {
  const shown = listParts(), text = JSON.stringify(shown), last = recording[recording.length - 1];
  if (last && last.text === text) last.frames += 1;
  else recording.push({ text, parts: shown, frames: 1 });
}

function draw() {
  context.globalAlpha = 1;
  context.drawImage(ground, 0, 0);
  for (const part of parts.values()) {
    if (!images[part.look]) continue;
    context.save();
    context.translate(part.x, part.y);
    context.rotate((part.angle * Math.PI) / 180);
    context.globalAlpha = part.opacity;
    context.drawImage(images[part.look], question.sprites[part.look].left, question.sprites[part.look].top);
    context.restore();
  }
  // Which part is chosen is for the person alone: it is not in the video.
  context.strokeStyle = "#2563eb";
  context.lineWidth = 2;
  context.setLineDash([5, 4]);
  for (const name of selected) {
    const part = parts.get(name);
    if (!part) continue;
    const [left, top, width, height] = findBox(part);
    context.save();
    context.translate(part.x, part.y);
    context.rotate((part.angle * Math.PI) / 180);
    context.strokeRect(left - 3, top - 3, width + 6, height + 6);
    context.restore();
  }
  context.setLineDash([]);
}

// -- legal moves, by keys -------------------------------------------------------------------------------------------

async function askForMoves() {
  if (!question.has_moves) return;
  const shown = listParts(), text = JSON.stringify(shown);
  if (text === asked) return;
  asked = text;
  moves = null;
  try {
    const answer = await send("/api/moves", { index, parts: shown });
    if (asked !== text) return;
    moves = answer.moves;
  } catch (error) {
    moves = [];
    say(error.message);
  }
  if (waitingKey) { const key = waitingKey; waitingKey = null; makeMove(key); }
}

function listChanges(move) {
  const last = new Map(move[move.length - 1].map((part) => [part.name, part]));
  const changes = [];
  for (const part of parts.values()) {
    const end = last.get(part.name);
    if (!end) { changes.push({ name: part.name, gone: true, dx: 0, dy: 0, turn: 0 }); continue; }
    // The middle of the move tells which way a part turns.
    const middle = move[Math.floor(move.length / 3)].find((each) => each.name === part.name) || end;
    const turn = ((middle.angle - part.angle + 540) % 360) - 180;
    const change = { name: part.name, gone: false, dx: end.x - part.x, dy: end.y - part.y, turn };
    if (Math.hypot(change.dx, change.dy) > 4 || Math.abs(turn) > 0.5) changes.push(change);
  }
  return changes;
}

function measureFit(change, key) {
  // Return how far the part goes if it goes in the direction of the key; infinity if it does not.
  if (Math.hypot(change.dx, change.dy) <= 4) {
    const forward = key === "ArrowRight" || key === "ArrowDown";
    return change.turn !== 0 && change.turn > 0 === forward ? Math.abs(change.turn) : Infinity;
  }
  const along = { ArrowRight: change.dx, ArrowLeft: -change.dx, ArrowDown: change.dy, ArrowUp: -change.dy }[key];
  const across = key === "ArrowRight" || key === "ArrowLeft" ? change.dy : change.dx;
  const isDirect = Math.abs(across) < 0.7 * along;
  const isSideways = (key === "ArrowRight" || key === "ArrowLeft") && along > 4;
  return isDirect ? along : isSideways ? 1e4 + along : Infinity;
}

function makeMove(key) {
  if (queue.length || targets.size || fades.size || moves === null) { waitingKey = key; return; }
  const fitting = [];
  for (const move of moves) {
    const changes = listChanges(move);
    const own = changes.filter((change) => selected.includes(change.name));
    const fit = Math.min(...(own.length ? own : changes).filter((change) => !change.gone).map((change) => measureFit(change, key)));
    if (fit < Infinity) fitting.push({ move, fit, isChosen: own.length > 0, name: changes[0].name });
  }
  const chosen = fitting.some((each) => each.isChosen) ? fitting.filter((each) => each.isChosen) : fitting;
  chosen.sort((one, two) => one.fit - two.fit);
  if (!chosen.length) { say("No legal move goes that way."); return; }
  if (chosen.length > 1 && !chosen[0].isChosen && new Set(chosen.map((each) => each.name)).size > 1) {
    say("Several parts can move that way: click one first, or press N.");
    return;
  }
  say("");
  queue = chosen[0].move.map((frame) => frame);
  asked = "";
  document.body.dataset.state = "busy";
}

// -- pointer --------------------------------------------------------------------------------------------------------

const changesLook = (kind) => !kind.moves && !kind.turns && kind.looks.length > 1;

function findBox(part) {
  const look = images[part.look] ? part.look : question.kinds[part.name].looks.find((each) => images[each]);
  const sprite = question.sprites[look], image = images[look];
  return [sprite.left, sprite.top, image.width, image.height];
}

function findPart(x, y) {
  let best = null, least = Infinity;
  for (const part of parts.values()) {
    const [left, top, width, height] = findBox(part);
    const turn = (-part.angle * Math.PI) / 180;
    const u = Math.cos(turn) * (x - part.x) - Math.sin(turn) * (y - part.y);
    const v = Math.sin(turn) * (x - part.x) + Math.cos(turn) * (y - part.y);
    const inside = u > left - 4 && u < left + width + 4 && v > top - 4 && v < top + height + 4;
    if (inside && width * height <= least) { best = part; least = width * height; }
  }
  return best;
}

function locate(event) {
  // The canvas keeps its proportions inside its box.
  const box = board.getBoundingClientRect();
  const scale = Math.min(box.width / board.width, box.height / board.height);
  const left = box.left + (box.width - scale * board.width) / 2, top = box.top + (box.height - scale * board.height) / 2;
  return [(event.clientX - left) / scale, (event.clientY - top) / scale];
}

board.addEventListener("pointerdown", (event) => {
  if (!question || queue.length) return;
  say("");
  const [x, y] = locate(event), part = findPart(x, y);
  if (!part) { selected = []; showPalette(); return; }
  if (event.shiftKey) selected = selected.includes(part.name) ? selected.filter((name) => name !== part.name) : [...selected, part.name];
  else if (!selected.includes(part.name)) selected = [part.name];
  showPalette();
  const kind = question.kinds[part.name];
  if (event.shiftKey || !(kind.moves || kind.turns)) return;
  board.setPointerCapture(event.pointerId);
  const group = kind.moves ? selected.filter((name) => question.kinds[name].moves && parts.has(name)) : [part.name];
  drag = { x, y, name: part.name, turns: !kind.moves, from: new Map(group.map((name) => [name, { ...parts.get(name) }])) };
});

board.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const [x, y] = locate(event);
  for (const [name, from] of drag.from) {
    if (drag.turns) {
      const turn = Math.atan2(y - from.y, x - from.x) - Math.atan2(drag.y - from.y, drag.x - from.x);
      targets.set(name, { angle: (from.angle + (turn * 180) / Math.PI + 720) % 360, held: true });
    } else {
      targets.set(name, { x: clamp(from.x + x - drag.x, board.width), y: clamp(from.y + y - drag.y, board.height), held: true });
    }
  }
});

const clamp = (value, most) => Math.max(0, Math.min(most, value));

function drop(event) {
  if (!drag) return;
  for (const name of drag.from.keys()) {
    const target = targets.get(name);
    if (!target) continue;
    target.held = false;
    if (!event.altKey) snap(name, target);
  }
  drag = null;
}
board.addEventListener("pointerup", drop);
board.addEventListener("pointercancel", drop);

function snap(name, target) {
  // Return to a place of the puzzle that is near: a hand is less exact than the eye.
  if (target.angle !== undefined) {
    const off = (angle) => Math.abs(((angle - target.angle + 540) % 360) - 180);
    const nearest = (question.angles[name] || []).reduce((best, angle) => (best === null || off(angle) < off(best) ? angle : best), null);
    if (nearest !== null && off(nearest) < question.step_deg / 2) target.angle = nearest;
    return;
  }
  const off = (place) => Math.hypot(place[0] - target.x, place[1] - target.y);
  const nearest = (question.places[name] || []).reduce((best, place) => (best === null || off(place) < off(best) ? place : best), null);
  if (nearest !== null && off(nearest) < question.step_px / 2) [target.x, target.y] = nearest;
}

// -- contents of cells ----------------------------------------------------------------------------------------------

function showPalette() {
  const name = selected.length === 1 ? selected[0] : null;
  const kind = name && question.kinds[name];
  const palette = $("palette");
  palette.hidden = !kind || !changesLook(kind);
  if (palette.hidden) return;
  palette.replaceChildren(...kind.looks.map((look, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.title = look || "empty";
    button.setAttribute("aria-label", look || "empty");
    if (look) { const image = document.createElement("img"); image.src = question.sprites[look].png; image.alt = look; button.append(image); }
    else { const text = document.createElement("span"); text.textContent = "empty"; button.append(text); }
    button.addEventListener("click", () => fades.set(name, { look: kind.looks[place] }));
    return button;
  }));
}

function chooseContent(number) {
  const name = selected.length === 1 ? selected[0] : null;
  if (!name || !changesLook(question.kinds[name])) return;
  const filled = question.kinds[name].looks.filter((look) => look);
  const look = number === 0 ? "" : filled[number - 1];
  if (look !== undefined && question.kinds[name].looks.includes(look)) fades.set(name, { look });
}

// -- keys and buttons -----------------------------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (!question || event.ctrlKey || event.metaKey || event.target.tagName === "BUTTON") return;
  if (event.key.startsWith("Arrow")) { event.preventDefault(); makeMove(event.key); }
  else if (/^[0-9]$/.test(event.key)) chooseContent(Number(event.key));
  else if (event.key.toLowerCase() === "n") {
    const names = [...parts.keys()];
    selected = [names[(names.indexOf(selected[0]) + 1) % names.length]];
    showPalette();
  } else if (event.key === "Delete" || event.key === "Backspace") {
    for (const name of selected) {
      if (question.kinds[name].moves) { parts.delete(name); targets.delete(name); } else if (changesLook(question.kinds[name])) chooseContent(0);
    }
  }
});

$("restart").addEventListener("click", () => { if (question) { restarts += 1; begin(); board.focus(); } });
$("skip").addEventListener("click", () => { skipped = [...skipped.filter((each) => each !== index), index]; showNext().catch(fail); });
$("finish").addEventListener("click", async () => {
  if (!question || queue.length || targets.size || fades.size) { say("Wait until nothing moves, then press Done again."); return; }
  document.body.dataset.state = "saving";
  $("finish").disabled = true;
  try {
    const rows = recording.map(({ parts: shown, frames }) => ({ parts: shown, frames }));
    await send("/api/finish", { index, recording: rows, restarts, seconds: (performance.now() - began) / 1000 });
    await showNext();
  } catch (error) {
    document.body.dataset.state = "idle";
    say(error.message);
  } finally {
    $("finish").disabled = false;
  }
});

function fail(error) { say(error.message); $("work").hidden = false; }
showNext().catch(fail);
requestAnimationFrame(tick);
