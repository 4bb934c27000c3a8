import { expose } from "comlink";
import { openAudioSession, type AudioSession, type AudioTensor } from "./audio-session.js";

/** The models of a page that listens. */
export const AUDIO_MODELS = ["mel", "embedding", "word-64", "word-96", "word-128", "voice"] as const;

export type AudioModel = (typeof AUDIO_MODELS)[number];

export type AudioUrls = Readonly<Record<AudioModel, string>>;

/** An item of a model: its inputs, without states. */
export type AudioItem = Readonly<Record<string, AudioTensor>>;

/** The models in one worker, as a page without framebatch would write it. */
class GroupWorker {
  readonly #sessions = new Map<AudioModel, AudioSession>();
  readonly #states = new Map<number, Float32Array<ArrayBuffer>>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param urls absolute URLs */
  async open(urls: AudioUrls): Promise<void> {
    for (const model of AUDIO_MODELS) this.#sessions.set(model, await openAudioSession(urls[model]));
  }

  /** Runs one item of a stream, after all earlier ones. Returns its first output. */
  run(model: AudioModel, stream: number, item: AudioItem): Promise<Float32Array> {
    const result = this.#last.then(() => this.#run(model, stream, item));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #run(model: AudioModel, stream: number, item: AudioItem): Promise<Float32Array> {
    const feeds: Record<string, AudioTensor> = {};
    for (const [name, { data, dims }] of Object.entries(item)) {
      feeds[name] = { data, dims: dims.length === 0 ? [] : [1, ...dims] };
    }
    if (model === "voice") {
      feeds["state"] = { data: this.#states.get(stream) ?? new Float32Array(256), dims: [2, 1, 128] };
    }
    const { stateN, ...outputs } = await this.#sessions.get(model)!.run(feeds);
    if (stateN !== undefined) this.#states.set(stream, Float32Array.from(stateN));
    return Object.values(outputs)[0]!;
  }
}

export type GroupHost = Pick<GroupWorker, "open" | "run">;

expose(new GroupWorker());
