/** Samples a second. */
export const RATE = 16_000;

/** Frames of samples. */
export type Sound = Iterable<Float32Array> | AsyncIterable<Float32Array>;

/** Sound that is generated: `seconds` of a tone that swells three times a second, in frames of `size` samples. */
export function* tone(hertz: number, seconds: number, size: number): Generator<Float32Array<ArrayBuffer>> {
  for (let start = 0; start + size <= seconds * RATE; start += size) {
    yield Float32Array.from({ length: size }, (_, index) => {
      const t = (start + index) / RATE;
      return Math.sin(2 * Math.PI * hertz * t) * (0.5 + 0.5 * Math.sin(6 * Math.PI * t));
    });
  }
}

/** The microphone, in frames of `size` samples, until the page ends. */
export async function* microphone(size: number): AsyncGenerator<Float32Array<ArrayBuffer>> {
  const heard = await navigator.mediaDevices.getUserMedia({ audio: true });
  const context = new AudioContext({ sampleRate: RATE });
  await context.audioWorklet.addModule(URL.createObjectURL(new Blob([RECORDER], { type: "text/javascript" })));
  const recorder = new AudioWorkletNode(context, "recorder");
  context.createMediaStreamSource(heard).connect(recorder);
  const blocks = new ReadableStream<Float32Array>({
    start: (reader) => {
      recorder.port.onmessage = ({ data }) => reader.enqueue(data);
    },
  });
  let frame = new Float32Array(size);
  let length = 0;
  for await (const block of blocks) {
    for (const sample of block) {
      frame[length++] = sample;
      if (length < size) continue;
      yield frame;
      [frame, length] = [new Float32Array(size), 0];
    }
  }
}

const RECORDER = `registerProcessor("recorder", class extends AudioWorkletProcessor {
  process([[channel]]) { if (channel) this.port.postMessage(channel.slice()); return true; }
});`;
