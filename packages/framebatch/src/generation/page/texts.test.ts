import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { until } from "@framebatch/host/test/settling.js";
import type { PredictOptions } from "@framebatch/batcher/options/options.js";
import { Texts as WorkerTexts } from "../worker/texts.js";
import { AddingDecoder } from "../../../test/support/adding-decoder.js";
import { maxCrashes } from "../../client/workers/crash-history.js";
import type { PendingRun, RunResult } from "../../client/workers/pending-runs.js";
import type { TextsRequest } from "../generation-messages.js";
import { PageText, type QueuedText } from "./page-text.js";
import { Texts, type TextsClient, type TextsRun } from "./texts.js";

interface Timer {
  readonly atMs: number;
  readonly fire: () => void;
}

const NOTHING = { tensors: {}, length: 0 };
const CRASH = new FramebatchError("WORKER_CRASHED", "the test ends it");
/** What a worker that has ended leaves. */
const AGAIN: RunResult = { ok: false, error: new Error("the worker has ended") };

/** The page half on a worker half with a fake decoder, which a test may end. */
class Scene {
  readonly fake = new AddingDecoder();
  readonly requests: TextsRequest[] = [];
  readonly texts: Texts;
  readonly timers = new Set<Timer>();
  nowMs = 0;
  isDone = false;
  /** Called before each run in the worker: may throw, or reply in its place. */
  before: (request: TextsRequest) => RunResult | null = () => null;
  /** Whether a run ends its worker. @param runs number of runs of that worker before */
  endsWorker: (request: TextsRequest, runs: number) => boolean = () => false;
  /** Whether a failed run is repeated on another worker, while this one goes on: its provider is in doubt. */
  doubts = false;
  #client = this.#worker();
  #count = 0;

  constructor({ maxTexts = 8, maxQueueSize = 100 } = {}) {
    this.fake.rules.runMs = 10;
    this.texts = new Texts({
      run: (run) => this.#run(run),
      timer: {
        now: () => this.nowMs,
        schedule: (atMs, fire) => {
          const timer = { atMs, fire };
          this.timers.add(timer);
          return () => void this.timers.delete(timer);
        },
      },
      limits: { maxTexts, bytesPerToken: 1, bytesPerGiven: 1, maxCacheBytes: Infinity },
      maxQueueSize,
      onUse: () => undefined,
    });
  }

  add(prompt: readonly number[], maxNewTokens = 5, options: PredictOptions = {}): PageText {
    const text = new PageText();
    const choice = { sample: null, repetitionPenalty: 1 };
    const sent = { id: ++this.#count, promptLength: prompt.length, maxNewTokens, stop: [], ...choice };
    const queued: QueuedText = { text, sent, given: NOTHING, prompt, key: options.key, rank: 0, losses: 0 };
    this.texts.add(queued, options);
    return text;
  }

  /** Ends the worker: the next run begins in another one. */
  lose(): void {
    this.#client = this.#worker();
  }

  /** Makes a run, again in the next worker if its own has ended, as `WorkerSlot` does. */
  async #run(run: TextsRun): Promise<RunResult> {
    for (let crashes = 0; ;) {
      const client = this.#client;
      try {
        const result = await run.runOn(client, run);
        if (!result.ok && this.doubts) return run.runOn(this.#worker(), run);
        if (result !== AGAIN) return result;
      } catch (error) {
        if (client.interrupted === null || !(error instanceof Error)) throw error;
        if (client === this.#client) this.lose();
        crashes += Number(client.interrupted === run);
        if (crashes === maxCrashes(run)) return { ok: false, error };
      }
    }
  }

  #worker(): TextsClient {
    const { decoder, run } = this.fake;
    const now = () => this.fake.nowMs;
    const parts = { decoder, run, choose: null, agreement: {}, now, isMixing: () => false };
    const half = new WorkerTexts({
      ...parts,
      gpu: { memory: () => Promise.resolve(null), wants: () => false, compare: () => undefined },
    });
    let hasEnded = false;
    let runs = 0;
    let interrupted: PendingRun | null = null;
    return {
      get interrupted() {
        return interrupted;
      },
      run: async (request, _transfer, pending) => {
        if (hasEnded) return AGAIN;
        if (interrupted === null && this.endsWorker(request, runs)) interrupted = pending;
        if (interrupted !== null) throw CRASH;
        runs += 1;
        this.requests.push(request);
        const early = this.before(request);
        hasEnded = early === AGAIN;
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

  it("says no token twice when a run that failed is repeated on another worker, while the next one runs where it was", async () => {
    const scene = new Scene();
    scene.doubts = true;
    scene.before = () => (scene.requests.length === 3 ? { ok: false, error: new Error("the third run fails") } : null);
    const text = scene.add([5, 6], 30);
    expect((await text.result).tokens).toEqual(scene.fake.text([5, 6], 30));
    expect(scene.requests.filter(({ joining }) => joining.length > 0).length).toBeGreaterThan(1);
  });

  it("tells the worker of a text that has ended on the page, also of the last one", async () => {
    const scene = new Scene();
    const text = scene.add([1], 100);
    for await (const _ of text) break;
    expect(await codeOf(text)).toContain("AbortError");
    await expect.poll(() => scene.texts.stats()).toMatchObject({ running: 0, waiting: 0, cacheBytes: 0 });
    expect(scene.requests.at(-1)).toMatchObject({ texts: [], joining: [] });
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

  it("finds the text that ends workers also where other runs succeed in each of them before, as those that measure", async () => {
    const scene = new Scene();
    scene.endsWorker = ({ texts }, runs) => texts.includes(2) && (texts.length === 1 || runs > 2);
    const texts = [1, 2, 3].map((token) => scene.add([token], 30));
    expect(await Promise.all(texts.map(codeOf))).toEqual(["none", "WORKER_CRASHED", "none"]);
  });

  it("blames no text for what one has done that has been aborted meanwhile", async () => {
    const scene = new Scene();
    const controller = new AbortController();
    let ended = 0;
    scene.endsWorker = ({ texts: ids }) => {
      if (!ids.includes(1)) return false;
      ended += 1;
      if (ended === 2) controller.abort();
      return true;
    };
    const texts = [scene.add([1], 5, { signal: controller.signal }), scene.add([2])];
    expect(await Promise.all(texts.map(codeOf))).toEqual([expect.stringContaining("AbortError"), "none"]);
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

  it("counts a text with a key of its own among those that wait", async () => {
    const scene = new Scene({ maxTexts: 1, maxQueueSize: 1 });
    const [first, second, third] = ["a", "b", "c"].map((key) => scene.add([1], 5, { key }));
    expect(await codeOf(third!)).toBe("OVERLOADED");
    // One that supersedes takes no other place.
    const newer = scene.add([2], 5, { key: "b" });
    expect(await Promise.all([first, second, newer].map((text) => codeOf(text!)))).toEqual([
      "none",
      "SUPERSEDED",
      "none",
    ]);
  });

  it("follows the priority of a signal: an urgent text takes the place of one in the background, which goes on later", async () => {
    const scene = new Scene({ maxTexts: 1 });
    const controller = new AbortController();
    const signal = Object.assign(controller.signal, { priority: "user-blocking" });
    const background = scene.add([1], 20, { signal });
    const iterator = background[Symbol.asyncIterator]();
    await iterator.next();
    Object.assign(signal, { priority: "background" });
    signal.dispatchEvent(new Event("prioritychange"));
    const urgent = scene.add([2], 3);
    await urgent.result;
    expect(background.isSettled).toBe(false);
    expect((await background.result).tokens).toEqual(scene.fake.text([1], 20));
  });

  /** Resolves when nothing runs any more. */
  async function quiet(scene: Scene): Promise<void> {
    let before = -1;
    await until(() => {
      const isQuiet = before === scene.requests.length;
      before = scene.requests.length;
      return isQuiet;
    });
  }

  it("pauses a text while its loop is behind, and goes on from its cache", async () => {
    const scene = new Scene();
    const text = scene.add([1, 2], 100);
    const seen: number[] = [];
    for await (const token of text) {
      seen.push(token);
      if (![1, 10, 50].includes(seen.length)) continue;
      await quiet(scene);
      // The most that may be unread, and what two runs add.
      expect(text.tokens.length - seen.length).toBeLessThan(40);
      expect(scene.texts.stats()).toMatchObject({ running: 0, waiting: 1 });
    }
    expect(seen).toEqual(scene.fake.text([1, 2], 100));
    expect(scene.requests.flatMap(({ joining }) => joining)).toHaveLength(1);
  });

  it("waits for the fastest loop", async () => {
    const scene = new Scene();
    const text = scene.add([1, 2], 100);
    await text[Symbol.asyncIterator]().next();
    const seen: number[] = [];
    for await (const token of text) seen.push(token);
    expect(seen).toHaveLength(100);
  });

  it("waits for no loop once the result was asked for, also within the loop", async () => {
    const scene = new Scene();
    const [text, other] = [scene.add([1, 2], 100), scene.add([3], 100)];
    const whole = other.result;
    const seen: number[] = [];
    for await (const token of text) {
      seen.push(token);
      if (seen.length > 1) continue;
      await other[Symbol.asyncIterator]().next();
      await quiet(scene);
      expect((await whole).tokens).toHaveLength(100);
      expect(text.isSettled).toBe(false);
      expect((await text.result).tokens).toHaveLength(100);
    }
    expect(seen).toEqual(scene.fake.text([1, 2], 100));
  });

  it("lets a text that waits have the place of one that is paused", async () => {
    const scene = new Scene({ maxTexts: 1 });
    const slow = scene.add([1, 2], 100);
    const loop = slow[Symbol.asyncIterator]();
    const seen = [(await loop.next()).value];
    await quiet(scene);
    expect((await scene.add([3], 20).result).tokens).toEqual(scene.fake.text([3], 20));
    expect(slow.isSettled).toBe(false);
    for (let next = await loop.next(); next.done !== true; next = await loop.next()) seen.push(next.value);
    expect(seen).toEqual(scene.fake.text([1, 2], 100));
    expect(scene.requests.flatMap(({ joining }) => joining.map(({ id }) => id))).toEqual([1, 2, 1]);
  });

  it("gives a loop the tokens that have come before an error, and none after an abort", async () => {
    const controller = new AbortController();
    const scene = new Scene();
    const [late, aborted] = [scene.add([1], 100, { timeoutMs: 9 }), scene.add([2], 100, { signal: controller.signal })];
    const loops = [late, aborted].map((text) => text[Symbol.asyncIterator]());
    for (const loop of loops) await loop.next();
    await quiet(scene);
    for (const { fire } of scene.timers) fire();
    controller.abort();
    let count = 1;
    const read = async () => {
      while ((await loops[0]!.next()).done !== true) count += 1;
    };
    await expect(read()).rejects.toMatchObject({ code: "TIMED_OUT" });
    expect(count).toBe(late.tokens.length);
    expect(count).toBeGreaterThanOrEqual(32);
    await expect(loops[1]!.next()).rejects.toThrow("aborted");
    expect(await loops[1]!.return!()).toEqual({ done: true, value: undefined });
    expect(await loops[1]!.next()).toEqual({ done: true, value: undefined });
  });

  it("ends a loop with an abort after the end of the text, unless the loop has all tokens", async () => {
    const controller = new AbortController();
    const scene = new Scene();
    const text = scene.add([1], 5, { signal: controller.signal });
    const [slow, fast] = [text[Symbol.asyncIterator](), text[Symbol.asyncIterator]()];
    const { tokens } = await text.result;
    await slow.next();
    for (const value of tokens) expect(await fast.next()).toEqual({ done: false, value });
    controller.abort("stop");
    await expect(slow.next()).rejects.toBe("stop");
    expect(await fast.next()).toEqual({ done: true, value: undefined });
  });

  it("does not count paused texts among those that wait for a place, and is not busy with them", async () => {
    const scene = new Scene({ maxTexts: 1, maxQueueSize: 1 });
    const slow = [1, 2, 3].map((token) => ({ token, loop: null as AsyncIterator<number> | null }));
    for (const each of slow) {
      each.loop = scene.add([each.token], 100)[Symbol.asyncIterator]();
      await each.loop.next();
      await quiet(scene);
    }
    expect(scene.texts.isBusy).toBe(false);
    expect((await scene.add([4], 5).result).tokens).toHaveLength(5);
  });

  it("tells the worker of a text that ends while it is paused", async () => {
    const scene = new Scene();
    const text = scene.add([1, 2], 100, { timeoutMs: 100 });
    await text[Symbol.asyncIterator]().next();
    await quiet(scene);
    for (const { fire } of scene.timers) fire();
    expect(await codeOf(text)).toBe("TIMED_OUT");
    await quiet(scene);
    expect(scene.requests.at(-1)).toMatchObject({ texts: [], joining: [] });
    expect(scene.texts.stats()).toMatchObject({ running: 0, waiting: 0, cacheBytes: 0 });
  });

  it("blames no paused text for a worker that ends", async () => {
    const scene = new Scene();
    const slow = scene.add([1, 2], 100);
    const loop = slow[Symbol.asyncIterator]();
    await loop.next();
    await quiet(scene);
    scene.endsWorker = ({ texts, paused }) => texts.some((id) => id === 2 && !paused.includes(id));
    expect(await codeOf(scene.add([3]))).toBe("WORKER_CRASHED");
    let count = 1;
    for (let next = await loop.next(); next.done !== true; next = await loop.next()) count += 1;
    expect(count).toBe(100);
  });

  it("gives each text its own tokens, each once, whatever happens to workers, and whoever comes and leaves", async () => {
    const text = fc.record({
      prompt: fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 6 }),
      maxNewTokens: fc.oneof(fc.integer({ min: 1, max: 15 }), fc.integer({ min: 60, max: 90 })),
      /** Number of microtasks between its tokens. */
      pace: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat({ max: 200 })),
      /** Number of runs before it comes. */
      comesAt: fc.nat({ max: 12 }),
      leavesAfter: fc.option(fc.integer({ min: 1, max: 10 }), { freq: 4 }),
      priority: fc.constantFrom("user-blocking" as const, "user-visible" as const, "background" as const),
    });
    /**
     * What happens at each run: the worker that has it answers, but others go on in another one; or it ends, and the
     * run repeats.
     */
    const fates = fc.array(fc.constantFrom("answer", "answer", "answer", "leave", "end"), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 7 }),
        fates,
        fc.integer({ min: 1, max: 4 }),
        async (texts, fate, maxTexts) => {
          const scene = new Scene({ maxTexts });
          let runs = 0;
          const hooks: (() => void)[] = [];
          scene.before = () => {
            runs += 1;
            for (const hook of hooks) hook();
            const next = fate[runs];
            if (next === "leave") scene.lose();
            if (next !== "end") return null;
            scene.lose();
            return AGAIN;
          };
          const reading = texts.map(async ({ prompt, maxNewTokens, pace, comesAt, leavesAfter, priority }, index) => {
            // Some text must be there for runs to be counted.
            if (index > 0)
              await new Promise<void>((resolve) =>
                hooks.push(() => void ((runs >= comesAt || scene.isDone) && resolve())),
              );
            const own = scene.add(prompt, maxNewTokens, { priority });
            const seen: number[] = [];
            for await (const token of own) {
              seen.push(token);
              if (seen.length === leavesAfter) break;
              for (let turn = 0; turn < pace; turn += 1) await Promise.resolve();
            }
            expect(seen).toEqual(scene.fake.text(prompt, Math.min(maxNewTokens, leavesAfter ?? Infinity)));
          });
          await Promise.all(reading.slice(0, 1));
          scene.isDone = true;
          for (const hook of hooks) hook();
          await Promise.all(reading);
        },
      ),
    );
  });
});
