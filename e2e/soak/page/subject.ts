import { createBatchedModel, type BatchedModel, type ExecutionProvider, type ModelOptions } from "framebatch";
import { Ledger, type Account } from "../kit/ledger.js";
import { Random } from "../kit/random.js";
import { Load, type Mix, type Predictor } from "./load.js";
import { Oracle } from "./oracle.js";
import { planted, type Plant } from "./plants.js";
import { RecoveryMeter, type Outage } from "./recovery-meter.js";
import type { SoakModelName } from "./soak-items.js";

export const CALM: Mix = { aborted: 0, late: 0, poison: 0 };

/** The options of a model that the soak sets. */
export type SubjectOptions = Pick<
  ModelOptions,
  "runTimeoutMs" | "maxQueueSize" | "maxBatchSize" | "batching" | "maxQueueDelayMs"
>;

export interface SubjectRequest {
  readonly model: SoakModelName;
  readonly url: string;
  /** The providers, any of which may answer. */
  readonly providers: readonly ExecutionProvider[];
  /** The number of distinct inputs. A prime number larger than any batch makes every mix-up of rows detectable. */
  readonly inputs: number;
  readonly seed: number;
  readonly mix?: Mix | undefined;
  readonly options?: SubjectOptions | undefined;
  /** The error codes with which any request may be rejected. */
  readonly excused?: readonly string[] | undefined;
  /** A planted bug between the model and its callers, which the soak must detect. */
  readonly plant?: Plant | undefined;
}

export interface Progress {
  readonly made: number;
  readonly open: number;
  readonly state: string;
  readonly provider: ExecutionProvider;
  /** The number of lost workers and devices that the SDK reported. */
  readonly losses: number;
  readonly outages: readonly Outage[];
}

/** A model under load, with the ledger, the meter and the expected answers. */
export class Subject {
  readonly model: BatchedModel;
  readonly load: Load;
  readonly inputs: Oracle["items"];
  readonly #ledger = new Ledger();
  readonly #meter = new RecoveryMeter();
  #losses = 0;

  private constructor(model: BatchedModel, oracle: Oracle, request: SubjectRequest) {
    const { seed, mix, plant, excused } = request;
    this.model = model;
    this.inputs = oracle.items;
    const predictor: Predictor = plant === undefined ? model : planted(plant, model);
    const onGood = () => this.#meter.good(performance.now());
    this.load = new Load({
      model: predictor,
      oracle,
      ledger: this.#ledger,
      random: new Random(seed),
      mix: mix ?? CALM,
      excused: excused ?? [],
      onGood,
    });
    model.addEventListener("statechange", ({ detail }) => {
      if (detail.state === "recovering") this.#meter.lost(performance.now());
    });
    model.addEventListener("error", ({ detail }) => {
      if (LOSSES.has(detail.code)) this.#losses += 1;
    });
  }

  static async open(request: SubjectRequest): Promise<Subject> {
    const { model, url, providers, inputs } = request;
    return Subject.openKnowing(await Oracle.of(model, url, providers, inputs), request);
  }

  static async openKnowing(oracle: Oracle, request: SubjectRequest, signal?: AbortSignal): Promise<Subject> {
    const { url, providers, options } = request;
    const model = await createBatchedModel(url, {
      executionProviders: providers,
      ...(signal !== undefined && { signal }),
      ...options,
    });
    return new Subject(model, oracle, request);
  }

  progress(): Progress {
    return {
      made: this.#ledger.made,
      open: this.#ledger.open,
      state: this.model.state,
      provider: this.model.executionProvider,
      losses: this.#losses,
      outages: this.#meter.outages,
    };
  }

  /** Makes `count` bursts of `size` requests, one after the other, each in one task. */
  async batches(count: number, size: number): Promise<void> {
    for (let made = 0; made < count; made += 1) {
      this.load.burst(size);
      await this.load.atRest();
    }
  }

  /** Stops the callers and waits at most `limitMs`. Requests that are still open count as lost. */
  async end(limitMs: number): Promise<Account> {
    this.load.aim(0);
    const late = new Promise<void>((resolve) => setTimeout(resolve, limitMs));
    await Promise.race([this.load.atRest(), late]);
    this.#ledger.reconcile(this.model.stats().requests);
    return this.#ledger.account();
  }
}

const LOSSES: ReadonlySet<string> = new Set(["WORKER_CRASHED", "WORKER_HUNG", "DEVICE_LOST"]);
