// The picture: draws the shapes that Python says, and says what the reader pressed, dragged or typed.
// No rule of any game lives here. The rest of the page is in board.js, which follows this file.

const SVG = "http://www.w3.org/2000/svg";
const paint = (role) => (role ? `var(--rl-${role})` : "none");
const quiet = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

const GEOMETRY = {
  rect: (s) => ["rect", { x: s.x, y: s.y, width: s.w, height: s.h, rx: s.radius }],
  circle: (s) => ["circle", { cx: s.x, cy: s.y, r: s.r }],
  poly: (s) => [s.closed ? "polygon" : "polyline", { points: s.points.map((p) => p.join(",")).join(" ") }],
  text: (s) => ["text", { x: s.x, y: s.y, "font-size": s.size, "text-anchor": s.anchor, "dominant-baseline": "central" }],
};

function drawShape(shape, prefix) {
  const [tag, geometry] = GEOMETRY[shape.kind](shape);
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(geometry)) node.setAttribute(name, value);
  node.style.fill = paint(shape.fill);
  if (shape.stroke) {
    node.style.stroke = paint(shape.stroke);
    node.style.strokeWidth = shape.thick ?? 1;
    if (shape.dash) node.style.strokeDasharray = shape.dash;
  }
  if (shape.opacity != null) node.style.opacity = shape.opacity;
  if (shape.kind === "text") {
    node.textContent = shape.text;
    if (shape.bold) node.style.fontWeight = 600;
  }
  if (shape.input) {
    node.dataset.input = shape.input;
    node.id = `${prefix}-${shape.input.replace(/[^\w-]/g, "_")}`;
    node.setAttribute("role", "button");
    node.setAttribute("aria-label", shape.label ?? shape.input);
    if (shape.drag) node.dataset.drag = "1";
  } else {
    node.style.pointerEvents = "none";
  }
  if (shape.part) node.dataset.part = shape.part;
  return node;
}

function animate(node, shape, ms) {
  const end = shape.opacity ?? 1;
  if (shape.fade) {
    node.style.opacity = 0;
    if (ms) node.animate([{ opacity: end }, { opacity: 0 }], { duration: ms * 1.6 });
  }
  if (!ms) return;
  if (shape.slide) {
    const [dx, dy] = shape.slide;
    node.animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }], { duration: ms, easing: "ease-out" });
  }
  if (shape.pop) {
    node.style.transformBox = "fill-box";
    node.style.transformOrigin = "center";
    const late = shape.pop === "late" ? ms * 0.6 : 0;
    node.animate([{ transform: "scale(0.2)", opacity: 0 }, { transform: "scale(1.08)", opacity: end }, { transform: "none", opacity: end }], { duration: ms, delay: late, fill: "backwards" });
  }
}

class Stage {
  // The picture: keys, clicks, drags and swipes on it, and the keyboard's cursor.
  constructor(send, prefix) {
    this.send = send;
    this.prefix = prefix;
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("preserveAspectRatio", "xMidYMid meet");
    this.svg.setAttribute("aria-hidden", "false");
    this.node = element("div", { class: "rl-stage", "data-lm-suppress-shortcuts": "true" }, this.svg);
    this.cursor = null;
    this.pressed = null;
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.node.addEventListener("pointerdown", (event) => this.down(event));
    this.node.addEventListener("pointermove", (event) => this.move(event));
    this.node.addEventListener("pointerup", (event) => this.up(event));
    this.node.addEventListener("pointercancel", () => this.drop());
    this.node.addEventListener("blur", () => this.ring?.remove());
    this.node.addEventListener("focus", () => this.circle());
  }

  draw(view, ms) {
    this.view = view;
    this.drop();
    this.svg.setAttribute("viewBox", `0 0 ${view.width} ${view.height}`);
    this.svg.style.maxWidth = `${view.width}px`;
    this.node.style.touchAction = view.swipe || view.drag ? "none" : "manipulation";
    this.node.setAttribute("aria-label", view.label ?? "");
    this.node.setAttribute("role", view.alive ? "application" : "img");
    if (view.alive) this.node.tabIndex = 0;
    else this.node.removeAttribute("tabindex");
    const nodes = view.shapes.map((shape) => drawShape(shape, this.prefix));
    this.svg.replaceChildren(...nodes);
    view.shapes.forEach((shape, i) => animate(nodes[i], shape, ms));
    this.circle();
  }

  inputs() {
    return [...this.svg.querySelectorAll("[data-input]")];
  }

  circle() {
    // The dashed ring around what Enter would press.
    this.ring?.remove();
    const node = this.inputs().find((n) => n.dataset.input === this.cursor);
    if (!node) return this.node.removeAttribute("aria-activedescendant");
    this.node.setAttribute("aria-activedescendant", node.id);
    const box = node.getBBox();
    this.ring = document.createElementNS(SVG, "rect");
    const place = { x: box.x - 4, y: box.y - 4, width: box.width + 8, height: box.height + 8, rx: 8 };
    for (const [name, value] of Object.entries(place)) this.ring.setAttribute(name, value);
    this.ring.setAttribute("class", "rl-ring");
    this.svg.append(this.ring);
  }

  wander(dx, dy) {
    const spots = this.inputs().map((node) => {
      const box = node.getBBox();
      return { input: node.dataset.input, x: box.x + box.width / 2, y: box.y + box.height / 2 };
    });
    if (!spots.length) return;
    const here = spots.find((s) => s.input === this.cursor);
    if (!here) {
      this.cursor = (spots.find((s) => s.input === this.view.first) ?? spots[0]).input;
      return this.circle();
    }
    let best = null;
    for (const spot of spots) {
      const along = (spot.x - here.x) * dx + (spot.y - here.y) * dy;
      const aside = Math.abs((spot.x - here.x) * dy) + Math.abs((spot.y - here.y) * dx);
      if (along > 1 && (!best || along + 2 * aside < best.cost)) best = { input: spot.input, cost: along + 2 * aside };
    }
    if (best) this.cursor = best.input;
    this.circle();
  }

  word(event) {
    // What a key stands for on this board.
    return this.view?.keys?.[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.view) return;
    const name = event.key;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const word = this.word(event);
    if (word != null) this.say([word]);
    else if (name in steps) this.wander(...steps[name]);
    else if ((name === "Enter" || name === " ") && this.cursor) this.say([this.cursor]);
    else if (name === "Escape") this.say(["escape"]);
    else if (name === "Tab") return;
    else if (name.length > 1) return; // the page's own keys, such as F5
    event.preventDefault();
    event.stopPropagation();
  }

  say(tokens) {
    const [kind, name] = tokens[0].split(":");
    if (kind === "control") this.send({ kind: "control", name, value: null });
    else this.send({ kind: "input", tokens });
  }

  under(event) {
    const hit = document.elementsFromPoint(event.clientX, event.clientY).find((n) => n.dataset?.input && this.svg.contains(n));
    return hit?.dataset.input ?? null;
  }

  down(event) {
    if (event.button !== 0 || !this.view?.alive) return;
    this.node.focus({ preventScroll: true });
    const input = this.under(event);
    const node = this.inputs().find((n) => n.dataset.input === input);
    this.pressed = { input, x: event.clientX, y: event.clientY, node: node?.dataset.drag ? node : null };
    if (this.pressed.node || this.view.swipe) this.node.setPointerCapture(event.pointerId);
    event.preventDefault();
  }

  move(event) {
    if (!this.pressed?.node) return;
    const dx = event.clientX - this.pressed.x, dy = event.clientY - this.pressed.y;
    if (!this.pressed.ghost && Math.hypot(dx, dy) > 6) {
      const parts = this.svg.querySelectorAll(`[data-part="${this.pressed.input}"]`);
      const ghost = document.createElementNS(SVG, "g");
      ghost.setAttribute("class", "rl-ghost");
      for (const part of parts.length ? parts : [this.pressed.node]) {
        const clone = part.cloneNode(true);
        clone.removeAttribute("id");
        clone.removeAttribute("data-input");
        ghost.append(clone);
      }
      this.pressed.ghost = ghost;
      this.svg.append(ghost);
    }
    const scale = this.view.width / this.svg.getBoundingClientRect().width;
    this.pressed.ghost?.setAttribute("transform", `translate(${dx * scale} ${dy * scale})`);
  }

  up(event) {
    const pressed = this.pressed;
    this.drop();
    if (!pressed) return;
    const dx = event.clientX - pressed.x, dy = event.clientY - pressed.y;
    const far = Math.hypot(dx, dy) > 24;
    if (this.view.swipe && far) {
      const way = Math.abs(dx) > Math.abs(dy) ? (dx > 0 ? "ArrowRight" : "ArrowLeft") : dy > 0 ? "ArrowDown" : "ArrowUp";
      return this.say([this.view.keys[way]]);
    }
    const target = this.under(event);
    if (pressed.node && target !== pressed.input) return target ? this.say([pressed.input, target]) : undefined;
    if (pressed.input && target === pressed.input) {
      this.cursor = pressed.input;
      this.say([pressed.input]);
    }
  }

  drop() {
    this.pressed?.ghost?.remove();
    this.pressed = null;
  }
}
