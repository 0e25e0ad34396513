// Everything around the picture: words, moves, controls; and what ties them to the model.
// One synced value, `view`, holds the whole page as JSON; a new `seq` in it means a new drawing.

function keepKeys(node, stage) {
  // Jupyter's notebook takes the arrow keys, which sliders and choices need; on a button, such as
  // the New game that was just clicked, the board's own keys play.
  node.dataset.lmSuppressShortcuts = "true";
  node.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation();
    const presses = event.key === "Enter" || event.key === " ";
    if (event.target.tagName !== "BUTTON" || presses || stage.word(event) == null) return;
    stage.node.focus({ preventScroll: true });
    stage.key(event);
  });
  return node;
}

class Controls {
  // The row of buttons, made once and then only updated, so that the focus stays where it is.
  constructor(send, interrupt, stage) {
    this.send = send;
    this.interrupt = interrupt;
    this.node = keepKeys(element("div", { class: "rl-controls", role: "group", "aria-label": "controls" }), stage);
    this.parts = new Map();
  }

  draw(specs) {
    const names = specs.map((spec) => spec.name).join();
    if (names !== this.names) {
      this.names = names;
      this.parts = new Map(specs.map((spec) => [spec.name, this.make(spec)]));
      this.node.replaceChildren(...[...this.parts.values()].map((part) => part.whole));
    }
    for (const spec of specs) this.parts.get(spec.name).update(spec);
  }

  make(spec) {
    const tell = (value) => this.send({ kind: "control", name: spec.name, value });
    if (spec.kind === "select") return this.makeSelect(spec, tell);
    if (spec.kind === "range") return this.makeRange(spec, tell);
    const button = element("button", { type: "button", class: "rl-button", "data-control": spec.name });
    button.addEventListener("click", () => {
      tell(null);
      if (spec.interrupts) this.interrupt();
    });
    const update = (now) => {
      button.textContent = now.label;
      button.disabled = Boolean(now.disabled);
      if (now.help) button.title = now.help;
      if (now.kind === "toggle") button.setAttribute("aria-pressed", String(Boolean(now.value)));
    };
    return { whole: button, update };
  }

  makeSelect(spec, tell) {
    const select = element("select", { class: "rl-select", "data-control": spec.name });
    const whole = element("label", { class: "rl-label" }, element("span", {}, spec.label), select);
    select.addEventListener("change", () => tell(select.value));
    const update = (now) => {
      const wanted = JSON.stringify(now.options);
      if (select.dataset.options !== wanted) {
        select.dataset.options = wanted;
        select.replaceChildren(...now.options.map(([value, label]) => element("option", { value }, label)));
      }
      select.value = now.value;
    };
    return { whole, update };
  }

  makeRange(spec, tell) {
    const range = element("input", { type: "range", class: "rl-range", "data-control": spec.name, min: 0, "aria-label": spec.label });
    const count = element("output", {});
    range.addEventListener("input", () => tell(Number(range.value)));
    const update = (now) => {
      range.max = now.max;
      range.value = now.value;
      range.setAttribute("aria-valuetext", now.words ?? `${now.value} of ${now.max}`);
      count.textContent = now.words ?? `${now.value} / ${now.max}`;
    };
    return { whole: element("label", { class: "rl-label rl-wide" }, range, count), update };
  }
}

function chip(spec, send) {
  const tone = spec.tone ? ` rl-${spec.tone}` : "";
  const words = [element("span", {}, spec.label)];
  if (spec.mark) words.push(element("b", {}, spec.mark));
  const node = element("button", { type: "button", class: `rl-chip${tone}${spec.hint ? " rl-hint" : ""}`, "data-chip": spec.input, disabled: spec.disabled, title: spec.key && `key ${spec.key}`, "aria-keyshortcuts": spec.key }, ...words);
  node.addEventListener("click", () => send({ kind: "input", tokens: [spec.input] }));
  return node;
}

const NARROWEST = 470; // the controls of a board in two rows
let boards = 0;

function render({ model, el }) {
  const prefix = `rl${++boards}`;
  let seen = null;
  let timer = null;
  const send = (content) => {
    try {
      model.send({ ...content, seq: seen });
    } catch { // the kernel was restarted or has ended
      status.textContent = "This board has lost its kernel: run its cell again.";
      status.className = "rl-status rl-bad";
    }
  };
  const stage = new Stage(send, prefix);
  // A message waits while a cell runs; if the button is still there soon, the kernel is interrupted.
  const interrupt = () => setTimeout(() => {
    if (root.querySelector('[data-control="stop"]')) model.widget_manager?.kernel?.interrupt?.();
  }, 250);
  const controls = new Controls(send, interrupt, stage);
  const status = element("div", { class: "rl-status", role: "status" });
  const chips = keepKeys(element("div", { class: "rl-chips", role: "group", "aria-label": "moves" }), stage);
  const notes = element("ul", { class: "rl-notes", "aria-label": "The moves that gave most away:" });
  const root = element("div", { class: "rl rl-live" }, status, stage.node, chips, controls.node, notes);
  el.append(root);
  const focusStage = () => stage.node.focus({ preventScroll: true });
  // After a click on the words Jupyter would take the keys, and d twice deletes a cell.
  root.addEventListener("click", () => root.contains(document.activeElement) || focusStage());

  const draw = () => {
    const view = JSON.parse(model.get("view") || "null");
    if (!view || view.seq === seen || view.seq == null) return;
    const first = seen === null;
    seen = view.seq;
    clearTimeout(timer);
    const still = first || quiet() || !view.ms;
    root.style.maxWidth = `${Math.max(view.width, NARROWEST) + 8}px`; // its padding with it
    stage.draw(view, still ? 0 : view.ms);
    controls.draw(view.controls ?? []);
    const active = root.contains(document.activeElement) ? document.activeElement : null;
    if (active?.disabled) focusStage(); // such as Undo, when nothing is left to take back
    const focused = active?.dataset.chip;
    chips.replaceChildren(...(view.chips ?? []).map((spec) => chip(spec, send)));
    if (focused) (chips.querySelector(`[data-chip="${focused}"]`) ?? chips.firstChild ?? stage.node).focus();
    notes.replaceChildren(...(view.notes ?? []).map((note) => element("li", {}, note)));
    status.setAttribute("aria-live", view.quiet ? "off" : "polite");
    if (status.textContent !== view.say) status.textContent = view.say ?? "";
    status.className = `rl-status ${view.tone ? `rl-${view.tone}` : ""}`;
    Object.assign(root.dataset, { seq: view.seq, state: view.state ?? "", over: String(Boolean(view.over)), game: view.game ?? "", selected: view.selected ?? "" });
    if (view.auto != null) timer = setTimeout(() => send({ kind: "go" }), view.auto);
  };
  model.on("change:view", draw);
  draw();
  // On a page of its own the keys work at once; the widget is attached only after this function.
  const focus = () => (el.isConnected ? focusStage() : requestAnimationFrame(focus));
  if (JSON.parse(model.get("view") || "null")?.focus) requestAnimationFrame(focus);
  return () => {
    clearTimeout(timer);
    model.off("change:view", draw);
  };
}

export default { render };
