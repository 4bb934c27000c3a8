import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { PredictOptions } from "@framebatch/batcher/options/options.js";
import { Texts as WorkerTexts } from "../worker/texts.js";
import { AddingDecoder } from "../../../test/support/adding-decoder.js";
import type { RunResult } from "../../client/workers/run.js";
import type { TextsRequest } from "../../transport/generation.js";
import { PageText } from "./page-text.js";
import { Texts, type TextsClient } from "./texts.js";

interface Timer {
  readonly atMs: number;
  readonly fire: () => void;
}

/** The page half on a worker half with a fake decoder, which a test may end. */
class Scene {
  readonly fake = new AddingDecoder();
  readonly requests: TextsRequest[] = [];
  readonly texts: Texts;
  readonly timers = new Set<Timer>();
  nowMs = 0;
  /** Called before each run in the worker: may throw, or reply in its place. */
  before: (request: TextsRequest) => RunResult | null = () => null;
  #client = this.#worker();
  #count = 0;

  constructor({ maxTexts = 8, maxQueueSize = 100 } = {}) {
    this.fake.rules.runMs = 10;
    this.texts = new Texts({
      run: async (run) => run.runOn(this.#client, run),
      timer: {
        now: () => this.nowMs,
        schedule: (atMs, fire) => {
          const timer = { atMs, fire };
          this.timers.add(timer);
          return () => void this.timers.delete(timer);
        },
      },
      limits: { maxTexts, bytesPerToken: 1, maxCacheBytes: Infinity },
      maxQueueSize,
      onUse: () => undefined,
    });
  }

  add(prompt: readonly number[], maxNewTokens = 5, options: PredictOptions = {}): PageText {
    const text = new PageText();
    const choice = { sample: null, repetitionPenalty: 1 };
    const sent = { id: ++this.#count, promptLength: prompt.length, maxNewTokens, stop: [], given: {}, ...choice };
    this.texts.add({ text, sent, prompt, key: options.key, rank: 0 }, options);
    return text;
  }

  /** Ends the worker: the next run begins in another one. */
  lose(): void {
    this.#client = this.#worker();
  }

  #worker(): TextsClient {
    const { decoder, run } = this.fake;
    const half = new WorkerTexts({ decoder, run, agreement: {}, now: () => this.fake.nowMs, isMixing: () => false });
    return {
      run: async (request) => {
        this.requests.push(request);
        const early = this.before(request);
        if (early !== null) return early;
        await Promise.resolve();
        const reply = await half.run(request);
        return reply.ok ? { ok: true, reply } : { ok: false, error: new Error(reply.error.message) };
      },
    };
  }
}

const codeOf = (text: PageText) =>
  text.result.then(
    () => "none",
    (error: unknown) => (error instanceof FramebatchError ? error.code : String(error)),
  );

describe("Texts", () => {
  it("sends each text to a worker once, and all of a task in the first run", async () => {
    const scene = new Scene();
    const texts = [1, 2, 3].map((token) => scene.add([token, 4]));
    const results = await Promise.all(texts.map(({ result }) => result));
    for (const [index, { tokens }] of results.entries()) expect(tokens).toEqual(scene.fake.text([index + 1, 4], 5));
    expect(scene.requests[0]!.joining.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(scene.requests.flatMap(({ joining }) => joining)).toHaveLength(3);
  });

  it("sends a text again to another worker, with all its tokens, and says none twice", async () => {
    const scene = new Scene();
    const text = scene.add([5, 6], 30);
    const seen: number[] = [];
    for await (const token of text) {
      seen.push(token);
      if (seen.length === 7 || seen.length === 19) scene.lose();
    }
    expect(seen).toEqual(scene.fake.text([5, 6], 30));
    const sent = scene.requests.flatMap(({ joining }) => joining);
    expect(sent).toHaveLength(3);
    for (const { tokens } of sent) expect(tokens).toEqual([5, 6, ...seen].slice(0, tokens.length));
  });

  it("tells the worker of a text that has ended on the page, also of the last one", async () => {
    const scene = new Scene();
    const text = scene.add([1], 100);
    for await (const _ of text) break;
    expect(await codeOf(text)).toContain("AbortError");
    await Promise.resolve();
    while (scene.requests.at(-1)!.texts.length > 0) await new Promise((resolve) => setTimeout(resolve));
    expect(scene.requests.at(-1)).toMatchObject({ texts: [], joining: [] });
    expect(scene.texts.stats()).toMatchObject({ running: 0, waiting: 0, cacheBytes: 0 });
  });

  it("finds the text that ends workers by running each alone, and rejects it alone", async () => {
    const scene = new Scene();
    const crash = new FramebatchError("WORKER_CRASHED", "the test ends it");
    scene.before = ({ texts }) => {
      if (!texts.includes(2)) return null;
      scene.lose();
      return { ok: false, error: crash };
    };
    const texts = [1, 2, 3].map((token) => scene.add([token]));
    expect(await Promise.all(texts.map(codeOf))).toEqual(["none", "WORKER_CRASHED", "none"]);
    expect(scene.requests.every((request) => request.texts.length <= 3)).toBe(true);
  });

  it("rejects every text when no worker can be had, and takes later ones", async () => {
    const scene = new Scene();
    scene.before = () => {
      throw new FramebatchError("WORKER_CRASHED", "no worker starts");
    };
    const texts = [1, 2, 3].map((token) => scene.add([token]));
    expect(await Promise.all(texts.map(codeOf))).toEqual(Array.from({ length: 3 }, () => "WORKER_CRASHED"));
    scene.before = () => null;
    expect(await codeOf(scene.add([1]))).toBe("none");
  });

  it("rejects a text when its time has passed, and one for which there is no room", async () => {
    const scene = new Scene({ maxTexts: 1, maxQueueSize: 1 });
    const first = scene.add([1], 5, { timeoutMs: 100 });
    const [second, third] = [scene.add([2]), scene.add([3])];
    expect(await codeOf(third)).toBe("OVERLOADED");
    const [timer] = [...scene.timers];
    expect(timer!.atMs).toBe(100);
    timer!.fire();
    expect(await codeOf(first)).toBe("TIMED_OUT");
    expect(await codeOf(second)).toBe("none");
    expect(scene.timers.size).toBe(0);
  });

  it("follows the priority of a signal: an urgent text takes the place of one in the background, which goes on later", async () => {
    const scene = new Scene({ maxTexts: 1 });
    const background = scene.add([1], 20, { priority: "background" });
    const iterator = background[Symbol.asyncIterator]();
    await iterator.next();
    const urgent = scene.add([2], 3, { priority: "user-blocking" });
    await urgent.result;
    expect(background.isSettled).toBe(false);
    expect((await background.result).tokens).toEqual(scene.fake.text([1], 20));
  });
});
