// The keyboard and the frame stepper of the annotation page. Gradio replaces the elements, so they are looked up anew.
(() => {
  "use strict";
  const SPEEDS = [1, 0.5, 0.25, 2];
  const state = { token: null, frames: [], index: 0, still: false, loop: true, speed: 0 };
  const find = (selector) => document.querySelector(selector);
  const viewer = () => find("#viewer");
  const video = () => find("#viewer video");
  const press = (id) => {
    const button = find(`#${id} button, button#${id}`);
    if (button && !button.disabled) button.click();
  };

  function showTime() {
    const label = find("#viewer .time");
    if (!label || !state.frames.length) return;
    if (state.still) {
      const [, seconds] = state.frames[state.index];
      label.textContent = `frame ${state.index + 1} of ${state.frames.length}, ${seconds.toFixed(2)} s`;
    } else {
      label.textContent = `${video().currentTime.toFixed(2)} s`;
    }
  }

  function showVideo(play) {
    const player = video();
    if (!player) return;
    if (state.still) player.currentTime = Math.min(state.frames[state.index][1], player.duration || 0);
    state.still = false;
    player.hidden = false;
    find("#viewer .still").hidden = true;
    if (play) player.play().catch(() => {});
    else player.pause();
    find("#viewer .play").textContent = play ? "Pause" : "Play";
    showTime();
  }

  function step(by) {
    const player = video();
    if (!player || !state.frames.length) return;
    if (!state.still) {
      player.pause();
      const now = player.currentTime + 1e-3;
      state.index = state.frames.findLastIndex(([, seconds]) => seconds <= now);
      state.still = true;
    }
    state.index = Math.max(0, Math.min(state.frames.length - 1, state.index + by));
    const still = find("#viewer .still");
    still.src = state.frames[state.index][0];
    still.hidden = false;
    player.hidden = true;
    find("#viewer .play").textContent = "Play";
    for (const near of [state.index - 1, state.index + 1]) {
      if (state.frames[near]) new Image().src = state.frames[near][0];
    }
    showTime();
  }

  function toggleLoop() {
    state.loop = !state.loop;
    apply();
  }

  function changeSpeed() {
    state.speed = (state.speed + 1) % SPEEDS.length;
    apply();
  }

  function apply() {
    const player = video();
    if (!player) return;
    player.loop = state.loop;
    player.playbackRate = SPEEDS[state.speed];
    const loop = find("#viewer .loop");
    loop.textContent = state.loop ? "Loop on" : "Loop off";
    loop.setAttribute("aria-pressed", String(state.loop));
    find("#viewer .speed").textContent = `${SPEEDS[state.speed]}×`;
  }

  function choose(id, value) {
    const inputs = document.querySelectorAll(`#${id} input[type=radio]`);
    const input = [...inputs].find((each) => each.value === value || each.closest("label")?.textContent.trim() === value);
    if (input) input.click();
  }

  document.addEventListener("keydown", (event) => {
    const target = event.target;
    const typing = target.matches?.("textarea, input[type=text], input:not([type]), input[type=password]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !viewer()) return;
    const actions = {
      " ": () => showVideo(state.still || video().paused),
      ArrowRight: () => step(1),
      ArrowLeft: () => step(-1),
      Enter: () => press("submit"),
      l: toggleLoop, s: changeSpeed, u: () => press("undo"), n: () => press("skip"),
      0: () => choose("score", "Cannot tell"), y: () => choose("legal", "Yes"), x: () => choose("legal", "No"),
    };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = /^[1-5]$/.test(key) ? () => choose("score", key) : actions[key];
    if (!action || (event.repeat && !key.startsWith("Arrow"))) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }, true);

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("#viewer .bar button");
    if (!button) return;
    const name = button.className;
    ({
      play: () => showVideo(state.still || video().paused),
      back: () => step(-1), forth: () => step(1), loop: toggleLoop, speed: changeSpeed,
    })[name]?.();
  });

  // A new item has a new token.
  const watch = () => {
    const now = viewer();
    if (now && now.dataset.token !== state.token) {
      state.token = now.dataset.token;
      state.frames = JSON.parse(now.dataset.frames);
      state.index = 0;
      state.still = false;
      apply();
      video().addEventListener("timeupdate", showTime);
      document.activeElement?.blur?.();
    } else if (!now) {
      state.token = null;
    }
  };
  new MutationObserver(watch).observe(document, { childList: true, subtree: true });
  watch();
})();
