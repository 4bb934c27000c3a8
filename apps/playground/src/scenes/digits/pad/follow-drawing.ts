import { effect } from "@preact/signals";
import type { BatchedModel, PredictOptions } from "framebatch";
import type { Playground } from "../../../playground.js";
import type { Digits } from "../digits.js";
import { PICTURE_SIZE, type Ink } from "./rasterize.js";
import { toReading, type Reading } from "./read-digit.js";
import { combinePoses, renderPose, type Pose } from "../wall/variants.js";
import { isSuperseded } from "../../../superseded.js";

/**
 * Maximum number of open requests per follower: one running, one queued and one about to supersede the queued one. With
 * batching off, the page does not queue requests, so no request can be superseded. This limit then keeps the worker's
 * queue short.
 */
const MAX_OPEN = 3;

/** The options of each request. `key` also names the follower in the timeline. */
export type AskOptions = PredictOptions & { readonly key: string };

/** Shows a picture of the drawing and the model's prediction for it; `null` if there is no prediction yet. */
export type Show = (picture: Float32Array, reading: Reading | null) => void;

/** The current drawing, pose and model. */
interface View {
  readonly ink: Ink | null;
  readonly pose: Pose;
  readonly model: BatchedModel | null;
}

/**
 * Sends one `predict` request for a pose of the drawing, and another one after each change. Each follower is
 * independent of the others. A picture and its prediction are shown together, when the prediction arrives. A newer
 * request with the same `key` supersedes an older one that is still queued. Returns a function that stops the follower.
 */
export function followDrawing(digits: Digits, pose: Pose, request: AskOptions, show: Show): () => void {
  const { model, comparing } = digits.playground;
  const follower = new Follower(digits.playground, request, show);
  const stop = effect(() => {
    const view = { ink: digits.ink.value, pose: combinePoses(pose, digits.pose.value), model: model.value };
    if (!comparing.value) follower.follow(view);
  });
  return () => {
    stop();
    follower.stop();
  };
}

class Follower {
  readonly #playground: Playground;
  readonly #request: AskOptions;
  readonly #show: Show;
  /** Buffers for reuse. There are at most as many as requests were open at the same time. */
  readonly #free: Float32Array[] = [];
  /** The latest view that arrived while `MAX_OPEN` requests were open. */
  #next: View | null = null;
  #open = 0;
  #lastTurn = 0;
  #shownTurn = 0;

  constructor(playground: Playground, request: AskOptions, show: Show) {
    this.#playground = playground;
    this.#request = request;
    this.#show = show;
  }

  follow(view: View): void {
    const mustWait = view.ink !== null && view.model !== null && this.#open >= MAX_OPEN;
    this.#next = mustWait ? view : null;
    if (!mustWait) this.#turnTo(view);
  }

  /** Stops the follower. It ignores the results of open requests. */
  stop(): void {
    this.#next = null;
    this.#shownTurn = Infinity;
  }

  #turnTo({ ink, pose, model }: View): void {
    const picture = this.#free.pop() ?? new Float32Array(PICTURE_SIZE * PICTURE_SIZE);
    if (ink === null) picture.fill(0);
    else renderPose(ink, pose, picture);
    if (ink !== null && model !== null) void this.#ask(model, picture);
    else this.#present(picture, null, ++this.#lastTurn);
  }

  async #ask(model: BatchedModel, picture: Float32Array): Promise<void> {
    const turn = ++this.#lastTurn;
    this.#open++;
    try {
      const { key } = this.#request;
      const { logits } = await this.#playground.requests.ask(model, key, { image: picture }, this.#request);
      this.#present(picture, toReading(logits?.data ?? []), turn);
    } catch (error) {
      if (!isSuperseded(error)) this.#playground.reportFailure(error);
      this.#free.push(picture);
    }
    this.#open--;
    if (this.#next !== null) this.follow(this.#next);
  }

  /** Never replaces a newer picture by an older one. */
  #present(picture: Float32Array, reading: Reading | null, turn: number): void {
    if (turn > this.#shownTurn) {
      this.#shownTurn = turn;
      this.#show(picture, reading);
    }
    this.#free.push(picture);
  }
}
