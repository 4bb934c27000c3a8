const STYLE = `
.stage { display: grid; grid-template-columns: repeat(16, 3.5em); contain: strict; height: 26em; font: 12px monospace; }
.stage > b { overflow: hidden; height: 1.5em; }
.mover { position: fixed; right: 20em; top: 1em; width: 3em; height: 3em; background: teal; }
`;

/** How far the moving box swings, in px, and how long it takes, in ms. */
const SWING = { px: 120, ms: 2000 };

/** Number of characters after which the field is emptied. */
const LINE = 40;

/** What the page shows while lanes are measured: a field to type in, a box that moves in every frame, and the widgets. */
export class Stage {
  readonly field: HTMLInputElement;
  readonly #echo: HTMLElement;
  readonly #mover: HTMLElement;
  readonly #widgets: readonly HTMLElement[];
  /** The number of answers of each widget, and the widgets whose number is not on the page yet. */
  readonly #answers: Uint32Array;
  readonly #changed = new Set<number>();

  constructor(parent: HTMLElement, widgets: number) {
    const style = document.createElement("style");
    style.textContent = STYLE;
    this.field = document.createElement("input");
    this.field.autocomplete = "off";
    this.#echo = document.createElement("p");
    this.#mover = withClass("div", "mover");
    const grid = withClass("div", "stage");
    this.#widgets = Array.from({ length: widgets }, () => document.createElement("b"));
    this.#answers = new Uint32Array(widgets);
    grid.append(...this.#widgets);
    parent.replaceChildren(style, this.field, this.#echo, this.#mover, grid);
    this.field.focus();
  }

  /** Shows another answer of a widget in the next frame. */
  show(widget: number): void {
    this.#answers[widget]! += 1;
    this.#changed.add(widget);
  }

  /** Moves and paints from now on, in every frame. */
  animate(): void {
    requestAnimationFrame((nowMs) => {
      this.#paint(nowMs);
      this.animate();
    });
  }

  #paint(nowMs: number): void {
    const offsetPx = SWING.px * Math.sin((nowMs / SWING.ms) * 2 * Math.PI);
    this.#mover.style.transform = `translateX(${offsetPx}px)`;
    for (const widget of this.#changed) this.#widgets[widget]!.textContent = String(this.#answers[widget]);
    this.#changed.clear();
    if (this.field.value.length > LINE) this.field.value = "";
    this.#echo.textContent = this.field.value;
  }
}

function withClass(tag: "div", name: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = name;
  return element;
}
