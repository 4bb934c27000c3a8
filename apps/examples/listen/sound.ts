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
  // At the rate of the device: older versions of Firefox connect no microphone to a context of another rate.
  const context = new AudioContext();
  const recorderUrl = URL.createObjectURL(new Blob([RECORDER], { type: "text/javascript" }));
  try {
    await context.audioWorklet.addModule(recorderUrl);
    const recorder = new AudioWorkletNode(context, "recorder");
    context.createMediaStreamSource(heard).connect(recorder);
    yield* framed(blocksOf(recorder.port, context.sampleRate), context.sampleRate, size);
  } finally {
    URL.revokeObjectURL(recorderUrl);
    for (const track of heard.getTracks()) track.stop();
    await context.close();
  }
}

/** A microphone does not wait. If the models fall behind by two seconds, what comes then is left out. */
function blocksOf(port: MessagePort, rate: number): ReadableStream<Float32Array> {
  return new ReadableStream(
    {
      start: (reader) => {
        port.onmessage = ({ data }) => {
          if (reader.desiredSize! > 0) reader.enqueue(data);
        };
      },
    },
    { highWaterMark: 2 * rate, size: (block) => block.length },
  );
}

/** Frames of `size` samples from blocks of another rate. A sample is the mean of what is heard in its time. */
export async function* framed(
  blocks: Iterable<Float32Array> | AsyncIterable<Float32Array>,
  rate: number,
  size: number,
): AsyncGenerator<Float32Array<ArrayBuffer>> {
  const step = rate / RATE;
  let [sum, missing] = [0, step];
  let [frame, length] = [new Float32Array(size), 0];
  for await (const block of blocks) {
    for (const sample of block) {
      let part = 1;
      while (part >= missing) {
        frame[length++] = (sum + sample * missing) / step;
        part -= missing;
        [sum, missing] = [0, step];
        if (length < size) continue;
        yield frame;
        [frame, length] = [new Float32Array(size), 0];
      }
      sum += sample * part;
      missing -= part;
    }
  }
}

const RECORDER = `registerProcessor("recorder", class extends AudioWorkletProcessor {
  process([[channel]]) { if (channel) this.port.postMessage(channel.slice()); return true; }
});`;
