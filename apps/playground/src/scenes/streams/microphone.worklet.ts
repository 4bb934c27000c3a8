/** Samples of a frame. A worklet imports no modules of the page. */
const FRAME = 512;

/** Cuts what it hears into frames and gives each to all listeners, without the page. */
class Frames extends AudioWorkletProcessor {
  readonly #listeners: MessagePort[] = [];
  #frame = new Float32Array(FRAME);
  #filled = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<MessagePort>) => this.#listeners.push(data);
  }

  process([input]: Float32Array[][]): boolean {
    for (const sample of input?.[0] ?? []) {
      this.#frame[this.#filled++] = sample;
      if (this.#filled < FRAME) continue;
      for (const listener of this.#listeners) listener.postMessage(this.#frame);
      this.#filled = 0;
    }
    return true;
  }
}

registerProcessor("frames", Frames);
