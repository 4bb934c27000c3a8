import { CONTROLS, makeTrack, SHOWN_TRACK, Traffic, VIEW_SIZE } from "@framebatch/models/drivers";
import type { BatchedModel } from "framebatch";
import type { World, WorldEvents } from "../../worlds/serve-world.js";
import { CAR_COUNTS } from "../../worlds/counts.js";
import { Painter } from "./painter.js";
import type { WorldFigures, WorldSettings } from "./protocol.js";
import { Tally } from "./tally.js";

const SEED = 5;
const STEP_S = 1 / 60;
/** The longest time that a frame catches up with, so that cars do not leap after a pause. */
const MAX_FRAME_S = 0.5;
/** Two busy worlds leave no processor to the page. They rest for this time after a change, so that it shows at once. */
const REST_MS = 100;

/**
 * Cars on a track. In each frame, every car asks the model on its own how to steer. The next frame comes when all of
 * them have their answers; until then they keep to the answers that they have.
 */
export class CarWorld implements World<WorldSettings> {
  readonly #traffic = new Traffic(makeTrack(SHOWN_TRACK), CAR_COUNTS.most, SEED);
  readonly #views = Array.from({ length: CAR_COUNTS.most }, () => new Float32Array(VIEW_SIZE));
  readonly #painter: Painter;
  readonly #tally: Tally;
  readonly #onFailure: (error: unknown) => void;
  #settings: WorldSettings;
  #model: BatchedModel | null = null;
  #isLive = false;
  #restEndMs = 0;

  constructor(canvas: OffscreenCanvas, settings: WorldSettings, on: WorldEvents<WorldFigures>) {
    this.#painter = new Painter(canvas, this.#traffic.track);
    this.#tally = new Tally(this.#traffic, on.figures);
    this.#onFailure = on.failure;
    this.#settings = settings;
    this.change(settings);
  }

  change(settings: WorldSettings): void {
    this.#settings = settings;
    this.#traffic.count = settings.cars;
    this.#painter.resize(settings.width, settings.colours);
    this.#restEndMs = performance.now() + REST_MS;
    this.#tally.restart();
    // A canvas that has another size is empty.
    this.#painter.paint(this.#traffic);
    void this.#live();
  }

  /** Takes the model of new drivers, and disposes of the old one. */
  useModel(model: BatchedModel): void {
    const old = this.#model;
    this.#model = model;
    void old?.dispose();
    this.#tally.restart();
    void this.#live();
  }

  async #live(): Promise<void> {
    if (this.#isLive || !this.#mayMove()) return;
    this.#isLive = true;
    let beforeMs = await nextFrame();
    while (this.#mayMove()) {
      const nowMs = await nextFrame();
      if (nowMs < this.#restEndMs) this.#tally.restart();
      else await this.#frame(nowMs, nowMs - beforeMs);
      beforeMs = nowMs;
    }
    this.#isLive = false;
  }

  async #frame(nowMs: number, sinceMs: number): Promise<void> {
    this.#drive(Math.min(MAX_FRAME_S, sinceMs / 1000));
    this.#painter.paint(this.#traffic);
    await this.#decide();
    this.#tally.countFrame(nowMs);
  }

  #mayMove(): boolean {
    return this.#settings.isMoving && this.#model !== null;
  }

  #drive(seconds: number): void {
    const steps = Math.ceil(seconds / STEP_S);
    for (let step = 0; step < steps; step++) this.#traffic.drive(seconds / steps);
  }

  /** Resolves when each car has its answer, or when the model is replaced. */
  async #decide(): Promise<void> {
    const model = this.#model;
    if (model === null) return;
    try {
      await Promise.all(this.#views.slice(0, this.#traffic.count).map((view, car) => this.#ask(model, car, view)));
    } catch (error) {
      if (model !== this.#model) return;
      this.#model = null;
      this.#onFailure(error);
    }
  }

  /** One car asks, as any component of a page does. It knows nothing of the others. */
  async #ask(model: BatchedModel, car: number, view: Float32Array): Promise<void> {
    this.#traffic.look(car, view);
    const { controls } = await model.predict({ view });
    for (let control = 0; control < CONTROLS; control++) {
      this.#traffic.controls[CONTROLS * car + control] = Number(controls?.data[control]);
    }
  }
}

function nextFrame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}
