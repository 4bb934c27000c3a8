import { FRAME, RATE } from "@framebatch/models/voices";
import type { BatchedModel } from "framebatch";
import { STREAM_COUNTS } from "../../worlds/counts.js";
import type { World, WorldEvents } from "../../worlds/serve-world.js";
import { Listener } from "./listener.js";
import { loudnessOf } from "./loudness.js";
import { Painter } from "./painter.js";
import type { StreamFigures, StreamSettings } from "./protocol.js";
import { Sounds } from "./sounds.js";
import { Tally } from "./tally.js";

/** How long a step lasts. */
const STEP_MS = (1000 * FRAME) / RATE;

/** The most steps of a stream that one frame of the screen catches up with. */
const CATCHES_UP = 8;

/**
 * Streams of live sound. Every stream asks the model on its own after each 32 ms of sound, whether somebody speaks. The
 * first one may be the visitor's microphone.
 */
export class StreamWorld implements World<StreamSettings> {
  readonly #sounds = new Sounds();
  readonly #painter: Painter;
  readonly #tally: Tally;
  readonly #listeners: readonly Listener[];
  readonly #onFailure: (error: unknown) => void;
  #settings: StreamSettings;
  #model: BatchedModel | null = null;
  #source: MessagePort | null = null;
  #isLive = false;

  constructor(canvas: OffscreenCanvas, settings: StreamSettings, on: WorldEvents<StreamFigures>) {
    this.#painter = new Painter(canvas);
    this.#tally = new Tally(on.figures);
    this.#onFailure = on.failure;
    this.#settings = settings;
    const events = {
      heard: (answerMs: number) => this.#tally.countHeard(answerMs),
      missed: () => this.#tally.countMissed(),
      failed: (error: unknown) => this.#fail(error),
    };
    this.#listeners = Array.from({ length: STREAM_COUNTS.most }, () => new Listener(events));
    this.change(settings);
  }

  change(settings: StreamSettings): void {
    const before = this.#settings.streams;
    this.#settings = settings;
    for (const listener of this.#listeners.slice(settings.streams, before)) listener.follow(null);
    for (const listener of this.#listeners.slice(before, settings.streams)) listener.follow(this.#model);
    this.#painter.resize(settings.width, settings.colours);
    this.#tally.restart();
    // A canvas that has another size is empty.
    this.#paint();
    void this.#live();
  }

  useModel(model: BatchedModel): void {
    const old = this.#model;
    this.#model = model;
    for (const listener of this.#active) listener.follow(model);
    void old?.dispose();
    model.addEventListener("batch", () => this.#tally.countRun());
    this.#tally.restart();
    void this.#live();
  }

  useSource(port: MessagePort | null): void {
    this.#source?.close();
    this.#source = port;
    if (port === null) return;
    port.onmessage = ({ data: audio }: MessageEvent<Float32Array>) => {
      if (this.#mayMove()) void this.#listeners[0]?.hear({ audio, loudness: loudnessOf(audio) });
    };
  }

  get #active(): readonly Listener[] {
    return this.#listeners.slice(0, this.#settings.streams);
  }

  async #live(): Promise<void> {
    if (this.#isLive || !this.#mayMove()) return;
    this.#isLive = true;
    const startMs = await nextFrame();
    const sent = new Float64Array(this.#listeners.length);
    for (let frame = 0; this.#mayMove(); frame++) {
      this.#send(((await nextFrame()) - startMs) / STEP_MS, sent);
      // Steps are as long as two frames of most screens.
      if (frame % 2 === 0) this.#paint();
      this.#tally.look(this.#settings.streams);
    }
    this.#isLive = false;
  }

  #mayMove(): boolean {
    return this.#settings.isMoving && this.#model !== null;
  }

  /** Sends what has been heard since the last frame. Steps of different streams end at different times, as in life. */
  #send(steps: number, sent: Float64Array): void {
    const active = this.#active;
    for (const [stream, listener] of active.entries()) {
      const due = Math.floor(steps + stream / active.length);
      const from = Math.max(sent[stream] ?? 0, due - CATCHES_UP);
      sent[stream] = due;
      if (stream === 0 && this.#source !== null) continue;
      for (let step = from; step < due; step++) void listener.hear(this.#sounds.frame(stream, step));
    }
  }

  #paint(): void {
    this.#painter.paint(this.#active.map(({ steps }) => steps));
  }

  #fail(error: unknown): void {
    if (this.#model === null) return;
    this.#model = null;
    this.#onFailure(error);
  }
}

function nextFrame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}
