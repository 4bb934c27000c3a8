import { expose } from "comlink";
import { openAudioSession, type AudioSession } from "./audio-session.js";

/** The steps of a message: the stream of each, and their samples, one row after the other. */
export interface StreamSteps {
  readonly streams: readonly number[];
  readonly samples: Float32Array<ArrayBuffer>;
}

const STATE_LENGTH = 256;

/** A voice detector for several streams, as a page without framebatch would write it. */
class StreamWorker {
  /** One for each stream, or one for all of them. */
  readonly #sessions: AudioSession[] = [];
  readonly #states = new Map<number, Float32Array>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param url an absolute URL */
  async open(url: string, sessions: number): Promise<void> {
    for (let count = 0; count < sessions; count += 1) this.#sessions.push(await openAudioSession(url));
  }

  /** Runs steps of different streams as one batch, after all earlier ones. Returns their scores. */
  run(steps: StreamSteps): Promise<Float32Array> {
    const result = this.#last.then(() => this.#run(steps));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #run({ streams, samples }: StreamSteps): Promise<Float32Array> {
    const rows = streams.length;
    const session = this.#sessions.length === 1 ? this.#sessions[0]! : this.#sessions[streams[0]!]!;
    const state = stacked(streams.map((stream) => this.#states.get(stream) ?? new Float32Array(STATE_LENGTH)));
    const outputs = await session.run({
      input: { data: samples, dims: [rows, samples.length / rows] },
      state: { data: state, dims: [2, rows, STATE_LENGTH / 2] },
      sr: { data: BigInt64Array.of(16_000n), dims: [] },
    });
    for (const [row, next] of split(outputs["stateN"]!, rows).entries()) this.#states.set(streams[row]!, next);
    return outputs["output"]!;
  }
}

/** Joins states along their second axis. */
function stacked(states: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const [rows, half] = [states.length, STATE_LENGTH / 2];
  const joined = new Float32Array(rows * STATE_LENGTH);
  for (const [row, state] of states.entries()) {
    joined.set(state.subarray(0, half), row * half);
    joined.set(state.subarray(half), (rows + row) * half);
  }
  return joined;
}

function split(joined: Float32Array, rows: number): Float32Array[] {
  const half = STATE_LENGTH / 2;
  return Array.from({ length: rows }, (_, row) => {
    const state = new Float32Array(STATE_LENGTH);
    state.set(joined.subarray(row * half, (row + 1) * half));
    state.set(joined.subarray((rows + row) * half, (rows + row + 1) * half), half);
    return state;
  });
}

export type StreamHost = Pick<StreamWorker, "open" | "run">;

expose(new StreamWorker());
