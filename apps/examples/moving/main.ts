import digitsUrl from "@framebatch/models/digits.onnx?url";
import { drawDigit, drawnDigits } from "@framebatch/models/drawn-digits";
import * as after from "./after.js";
import * as before from "./before.js";

const pictures = drawnDigits.slice(0, 10).map(({ strokes }) => drawDigit(strokes, { penWidth: 2.4 }));

for (const [name, { load, classify }] of Object.entries({ before, after })) {
  await load(digitsUrl);
  const answers = await Promise.all(pictures.map((picture) => classify(picture)));
  const digits = answers.map((logits) => logits.indexOf(Math.max(...logits)));
  document.querySelector<HTMLOutputElement>(`#${name}`)!.value = digits.join(" ");
}
