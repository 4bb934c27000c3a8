/** Writes what train.py learns from: node voices/prepare.mjs --out FILE. See README.md. */
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { parseArgs } from "node:util";
import * as ort from "onnxruntime-web/wasm";
import { makeClip } from "./clip.mjs";
import { powersModel } from "./detector.mjs";
import { FRAME } from "./rate.mjs";
import { BANDS, WINDOWS } from "./spectrum.mjs";

/** Seconds of a clip: 250 frames. */
const FRAMES = 250;

/** Clips whose seeds are below this are those of the page and of the tests. */
const FIRST_SEED = 10_000;

const { values } = parseArgs({ options: { out: { type: "string" }, clips: { type: "string", default: "1500" } } });
if (values.out === undefined) throw new Error("expected --out FILE");
ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(powersModel("powers").bytes);
const file = createWriteStream(values.out);
const size = WINDOWS * BANDS;
for (let clip = 0; clip < Number(values.clips); clip++) {
  const { samples, speaks } = makeClip(FIRST_SEED + clip, FRAMES);
  const { powers } = await session.run({ audio: new ort.Tensor("float32", samples, [FRAMES, FRAME]) });
  const rows = new Float32Array(FRAMES * (size + 1));
  for (let frame = 0; frame < FRAMES; frame++) {
    rows[frame * (size + 1)] = speaks[frame] ?? 0;
    rows.set(Float32Array.from(powers.data.slice(frame * size, (frame + 1) * size), Number), frame * (size + 1) + 1);
  }
  if (!file.write(new Uint8Array(rows.buffer))) await once(file, "drain");
}
file.end();
console.log(`${values.clips} clips of ${FRAMES} frames`);
