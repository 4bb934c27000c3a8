import type { AudioItem } from "../ort/group-worker.js";
import type { GroupLane } from "./lanes.js";

/** Samples that a listener hears at a time: 160 ms at 16 kHz, two frames for the words and five for the voice. */
export const HEARD_SAMPLES = 2560;

const WORD_SAMPLES = 1280;
const WORD_CONTEXT = 240;
const VOICE_SAMPLES = 512;
const VOICE_CONTEXT = 64;
const WORDS = ["word-64", "word-96", "word-128"] as const;
const SR = { data: BigInt64Array.of(16_000n), dims: [] };

/** One stream of audio: its ring buffers, and the models that it asks. */
export class Listener {
  readonly #stream: number;
  readonly #lane: GroupLane;
  readonly #samples = new Float32Array(WORD_CONTEXT + HEARD_SAMPLES);
  readonly #mels = new Float32Array(76 * 32);
  readonly #embeddings = new Float32Array(16 * 96);

  constructor(stream: number, lane: GroupLane) {
    this.#stream = stream;
    this.#lane = lane;
  }

  /** Returns the sum of all scores. */
  async hear(samples: Float32Array): Promise<number> {
    push(this.#samples, samples);
    const [words, voice] = await Promise.all([this.#hearWords(), this.#hearVoice()]);
    return words + voice;
  }

  async #hearWords(): Promise<number> {
    let sum = 0;
    for (let at = 0; at < HEARD_SAMPLES; at += WORD_SAMPLES) {
      const heard = this.#samples.slice(at, at + WORD_CONTEXT + WORD_SAMPLES);
      push(this.#mels, await this.#ask("mel", { samples: { data: heard, dims: [heard.length] } }));
      const mel = { data: this.#mels.slice(), dims: [76, 32] };
      push(this.#embeddings, await this.#ask("embedding", { mel }));
      const embeddings = { data: this.#embeddings.slice(), dims: [16, 96] };
      for (const [score = 0] of await Promise.all(WORDS.map((word) => this.#ask(word, { embeddings })))) sum += score;
    }
    return sum;
  }

  async #hearVoice(): Promise<number> {
    let sum = 0;
    for (let at = WORD_CONTEXT; at < this.#samples.length; at += VOICE_SAMPLES) {
      const input = { data: this.#samples.slice(at - VOICE_CONTEXT, at + VOICE_SAMPLES), dims: [576] };
      const [score = 0] = await this.#ask("voice", { input, sr: SR });
      sum += score;
    }
    return sum;
  }

  #ask(model: Parameters<GroupLane["ask"]>[0], item: AudioItem): Promise<Float32Array> {
    return this.#lane.ask(model, this.#stream, item);
  }
}

/** Moves the numbers of a buffer to its start, and puts new ones at its end. */
function push(buffer: Float32Array, added: Float32Array): void {
  buffer.copyWithin(0, added.length);
  buffer.set(added, buffer.length - added.length);
}
