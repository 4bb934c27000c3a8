import type { Cancel } from "@framebatch/host/clock.js";
import { after, type Timer, hostTimer } from "@framebatch/host/host-timer.js";
import { asError } from "@framebatch/batcher/errors/errors.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { disagreement } from "@framebatch/rows/tensor/agreement.js";
import { type ExecutionProvider, type ProviderCheck, traitsOf } from "../../transport/providers.js";
import { endsWorker } from "../ort/runtime-error.js";
import type { DeviceTensors } from "../session/feeds-reply.js";
import { type Reference, prepareReference } from "../session/create-session.js";
import { type AnsweredItem, ComparedItems, type ItemSize, type Sizes } from "../../verification/worker/verification.js";
import type { Tensors } from "../../verification/worker/check-runs.js";
import type { CommonParts } from "./session-runs.js";
import { memoryGiB } from "@framebatch/host/page.js";
import type { WorkerNotice } from "../../transport/protocol.js";
import { isCompared, providerContext } from "../files/known-model.js";
import type { ModelFiles } from "../files/model-files.js";
import type { JudgedWay } from "../session/started-load.js";
import type { Backend } from "../session/trial.js";

/**
 * How long a short call waits for the worker to be idle, in milliseconds. Then it takes its turn among the requests.
 */
const PATIENCE_MS = 2000;
/** Maximum predicted time of such a call, in milliseconds: requests wait for it. */
const MAX_TURN_MS = 100;
/** Maximum predicted time of a call while the worker is idle, in milliseconds: a request may arrive during it. */
const MAX_IDLE_MS = 1000;
/** A model of this size or less, in bytes, is taken to be short to create and to run for the first time. */
const SMALL_BYTES = 2 ** 22;
/** Time between two calls, as a multiple of what the last one took. */
const REST = 10;

export interface ProviderComparisonConfig {
  readonly provider: ExecutionProvider;
  readonly signature: ModelSignature;
  /** What an earlier visit has found; `null` if nothing. */
  readonly known: ProviderCheck | null;
  readonly modelBytes: number;
  readonly lock: CommonParts["lock"];
  /** Reads the model's file. Returns a function that creates a session on WASM. */
  readonly prepare: () => Promise<() => Promise<Reference>>;
  /** Called before and after each call into ONNX Runtime, with the numbers of the notice "checking". */
  readonly onChecking: (rows: number) => void;
  /** Called if a call has ended the worker. */
  readonly onLost: (thrown: unknown) => void;
  /** Called with each new outcome. */
  readonly onChecked: (check: ProviderCheck) => void;
  readonly timer: Timer;
}

/**
 * Compares the answers of a provider with those that WASM gives to the same items of requests, in the background: when
 * the worker is idle, or else in short turns. One item of each doubling of a size is enough. The session on WASM exists
 * only while items wait.
 */
export class ProviderComparison {
  readonly #config: ProviderComparisonConfig;
  readonly #items: ComparedItems;
  #check: ProviderCheck;
  #compared: ItemSize[];
  /** Number of items that WASM would take too long for. */
  #tooLong = 0;
  /** The longest time of a run on WASM for each element of an item, in milliseconds; `null` before the first. */
  #elementMs: number | null = null;
  #needsElements = false;
  #isLost = false;
  #isBusy = false;
  #isOver = false;

  constructor(config: ProviderComparisonConfig) {
    const { provider, known, signature } = config;
    this.#config = config;
    this.#compared = [...(known?.comparedSizes ?? [])];
    this.#items = new ComparedItems(signature, this.#compared);
    this.#isOver = known?.outcome === "failed" || known?.outcome === "skipped";
    const reason = "not known yet: the first items of requests will be compared with WASM while nothing else runs";
    this.#check = known ?? { provider, outcome: "inconclusive", reason, comparedSizes: [], fromCache: false };
  }

  /** The outcome so far. */
  get check(): ProviderCheck {
    return this.#check;
  }

  /** Whether the next run should have all of its inputs and outputs where the processor can read them. */
  get needsElements(): boolean {
    return this.#needsElements && !this.#isOver;
  }

  /** Whether a run with inputs of these dims is worth a comparison. */
  wants(inputs: Sizes): boolean {
    return !this.#isOver && this.#items.wants(inputs);
  }

  /** Compares a run that is worth it. @param elements on how many its time depends; default: all of its feeds */
  compare(feeds: Tensors, answers: Tensors, elements?: number): void {
    this.#items.take(feeds, answers, elements);
    if (!this.#isBusy) void this.#compareAll();
  }

  /** Notes a run of requests that has succeeded. */
  saw(feeds: Tensors, { inputs, outputs }: DeviceTensors, answers: Tensors): void {
    if (this.#isOver) return;
    const isWanted = this.#items.wants({ ...feeds, ...inputs });
    const isHere = Object.keys(inputs).length === 0 && Object.values(outputs ?? {}).every((tensor) => tensor === null);
    this.#needsElements = isWanted && !isHere;
    if (!isWanted || !isHere) return;
    this.compare(feeds, answers);
  }

  /** Ends the comparison. */
  close(): void {
    this.#isOver = true;
  }

  async #compareAll(): Promise<void> {
    this.#isBusy = true;
    try {
      const create = await this.#config.prepare();
      const reference = await this.#call(create, null);
      try {
        await this.#compareWith(reference);
      } finally {
        // In its turn: nothing may call ONNX Runtime at the same time.
        if (!this.#isLost) await this.#config.lock.run(() => reference.release());
      }
    } catch (thrown) {
      if (!this.#isOver) this.#conclude("skipped", `WASM does not run the model: ${asError(thrown).message}`);
    } finally {
      this.#isBusy = false;
    }
    // Some may have come while the session was released.
    if (!this.#isOver && this.#items.areWaiting) void this.#compareAll();
  }

  async #compareWith(reference: Reference): Promise<void> {
    for (let item = this.#items.next(); item !== null; item = this.#items.next()) {
      const predictedMs = this.#elementMs === null ? null : this.#elementMs * item.elements;
      if (predictedMs !== null && predictedMs > MAX_IDLE_MS) this.#tooLong += 1;
      else if (!(await this.#agrees(reference, item, predictedMs))) return;
      if (this.#isOver) return;
    }
    if (this.#compared.length > 0) this.#conclude("passed", `the answers of WASM agree${this.#unread}`);
    else this.#conclude("inconclusive", `not compared: WASM would take longer than ${MAX_IDLE_MS} ms for an item`);
  }

  /** Compares one item. Returns whether the comparison goes on. */
  async #agrees(reference: Reference, item: AnsweredItem, predictedMs: number | null): Promise<boolean> {
    const expected = await this.#call(() => reference.run(item.feeds), predictedMs, item);
    const output = this.#difference(expected, item.answers, reference);
    if (output === null) {
      this.#compared = withSize(this.#compared, item.size);
      return true;
    }
    const again = await this.#call(() => reference.run(item.feeds), predictedMs, item);
    if (this.#difference(again, expected, reference) !== null) {
      this.#conclude("skipped", `the model answers the same item otherwise each time, in the output "${output}"`);
    } else {
      this.#compared = withSize(this.#compared, item.size);
      const { provider } = this.#config;
      const where = `in the output "${output}", for an item of [${item.size.join(", ")}]`;
      this.#conclude("failed", `expected ${provider} to answer as WASM does, got other answers ${where}`);
    }
    return false;
  }

  #difference(expected: Tensors, got: Tensors, { agreement }: Reference): string | null {
    // An answer that stands for several items, or that nobody reads, is not there.
    const both = Object.entries(expected).filter(([name]) => Object.hasOwn(got, name));
    return disagreement(Object.fromEntries(both), got, agreement);
  }

  /** Makes a call into ONNX Runtime. @param predictedMs how long it takes; `null` if that is unknown */
  async #call<T>(call: () => Promise<T>, predictedMs: number | null, item: AnsweredItem | null = null): Promise<T> {
    const { modelBytes, timer } = this.#config;
    const unknownMs = modelBytes <= SMALL_BYTES ? 0 : Infinity;
    const { result, tookMs } = await this.#inTurn(() => this.#timed(call), predictedMs ?? unknownMs);
    if (item !== null) this.#elementMs = Math.max(this.#elementMs ?? 0, tookMs / Math.max(1, item.elements));
    await new Promise<void>((resolve) => after(tookMs * REST, resolve, timer));
    return result;
  }

  /** @throws what the call throws. If that has ended the worker, the page must know which call it was. */
  async #timed<T>(call: () => Promise<T>): Promise<{ readonly result: T; readonly tookMs: number }> {
    const { onChecking, onLost, timer } = this.#config;
    if (this.#isOver) throw new Error("the model has been released");
    const sinceMs = timer.now();
    onChecking(1);
    try {
      return { result: await call(), tookMs: timer.now() - sinceMs };
    } catch (thrown) {
      this.#isLost = endsWorker(thrown);
      if (this.#isLost) onLost(thrown);
      throw thrown;
    } finally {
      if (!this.#isLost) onChecking(0);
    }
  }

  /** Runs a task once the worker is idle, or in turn with the requests if it is short and the worker stays busy. */
  async #inTurn<T>(task: () => Promise<T>, predictedMs: number): Promise<T> {
    const { lock, timer } = this.#config;
    let begun: Promise<T> | null = null;
    const once = () => (begun ??= task());
    const whenIdle = lock.runWhenIdle(once);
    if (predictedMs > MAX_TURN_MS) return whenIdle;
    let cancel: Cancel = () => undefined;
    const inTime = new Promise<T>((resolve, reject) => {
      cancel = after(PATIENCE_MS, () => void lock.run(once).then(resolve, reject), timer);
    });
    return Promise.race([whenIdle, inTime]).finally(cancel);
  }

  get #unread(): string {
    return this.#tooLong === 0 ? "" : `; larger items were not compared, as WASM would take too long`;
  }

  #conclude(outcome: ProviderCheck["outcome"], reason: string): void {
    const { provider } = this.#config;
    this.#isOver ||= outcome === "failed" || outcome === "skipped";
    this.#check = { provider, outcome, reason, comparedSizes: this.#compared, fromCache: false };
    this.#config.onChecked(this.#check);
  }
}

function withSize(sizes: readonly ItemSize[], size: ItemSize): ItemSize[] {
  return sizes.some((known) => known.join() === size.join()) ? [...sizes] : [...sizes, size];
}

/** Maximum size of the files of a model that is compared, in bytes: it is in memory twice meanwhile. */
const LARGEST_BYTES = 2 ** 28;
/** `LARGEST_BYTES` on a device with less memory than `LITTLE_GIB`. */
const LARGEST_BYTES_OF_LITTLE = 2 ** 25;
const LITTLE_GIB = 4;

/** What compares the answers of a model's provider with those of WASM, or why nothing does. */
export type Comparing = Pick<ProviderComparison, "check" | "needsElements" | "close"> &
  Partial<Pick<ProviderComparison, "saw" | "wants" | "compare">>;

/** Returns what compares the answers of the provider that a load has chosen. */
export function compareProviders(
  backend: Backend,
  { request, knownCheck }: JudgedWay,
  files: ModelFiles,
  lock: CommonParts["lock"],
  say: (notice: WorkerNotice) => void,
  lose: (thrown: unknown) => void,
): Comparing {
  const { provider, adapter, signature } = backend;
  const isOwn = knownCheck?.provider === provider;
  // Why the model is on another provider than the one that earlier visits have found wrong.
  if (knownCheck?.outcome === "failed" && !isOwn) return notCompared(knownCheck);
  const obstacle = obstacleTo(backend, files, request);
  if (obstacle !== null) return notCompared({ provider, outcome: "skipped", reason: obstacle, ...NONE });
  const [facts, copy] = [files.facts, files.copy()];
  return new ProviderComparison({
    provider,
    signature,
    known: isOwn ? knownCheck : null,
    modelBytes: files.totalBytes,
    lock,
    prepare: () => prepareReference(backend, copy, request),
    onChecking: (rows) => say({ notice: "checking", rows, isComparison: true }),
    onLost: lose,
    onChecked: (check) => {
      say({ notice: "compared", check });
      if (check.outcome !== "passed" && check.outcome !== "failed") return;
      void providerContext(request, provider, adapter).then((context) =>
        facts.in(context, 1 + request.externalData.length).write({ providerCheck: check }),
      );
    },
    timer: hostTimer,
  });
}

/** Returns why a provider is not compared; `null` if it is. */
function obstacleTo({ provider }: Backend, { totalBytes }: ModelFiles, request: JudgedWay["request"]): string | null {
  if (!traitsOf(provider).usesGpu) return "only the answers of a GPU are compared with those of WASM";
  if (!isCompared(provider, request)) return "not compared, as asked";
  const largest = (memoryGiB() ?? Infinity) < LITTLE_GIB ? LARGEST_BYTES_OF_LITTLE : LARGEST_BYTES;
  return totalBytes > largest
    ? `not compared: its files are larger than ${largest} bytes, too large to hold twice`
    : null;
}

const NONE = { comparedSizes: [], fromCache: false };

function notCompared(check: ProviderCheck): Comparing {
  return { check, needsElements: false, close: () => undefined };
}
