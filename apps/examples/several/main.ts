import cnnUrl from "@framebatch/models/cnn-28.onnx?url";
import digitsUrl from "@framebatch/models/digits.onnx?url";
import { drawDigit, drawnDigits } from "@framebatch/models/drawn-digits";
import { encodeText, rankLanguages } from "@framebatch/models/languages";
import languagesUrl from "@framebatch/models/languages.onnx?url";
import { createModelHub, createPipeline } from "framebatch";

interface Picture {
  inputs: { image: Float32Array };
  outputs: { logits: Float32Array };
}

interface Text {
  inputs: { ids: Int32Array; mask: Int32Array };
  outputs: { logits: Float32Array };
}

// Three models, of which only as many stay in memory as fit. Each loads when it is first asked for.
const hub = createModelHub({ memoryBudgetBytes: 300e6 });
hub.register("digits", digitsUrl);
hub.register("scenes", cnnUrl);
hub.register("languages", languagesUrl);

const [digits, scenes] = await Promise.all([hub.get<Picture>("digits"), hub.get<Picture>("scenes")]);

// Two models side by side: a stage that asks both. The requests join the batches of each model.
const both = createPipeline<Float32Array>().stage(async (image, options) => {
  const [digit, scene] = await Promise.all([
    digits.predict({ image }, options), // passes on signal, priority and the time that is left
    scenes.predict({ image }, options),
  ]);
  return { digit: highest(digit.logits.data), scene: highest(scene.logits.data) };
});

const pictures = drawnDigits.slice(0, 10).map(({ strokes }) => drawDigit(strokes, { penWidth: 2.4 }));
const read: number[] = [];
for await (const { digit } of both.runStream(pictures)) read.push(digit);
show("#picture", read.join(" "));

const languages = await hub.get<Text>("languages");
const { logits } = await languages.predict(encodeText("Wer hat das geschrieben?"));
const [likeliest] = rankLanguages(logits.data);
show("#text", likeliest?.language.name ?? "");
show(
  "#loaded",
  hub
    .models()
    .map(({ name, state }) => `${name}: ${state}`)
    .join(", "),
);

function highest(scores: Float32Array) {
  return scores.indexOf(Math.max(...scores));
}

function show(selector: string, text: string) {
  document.querySelector<HTMLOutputElement>(selector)!.value = text;
}
