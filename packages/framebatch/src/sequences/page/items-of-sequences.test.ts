import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import { createHandledModelAt } from "../../handlers/page/create-handled-model.js";
import { keepSource } from "../../client/options/model-source.js";
import type { HandlerModelOptions } from "../../client/options/options.js";
import type { Handlers } from "../../handlers/worker/handlers.js";
import { handledSite } from "../../../test/support/channel-worker.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";

beforeAll(() => stubBrowser());

const openFrames = new Set<Frame>();

/** As a browser's frame: a message can contain a copy of it until it is closed. */
class Frame {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
    openFrames.add(this);
  }
  get [Symbol.toStringTag](): string {
    return "VideoFrame";
  }
  close(): void {
    openFrames.delete(this);
    // No message can contain a function.
    Object.assign(this, { closed: () => true });
  }
}

/** As a browser copies frames: a copy is to be closed, too. */
const clone = structuredClone;

function cloneFrames(value: unknown, options?: StructuredSerializeOptions): unknown {
  if (value instanceof Frame) return new Frame(clone(value).value);
  if (typeof value !== "object" || value === null || !("frame" in value)) return clone(value, options);
  return { ...value, frame: cloneFrames(value.frame) };
}

afterEach(() => {
  vi.unstubAllGlobals();
  openFrames.clear();
});

function open<Item, Memory = undefined>(
  handlers: Handlers<Item, unknown, undefined, Memory>,
  options: Partial<HandlerModelOptions<Item>> = {},
) {
  const site = handledSite(() => handlers);
  const fixed = { cache: false, executionProviders: ["wasm"], worker: () => new Worker("unused") } as const;
  const all = { ...fixed, recurrent: { state: "stateN" }, verify: { budgetMs: 600_000 }, ...options };
  return createHandledModelAt<Item, unknown>(site, keepSource(generateModel("sequence-rows").bytes), all, site);
}

interface WithFrame {
  readonly frame: Frame;
}

const OF_FRAMES: Handlers<WithFrame, number> = {
  preprocess: ({ frame }) => ({ x: Float32Array.of(frame.value, 0, 0, 0) }),
  postprocess: (_outputs, { frame }) => frame.value,
};

it("a sequence of frames, each closed after its result, goes on in a new worker, and no other request fails with it", async () => {
  const handlers: Handlers<{ readonly value: number }, number[], undefined, { values: number[] }> = {
    begin: () => ({ values: [] }),
    preprocess({ value }, { sequence }) {
      sequence.values.push(value);
      return { x: Float32Array.of(value, 0, 0, 0) };
    },
    postprocess: (_outputs, _item, { sequence }) => sequence.values,
  };
  await using model = await open(handlers);
  const sequence = model.sequence();
  const first = new Frame(1);
  expect(await sequence.predict(first)).toEqual([1]);
  first.close();
  await model.restart();
  const asked = [sequence.predict(new Frame(2)), model.sequence().predict({ value: 5 }), model.predict({ value: 7 })];
  expect(await Promise.all(asked)).toEqual([[1, 2], [5], [7]]);
  expect(await sequence.predict(new Frame(3))).toEqual([1, 2, 3]);
});

it("a sequence closes the copies of frames that it makes to restore its state", async () => {
  const model = await open(OF_FRAMES);
  vi.stubGlobal("structuredClone", cloneFrames);
  const sequence = model.sequence({ snapshotEvery: 2 });
  for (const value of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const frame = new Frame(value);
    expect(await sequence.predict({ frame })).toBe(value);
    frame.close();
  }
  sequence.reset();
  await sequence.dispose();
  await model.dispose();
  expect(openFrames.size).toBe(0);
});

it("a model that is disposed of closes the copies of frames of its sequences", async () => {
  const model = await open(OF_FRAMES);
  vi.stubGlobal("structuredClone", cloneFrames);
  const sequence = model.sequence({ snapshotEvery: 16 });
  for (const value of [1, 2, 3]) {
    const frame = new Frame(value);
    expect(await sequence.predict({ frame })).toBe(value);
    frame.close();
  }
  await model.dispose();
  expect(openFrames.size).toBe(0);
});

it("a step that never has its turn closes its copy of a frame", async () => {
  const model = await open(OF_FRAMES);
  vi.stubGlobal("structuredClone", cloneFrames);
  const sequence = model.sequence({ snapshotEvery: 1, overflow: "drop-oldest", maxQueueSize: 1 });
  const waiting = model.sequence({ snapshotEvery: 1, maxQueueSize: 1 });
  const frames = [1, 2, 3, 4, 5, 6, 7].map((value) => new Frame(value));
  const ask = (frame: Frame, index: number) => (index < 4 ? sequence : waiting).predict({ frame });
  const ends = await Promise.allSettled(frames.map(ask));
  const refused = ends.flatMap(({ status }, index) => (status === "rejected" ? [index] : []));
  expect(refused).toEqual([1, 2, 6]);
  for (const frame of frames) frame.close();
  await sequence.dispose();
  await waiting.dispose();
  await model.dispose();
  expect(openFrames.size).toBe(0);
});

/** An item with a method, which a copy of it has not: `shapeOf` gets the caller's own. */
class Clip {
  readonly samples: Float32Array;
  constructor(value: number) {
    this.samples = Float32Array.of(value, 0, 0, 0);
  }
  size(): number {
    return this.samples.length;
  }
}

it("shapeOf sees the caller's own item of a step, once", async () => {
  const handlers: Handlers<Clip, number> = {
    preprocess: ({ samples }) => ({ x: samples }),
    postprocess: (_outputs, { samples }) => samples[0]!,
  };
  const shapeOf = vi.fn((clip: Clip) => ({ group: "", extents: [clip.size()] }));
  await using model = await open(handlers, { shapeOf });
  const sequence = model.sequence();
  expect([await sequence.predict(new Clip(1)), await sequence.predict(new Clip(2))]).toEqual([1, 2]);
  expect(shapeOf).toHaveBeenCalledTimes(2);
});

it("a step that cannot be copied when its turn comes is rejected, and the next one has its turn", async () => {
  await using model = await open(OF_FRAMES);
  const sequence = model.sequence({ snapshotEvery: 64 });
  const [first, late] = [new Frame(1), new Frame(2)];
  const steps = [sequence.predict({ frame: first }), sequence.predict({ frame: late })];
  vi.stubGlobal("structuredClone", () => {
    throw new DOMException("no memory is left", "DataCloneError");
  });
  const [, second] = await Promise.allSettled(steps);
  expect(second).toMatchObject({ status: "rejected", reason: { code: "INVALID_INPUT" } });
  vi.stubGlobal("structuredClone", clone);
  expect(await sequence.predict({ frame: new Frame(3) })).toBe(3);
});
