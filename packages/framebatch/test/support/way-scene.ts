import { onTestFinished, vi } from "vitest";
import { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import type { BatcherConfig } from "@framebatch/batcher/batcher/batcher-config.js";
import type { Batch, Outcome } from "@framebatch/batcher/engine/engine.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { ManualFrames } from "@framebatch/host/test/manual-frames.js";
import { type AnsweredRows, answersOf } from "@framebatch/rows/collate/sent-rows.js";
import { asError } from "@framebatch/batcher/errors/errors.js";
import type { Agreement } from "@framebatch/rows/tensor/agreement.js";
import { WayComparison } from "../../src/ways/page/way-comparison.js";
import type { ComparedModel } from "../../src/ways/page/way-trial.js";
import type { ModelSession } from "../../src/client/workers/model-session.js";
import type { Run, RunResult } from "../../src/client/workers/pending-runs.js";
import { WorkerClient } from "../../src/client/workers/worker-client.js";
import { isSameWay, type Way } from "../../src/transport/providers.js";
import type { BatchCheck, WayRecord } from "../../src/transport/protocol.js";
import { UNHEARD } from "./channel-worker.js";
import { planAt, ready, runBy, scriptedSite } from "./scripted-plan.js";

export const ONE = { provider: "wasm", numThreads: 1 } as const;
export const TWO = { provider: "wasm", numThreads: 2 } as const;
export const GPU = { provider: "webgpu", numThreads: 1 } as const;
export const DAY_MS = 24 * 3600 * 1000;

/** The message of what a way refuses. */
export const REFUSED = "refused";

interface ComparedReply {
  readonly inferenceMs: number;
  readonly outputs?: AnsweredRows;
}

/** How a way runs batches. */
export interface Behaviour {
  /** The time of its nth run, of so many rows, begun at this time, in milliseconds. @default 10 */
  readonly ms?: (rows: number, run: number, atMs: number) => number;
  /** The factor of its answers to its nth run. @default 1 */
  readonly factor?: (run: number) => number;
  /** Whether it refuses items, as ONNX Runtime does: the worker goes on. @default none */
  readonly refuses?: (items: readonly number[]) => boolean;
  /** Whether its nth run ends, and how if it fails. @default each succeeds */
  readonly fault?: (run: number) => "none" | "hangs" | Error;
  /** @default it opens at once */
  readonly opens?: "never" | Error;
  /** The outcome of its check of batches. @default "passed" */
  readonly check?: BatchCheck["outcome"];
}

/** A run on one of the workers. */
export interface LoggedRun {
  readonly way: string;
  readonly rows: number;
  readonly beganAtMs: number;
  endedAtMs: number;
}

export const nameOf = ({ provider, numThreads }: Way) => `${provider} ${numThreads}`;

const siteOfOne = () => scriptedSite({ loads: [() => ready("wasm")] }, []);

/** A worker in one way, which makes one run after the other. */
class Device {
  readonly client: WorkerClient;
  readonly runs: LoggedRun[] = [];
  readonly #way: Way;
  readonly #behaviour: Behaviour;
  readonly #clock: ManualClock;
  #freeAtMs = 0;

  constructor(way: Way, behaviour: Behaviour, clock: ManualClock) {
    this.client = new WorkerClient(siteOfOne(), 1000, clock, UNHEARD);
    this.#way = way;
    this.#behaviour = behaviour;
    this.#clock = clock;
  }

  async run(items: readonly number[]): Promise<RunResult> {
    const { ms = () => 10, factor = () => 1, fault = () => "none", refuses = () => false } = this.#behaviour;
    const nth = this.runs.length + 1;
    const beganAtMs = Math.max(this.#clock.now(), this.#freeAtMs);
    const run = { way: nameOf(this.#way), rows: items.length, beganAtMs, endedAtMs: Infinity };
    this.runs.push(run);
    const how = fault(nth);
    if (how === "hangs") return new Promise(() => undefined);
    if (how !== "none") throw how;
    const tookMs = ms(items.length, nth, beganAtMs);
    this.#freeAtMs = run.endedAtMs = beganAtMs + tookMs;
    await new Promise<void>((resolve) => this.#clock.schedule(run.endedAtMs, resolve));
    if (refuses(items)) return { ok: false, error: new Error(REFUSED) };
    const data = Float32Array.from(items, (item) => item * factor(nth));
    const outputs = { y: { type: "float32", dims: [items.length], data } } as const;
    return { ok: true, reply: { ok: true, inferenceMs: tookMs, outputs } };
  }
}

interface Settings {
  /** What earlier visits have measured. @default nothing */
  readonly known?: WayRecord | null;
  readonly agreement?: Agreement;
  /** Whether the page's tab is hidden. */
  readonly isHidden?: () => boolean;
  /** Whether another page has the Web Lock. */
  readonly isLocked?: () => boolean;
  /** The time of day, in milliseconds since 1970. @default DAY_MS */
  readonly today?: number;
  readonly canChange?: boolean;
  readonly options?: Partial<BatcherConfig<number, number>>;
  readonly run?: Partial<Run>;
  /** Whether callers change the answers that they get. */
  readonly spoilsAnswers?: boolean;
}

/** Other ways are tried once the model has computed for 100 ms: a third of that would start one. */
const LOAD_MS = 66;

/** A page whose files take no time to arrive. */
function stubPage(isHidden: () => boolean, isLocked: () => boolean): void {
  const page = {
    get visibilityState() {
      return isHidden() ? "hidden" : "visible";
    },
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  };
  const locks = {
    request: async (_name: string, _options: unknown, hold: (granted: unknown) => unknown) =>
      hold(isLocked() ? null : {}),
  };
  vi.stubGlobal("document", page);
  vi.stubGlobal("navigator", { locks, connection: { downlink: 1e12 } });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });
}

/** A model whose requests a batcher gathers, and whose ways are compared. */
export function wayScene(
  own: Way,
  behaviours: readonly (readonly [Way, Behaviour])[],
  {
    known: ways = null,
    agreement = {},
    isHidden = () => false,
    isLocked = () => false,
    today = DAY_MS,
    canChange = true,
    options,
    run: changes,
    spoilsAnswers = false,
  }: Settings = {},
) {
  stubPage(isHidden, isLocked);
  vi.spyOn(Date, "now").mockReturnValue(today);
  const clock = new ManualClock();
  const log: string[] = [];
  const kept: WayRecord[] = [];
  const changed: string[] = [];
  const devices: Device[] = [];
  const otherWays = behaviours.map(([way]) => way).filter((way) => !isSameWay(way, own));
  const behaviourOf = (way: Way) => behaviours.find(([other]) => isSameWay(other, way))?.[1] ?? {};
  const sessionIn = (way: Way): ModelSession => {
    const device = new Device(way, behaviourOf(way), clock);
    devices.push(device);
    const { client } = device;
    client.terminate = () => void log.push(`close ${nameOf(way)}`);
    client.learn = (learned) => void ("ways" in learned && kept.push(learned.ways));
    const { model, trials } = ready(way.provider, { ...way, otherWays, ways, isNearGpu: true });
    const batchCheck = () => ({
      reason: "rows mix there",
      outcome: behaviourOf(way).check ?? "passed",
      fromCache: false,
    });
    return { client, model, trials, batchCheck, providerCheck: () => model.providerCheck };
  };
  let session = sessionIn(own);
  let isGone = false;
  const runOf = (items: readonly number[], predictedMs: number | null): Run => {
    const runOn: Run["runOn"] = (client) => devices.find((device) => device.client === client)!.run(items);
    return runBy(runOn, { size: items.length, predictedMs, ...changes });
  };
  const pool: ComparedModel["pool"] = {
    state: "ready",
    get session() {
      return session;
    },
    run: (batch) => batch.runOn(session.client, { timeoutMs: 1000, isDivided: false }),
    changeWay: async (way, why, wrong) => {
      changed.push(`${nameOf(way)}: ${why}${wrong ? `, and never again ${wrong}` : ""}`);
      if (canChange) session = sessionIn(way);
      return canChange;
    },
  };
  const open: ComparedModel["open"] = async ({ request: { numThreads } }, [provider], signal) => {
    const way = { provider: provider!, numThreads: numThreads ?? 1 };
    log.push(`open ${nameOf(way)}`);
    const { opens } = behaviourOf(way);
    if (opens === "never") {
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          log.push(`close ${nameOf(way)}`);
          reject(signal.reason);
        });
      });
    }
    if (opens !== undefined) throw opens;
    return sessionIn(way);
  };
  const answer = async (batch: Batch<number>, done: (outcome: Outcome<number>) => void) => done(await outcomeOf(batch));
  const outcomeOf = async ({ items, predictedMs }: Batch<number>): Promise<Outcome<number>> => {
    try {
      const result = await comparison.run(runOf(items, predictedMs));
      if (!result.ok) return { error: result.error, divisible: false };
      const { outputs = {}, inferenceMs }: ComparedReply = result.reply;
      const results = answersOf(outputs, items.length).map(({ y }) => Number(y?.data[0]));
      for (const { data } of Object.values(outputs).flat())
        if (spoilsAnswers && data instanceof Float32Array) data.fill(0);
      return { results, inferenceMs };
    } catch (error) {
      return { error: asError(error), divisible: false };
    }
  };
  const batcher: Batcher<number, number> = new Batcher<number, number>({
    clock,
    frames: new ManualFrames(),
    release: "idle",
    maxBatchSize: 16,
    handoverMs: 2,
    engine: { run: (batch, done) => void answer(batch, done) },
    onBatch: () => comparison.batchEnded(),
    ...options,
  });
  const plan = planAt(siteOfOne());
  const request = { ...plan.request, agreement };
  const model = { pool, plan: { ...plan, request }, loadMs: LOAD_MS, batcher: () => batcher, open };
  const comparison = new WayComparison(model, clock);
  /** How each request has ended, in the order of their ends. */
  const ends: { readonly item: number; readonly value: unknown; readonly tookMs: number; readonly atMs: number }[] = [];
  let asked = 0;
  const ask = (): Promise<void> => {
    const [item, sinceMs] = [(asked += 1), clock.now()];
    return new Promise((resolve) => {
      const end = (value: unknown) => {
        ends.push({ item, value, tookMs: clock.now() - sinceMs, atMs: clock.now() });
        resolve();
      };
      batcher.enqueue(item, { resolve: end, reject: end });
    });
  };
  const callAlways = async (): Promise<void> => {
    await ask();
    if (!isGone) void callAlways();
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 24; turn += 1) {
      await Promise.resolve();
      clock.endTask();
    }
  };
  /** Lets time pass until `isEnough`, or for so long. */
  const pass = async (ms: number, isEnough: () => boolean = () => false): Promise<void> => {
    const endMs = clock.now() + ms;
    await settle();
    while (clock.nextAtMs <= endMs && !isEnough()) {
      clock.advanceTo(clock.nextAtMs);
      await settle();
    }
    if (!isEnough()) clock.advanceTo(endMs);
  };
  return {
    clock,
    comparison,
    batcher,
    log,
    kept,
    changed,
    ends,
    ask,
    pass,
    asked: () => asked,
    /** All runs of all workers, in the order of their beginning. */
    runs: () => devices.flatMap(({ runs }) => runs).toSorted((a, b) => a.beganAtMs - b.beganAtMs),
    /** Starts callers that ask again whenever they are answered. */
    call: (callers: number) => void Array.from({ length: callers }, callAlways),
    /** Ends the callers after their next answer. */
    leave: () => (isGone = true),
  };
}
