import { drawDigit, drawnDigits, type DrawnDigit } from "@framebatch/models/drawn-digits";
import digitsUrl from "@framebatch/models/digits.onnx?url";
import { createBatchedModel, FramebatchError } from "framebatch";

interface Digits {
  inputs: { image: Float32Array };
  outputs: { logits: Float32Array };
}

const model = await createBatchedModel<Digits>(digitsUrl);

/** A digit that swings, and shows what the model reads. It knows nothing of the other widgets. */
class Widget {
  readonly element = document.createElement("figure");
  readonly #caption = document.createElement("figcaption");
  readonly #context: CanvasRenderingContext2D;
  readonly #key = crypto.randomUUID();
  readonly #drawn: DrawnDigit;

  constructor(drawn: DrawnDigit) {
    this.#drawn = drawn;
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: 28, height: 28, style: "width: 56px; height: 56px" });
    this.#context = canvas.getContext("2d")!;
    this.element.append(canvas, this.#caption);
  }

  draw(timeMs: number) {
    const angle = 0.25 * Math.sin(timeMs / 600);
    const image = drawDigit(this.#drawn.strokes, { penWidth: 2.4, place: { angle } });
    const pixels = new ImageData(28, 28);
    for (const [at, ink] of image.entries()) pixels.data[4 * at + 3] = 255 * ink;
    this.#context.putImageData(pixels, 0, 0);
    void this.#read(image);
  }

  /** One request of one widget. Those of all widgets in a frame run as one batch. */
  async #read(image: Float32Array) {
    try {
      const { logits } = await model.predict({ image }, { key: this.#key }); // only its newest picture counts
      this.#caption.textContent = String(logits.data.indexOf(Math.max(...logits.data)));
    } catch (error) {
      if (!(error instanceof FramebatchError && error.code === "SUPERSEDED")) throw error;
    }
  }
}

const digits = [drawnDigits, drawnDigits, drawnDigits].flat().slice(0, 64);
const widgets = digits.map((drawn) => new Widget(drawn));
document.querySelector("#grid")!.append(...widgets.map(({ element }) => element));
const rate = document.querySelector<HTMLOutputElement>("#rate")!;

function frame(timeMs: number) {
  for (const widget of widgets) widget.draw(timeMs);
  const { batchSize, runMs } = model.stats();
  rate.value = `${batchSize.mean.toFixed(0)} requests in a batch, ${runMs.p50.toFixed(1)} ms a batch`;
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
