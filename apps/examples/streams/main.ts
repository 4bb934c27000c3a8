import detectorUrl from "@framebatch/models/recurrent.onnx?url";
import { createBatchedModel, FramebatchError } from "framebatch";

const RATE = 16_000;
const SAMPLES = 512; // 32 ms

interface Detector {
  inputs: { input: Float32Array; sr: BigInt64Array };
  outputs: { output: Float32Array };
}

// The signature of silero-vad: state [2, batch, 128] in, stateN out, and a rate that the whole batch shares.
const detector = await createBatchedModel<Detector>(detectorUrl, {
  recurrent: { state: "stateN" },
  batchAxis: { input: 0, state: 1, sr: null, output: 0, stateN: 1 },
});

/** A frame of a tone, in place of a microphone. */
function frameOf(hertz: number, step: number) {
  return Float32Array.from({ length: SAMPLES }, (_, at) =>
    Math.sin((2 * Math.PI * hertz * (step * SAMPLES + at)) / RATE),
  );
}

const steps = document.querySelector<HTMLOutputElement>("#steps")!;
const size = document.querySelector<HTMLOutputElement>("#size")!;
let count = 0;

/** One participant of a call. It knows nothing of the others, whose steps run in the same batches. */
class Participant {
  // Live audio must not fall behind: frames that would wait for more than a second are left out. Whoever is silent for half a
  // minute starts from zeros again.
  readonly #sequence = detector.sequence({ overflow: "drop-oldest", maxWaitMs: 1000, idleMs: 30_000 });
  readonly #score = document.createElement("output");

  readonly hertz: number;

  constructor(hertz: number) {
    this.hertz = hertz;
    this.#score.ariaLive = "off"; // it changes 30 times a second
    const item = document.createElement("li");
    item.append(`${hertz} Hz: `, this.#score);
    document.querySelector("#streams")!.append(item);
  }

  async hear(input: Float32Array) {
    try {
      const { output } = await this.#sequence.predict({ input, sr: BigInt64Array.of(16_000n) });
      this.#show(output.data[0] ?? 0);
    } catch (error) {
      this.#missed(error);
    }
  }

  #show(score: number) {
    this.#score.value = score.toFixed(3);
    steps.value = String(++count);
    size.value = detector.stats().batchSize.mean.toFixed(1);
  }

  #missed(error: unknown) {
    const code = error instanceof FramebatchError ? error.code : null;
    if (code === "OVERLOADED") this.#score.value = "…"; // a frame was left out, and the state goes on after it
    else if (code === "SEQUENCE_LOST") this.#sequence.reset(); // no frame is answered before that
    else if (code !== "DISPOSED") throw error; // of frames that waited when the participant left
  }

  forget() {
    this.#sequence.reset(); // the next frame starts from zeros
  }

  async leave() {
    await this.#sequence.dispose();
  }
}

const participants = [110, 220, 440, 880].map((hertz) => new Participant(hertz));
const again = document.querySelector<HTMLButtonElement>("#again")!;
again.addEventListener("click", () => participants.forEach((one) => one.forget()));
again.disabled = false;
for (let step = 0; step < 100; step++) {
  await Promise.all(participants.map((one) => one.hear(frameOf(one.hertz, step))));
}
again.disabled = true; // the sound has ended
await Promise.all(participants.map((one) => one.leave()));
