import type { Account } from "../kit/ledger.js";
import { Oracle } from "./oracle.js";
import { Subject, type SubjectRequest } from "./subject.js";

/** The moment at which a model is disposed. */
export type Moment = "loading" | "in flight" | "at rest";

export interface Disposal {
  /** `null` if the load was aborted before the model existed. */
  readonly account: Account | null;
  readonly disposeMs: number;
}

const BURST = 500;
/** The approximate durations of a load and of a burst. */
const LOAD_MS = 700;
const BURST_MS = 6;
const END_LIMIT_MS = 3000;

/** Creates, uses and disposes models, one after the other. */
export class Disposals {
  readonly #oracle: Oracle;
  readonly #request: SubjectRequest;

  private constructor(oracle: Oracle, request: SubjectRequest) {
    this.#oracle = oracle;
    this.#request = request;
  }

  static async open(request: SubjectRequest): Promise<Disposals> {
    const { model, url, providers, inputs } = request;
    return new Disposals(await Oracle.of(model, url, providers, inputs), request);
  }

  /** Runs one cycle. @param progress the share of the load or burst that runs before the disposal, 0 to 1 */
  async cycle(moment: Moment, progress: number): Promise<Disposal> {
    const subject = moment === "loading" ? await this.#openFor(progress * LOAD_MS) : await this.#open();
    if (subject === null) return { account: null, disposeMs: 0 };
    subject.load.burst(BURST);
    if (moment === "at rest") await subject.load.atRest();
    else await after(progress * BURST_MS);
    const startedAtMs = performance.now();
    await subject.model.dispose();
    const disposeMs = performance.now() - startedAtMs;
    return { account: await subject.end(END_LIMIT_MS), disposeMs };
  }

  #open(signal?: AbortSignal): Promise<Subject> {
    return Subject.openKnowing(this.#oracle, this.#request, signal);
  }

  /** Opens a model, and aborts after `ms` milliseconds. Resolves with `null` if it was aborted. */
  async #openFor(ms: number): Promise<Subject | null> {
    const controller = new AbortController();
    const reason = new Error("left the page");
    setTimeout(() => controller.abort(reason), ms);
    try {
      return await this.#open(controller.signal);
    } catch (error) {
      if (error !== reason) throw error;
      return null;
    }
  }
}

/**
 * Deletes all databases. Returns the names of those that could not be deleted at once, because a connection is open.
 */
export async function deleteDatabases(): Promise<string[]> {
  const names = (await indexedDB.databases()).flatMap(({ name }) => name ?? []);
  const blocked = await Promise.all(names.map(async (name) => ((await isDeletable(name)) ? [] : [name])));
  return blocked.flat();
}

function isDeletable(name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve(true);
    request.onblocked = () => resolve(false);
    request.onerror = () => reject(request.error ?? new Error("no reason given"));
  });
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
