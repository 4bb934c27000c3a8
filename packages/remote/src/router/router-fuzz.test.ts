import fc from "fast-check";
import { expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Origin, Ticket } from "@framebatch/batcher/queue/request.js";
import type { RecordingEngine } from "@framebatch/batcher/test/recording-engine.js";
import { CRASHED, DOWN, routing } from "../../test/support/routing.js";
import { expectSums } from "@framebatch/batcher/test/sums.js";

const SCENARIOS = process.env["FRAMEBATCH_ALL"] === undefined ? 150 : 3000;
const STATES = ["ready", "recovering", "failed"] as const;

/** How an engine can end a batch. */
const ENDS: readonly ((engine: RecordingEngine) => void)[] = [
  (engine) => engine.answer(),
  (engine) => engine.answer(() => ({ error: CRASHED, divisible: false })),
  (engine) => engine.answer(() => ({ error: DOWN, divisible: false })),
  (engine) => engine.answer(() => ({ error: new FramebatchError("OUT_OF_MEMORY", "too large"), divisible: true })),
  (engine) =>
    engine.answer(() => ({
      error: new FramebatchError("INFERENCE_FAILED", "bad item"),
      divisible: true,
      isRepeatable: true,
    })),
  (engine) =>
    engine.answer((items) => ({
      results: items.map((item) =>
        item.length % 2 === 0 ? item.toUpperCase() : new FramebatchError("REMOTE_INVALID", "one row"),
      ),
    })),
];

type Step = (scene: Scene) => void;

const origin = fc.constantFrom<Origin[]>("device", "server");

/** One thing that callers, engines or time do. */
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({
        count: fc.integer({ min: 1, max: 5 }),
        key: fc.constantFrom(undefined, undefined, "one", "two"),
        timeoutMs: fc.constantFrom(undefined, undefined, 30, 200),
        priority: fc.constantFrom("user-blocking" as const, "user-visible" as const, "background" as const),
      })
      .map((options) => (scene: Scene) => scene.ask(options)),
  },
  {
    weight: 5,
    arbitrary: fc.tuple(origin, fc.constantFrom(...ENDS)).map(
      ([of, end]) =>
        (scene: Scene) =>
          scene.end(of, end),
    ),
  },
  { weight: 2, arbitrary: fc.nat(400).map((ms) => (scene: Scene) => scene.advance(ms)) },
  { weight: 1, arbitrary: fc.nat().map((index) => (scene: Scene) => scene.cancel(index)) },
  { weight: 1, arbitrary: fc.constantFrom(...STATES).map((state) => (scene: Scene) => scene.setState(state)) },
  { weight: 1, arbitrary: fc.constant((scene: Scene) => scene.flush()) },
  { weight: 1, arbitrary: fc.boolean().map((hasJoined) => (scene: Scene) => scene.loaded(hasJoined)) },
);

interface Asked {
  readonly count: number;
  readonly key: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly priority: "user-blocking" | "user-visible" | "background";
}

/** A router with two batchers, and the requests that were made. */
class Scene {
  readonly routed: ReturnType<typeof routing>;
  readonly #tickets: Ticket[] = [];
  readonly #asked: string[] = [];
  readonly #cancelled = new Set<string>();
  #isLoading: boolean;

  constructor(options: NonNullable<Parameters<typeof routing>[0]>) {
    this.routed = routing(options);
    this.#isLoading = options.isLoading === true;
  }

  ask({ count, key, timeoutMs, priority }: Asked): void {
    for (let index = 0; index < count; index++) {
      const item = `item ${this.#asked.length}`;
      this.#asked.push(item);
      const own = { ...(key !== undefined && { key }), ...(timeoutMs !== undefined && { timeoutMs }), priority };
      this.#tickets.push(this.routed.ask(item, own));
    }
    this.#turn();
  }

  end(of: Origin, end: (engine: RecordingEngine) => void): void {
    const engine = this.routed.engines[of];
    if (engine.open > 0) end(engine);
    this.#turn();
  }

  advance(ms: number): void {
    this.routed.clock.advanceTo(this.routed.clock.now() + ms);
    this.#turn();
  }

  cancel(index: number): void {
    const at = index % Math.max(1, this.#tickets.length);
    const [item, ticket] = [this.#asked[at], this.#tickets[at]];
    if (item === undefined || ticket === undefined) return;
    if (!(item in this.routed.outcomes)) this.#cancelled.add(item);
    ticket.cancel("cancelled");
    this.#turn();
  }

  setState(state: (typeof STATES)[number]): void {
    const { model, local, router } = this.routed;
    model.state = state;
    if (state === "recovering") local.pause();
    else local.resume();
    router.sidesChanged();
    this.#turn();
  }

  flush(): void {
    this.routed.router.flush();
    this.#turn();
  }

  loaded(hasJoined: boolean): void {
    if (this.#isLoading) this.routed.loaded(hasJoined);
    this.#isLoading = false;
    this.#turn();
  }

  /** Ends all faults, answers what is open, and checks every outcome. */
  finish(): void {
    this.setState("ready");
    this.loaded(true);
    const { engines, clock, router, local, remote, outcomes } = this.routed;
    for (let turns = 0; engines.device.open + engines.server.open > 0 && turns < 1000; turns++) {
      this.end("device", (engine) => engine.answer());
      this.end("server", (engine) => engine.answer());
    }
    expect(Object.keys(outcomes).toSorted()).toEqual(this.#asked.toSorted());
    for (const item of this.#asked) this.#checkOutcome(item, outcomes[item]);
    const counts = router.counts.snapshot();
    expect(counts.open).toBe(0);
    expect(counts.offered).toBe(this.#asked.length);
    for (const batcher of [local, remote]) {
      expectSums(batcher.stats());
      expect(batcher.stats().requests).toMatchObject({ queued: 0, inFlight: 0 });
    }
    expect(clock.pending, "timers").toBe(0);
  }

  #checkOutcome(item: string, outcome: unknown): void {
    if (this.#cancelled.has(item)) return expect(outcome, item).toBe("cancelled");
    if (String(outcome).startsWith("ITEM")) return expect(outcome).toMatch(new RegExp(`^${item.toUpperCase()}'? `));
    expect(outcome, item).toMatch(/^[A-Z_]+$/);
  }

  #turn(): void {
    const { clock, router, local, remote } = this.routed;
    clock.endTask();
    const open = [local, remote].map((batcher) => batcher.stats().requests);
    // A request is in one batcher, unless it waits for the device to load.
    const inBatchers = open.reduce((sum, { queued, inFlight }) => sum + queued + inFlight, 0);
    if (this.#isLoading) expect(router.counts.snapshot().open).toBeGreaterThanOrEqual(inBatchers);
    else expect(router.counts.snapshot().open).toBe(inBatchers);
  }
}

it("every request settles exactly once, with its own result or an error, whatever fails", () => {
  const scenario = fc.record({
    preferred: origin,
    maxLatencyMs: fc.constantFrom(undefined, 100),
    maxQueueSize: fc.constantFrom(4, 1000),
    isLoading: fc.boolean(),
    steps: fc.array(step, { minLength: 5, maxLength: 60 }),
  });
  const property = fc.property(scenario, ({ preferred, maxLatencyMs, maxQueueSize, isLoading, steps }) => {
    const side = { maxQueueSize };
    const scene = new Scene({
      preferred,
      isLoading,
      ...(maxLatencyMs !== undefined && { maxLatencyMs }),
      device: side,
      server: side,
    });
    for (const run of steps) run(scene);
    scene.finish();
  });
  fc.assert(property, { numRuns: SCENARIOS });
}, 120_000);
