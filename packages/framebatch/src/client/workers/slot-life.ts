import type { ModelSession } from "./model-session.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Verdict } from "../../transport/protocol.js";
import type { ProviderCheck } from "../../transport/providers.js";
import type { WorkerClient } from "./worker-client.js";
import { startTimeoutFor } from "@framebatch/host/watchdog.js";

/** Receives the events of a slot. */
export interface SlotListener {
  /**
   * The slot has changed its state, or its session.
   * @param error what ended the worker, or why none could be started; `null` if nothing failed
   */
  onState(state: SlotLife["state"], error: FramebatchError | null): void;
  /** The worker has completed its check of batches. */
  onChecked(verdict: Verdict): void;
  /** The worker has compared the answers of its provider with those of WASM. */
  onCompared(check: ProviderCheck): void;
  /**
   * A worker that works is about to be ended. Recalls what only the worker has: it stays until it has returned that.
   */
  onRetiring(client: WorkerClient): void;
}

/** What a slot does. Its session is the one that runs batches, or the last one that did. */
type SlotState = { readonly session: ModelSession } & (
  | { readonly name: "ready" }
  /** A session is being opened. Runs wait until `over`. */
  | { readonly name: "opening"; readonly over: Promise<void> }
  /** The worker was ended to free its memory. Runs wait until `over`, which `leave` resolves. */
  | { readonly name: "unloaded"; readonly over: Promise<void>; readonly leave: () => void }
  /** No session could be opened. */
  | { readonly name: "failed"; readonly reason: unknown }
  | { readonly name: "disposed"; readonly reason: unknown }
);

/**
 * The life of a slot: its states and the transitions between them. docs/architecture.md draws it. `disposed` is final.
 */
export class SlotLife {
  /** The state of now. Only the transitions below set it. */
  current: SlotState;
  #opening = new AbortController();

  constructor(session: ModelSession) {
    this.current = { name: "ready", session };
  }

  get state(): SlotState["name"] {
    return this.current.name;
  }

  get session(): ModelSession {
    return this.current.session;
  }

  /** Aborts when the session that is being opened, in place of the current one or beside it, is no longer needed. */
  get signal(): AbortSignal {
    return this.#opening.signal;
  }

  /**
   * Any state → `opening`, because the worker has ended. Aborts what was being opened before.
   * @param open calls `opened` or `fail`, unless its signal is aborted. Never rejects.
   */
  reopen(open: (signal: AbortSignal) => Promise<void>): void {
    this.#opening.abort(null);
    this.#opening = new AbortController();
    this.#enter({ name: "opening", session: this.session, over: open(this.signal) });
  }

  /** `ready` → `opening`, while the worker answers what it has. @param over as `open` of `reopen` */
  replace(over: Promise<void>): void {
    this.#enter({ name: "opening", session: this.session, over });
  }

  /** `opening`, `ready` → `ready`, with another session or the same one. */
  opened(session = this.session): void {
    this.#enter({ name: "ready", session });
  }

  /** `ready` → `unloaded`. */
  unload(): void {
    let leave = (): void => undefined;
    const over = new Promise<void>((resolve) => (leave = resolve));
    this.#enter({ name: "unloaded", session: this.session, over, leave });
  }

  /** `opening`, `ready` → `failed`. */
  fail(reason: unknown): void {
    this.#enter({ name: "failed", session: this.session, reason });
  }

  /** Any state → `disposed`. */
  dispose(reason: unknown): void {
    this.#enter({ name: "disposed", session: this.session, reason });
    this.#opening.abort(reason);
  }

  /** Returns the session, once there is one. @throws why there will be none */
  async ready(): Promise<ModelSession> {
    while ("over" in this.current) await this.current.over;
    this.throwIfEnded();
    return this.session;
  }

  /** Waits while a session is being opened. */
  async settled(): Promise<void> {
    while (this.current.name === "opening") await this.current.over;
  }

  /** @throws why nothing can run */
  throwIfEnded(): void {
    if ("reason" in this.current) throw this.current.reason;
  }

  #enter(state: SlotState): void {
    const before = this.current;
    this.current = state;
    if (before.name === "unloaded") before.leave();
  }
}

/** Ends workers that have not failed. Nothing is lost with them: they first return what only they have. */
export class RetiringWorkers {
  readonly #listener: Pick<SlotListener, "onRetiring">;
  readonly #graceMs: number;
  /** The workers that take no new run: they end with their last one, or return what they have borrowed. */
  readonly #leaving = new Set<WorkerClient>();

  /** @param runTimeoutMs the option of the model */
  constructor(listener: Pick<SlotListener, "onRetiring">, runTimeoutMs: number | null) {
    this.#listener = listener;
    this.#graceMs = startTimeoutFor(runTimeoutMs);
  }

  /** Ends a worker now. Leaves one alone that has ended already: its answers still count. */
  end(client: WorkerClient): void {
    if (client.hasEnded) return;
    this.#listener.onRetiring(client);
    if (!client.hasBorrowed) return client.terminate(null);
    client.retire(null, this.#graceMs);
    this.#leaving.add(client);
    void client.gone.then(() => this.#leaving.delete(client));
  }

  /** Ends a worker when it has answered its runs. */
  async endWhenIdle(client: WorkerClient): Promise<void> {
    this.#leaving.add(client);
    await client.idle();
    if (this.#leaving.delete(client)) this.end(client);
  }

  /** Ends all that are left. Their runs reject with `reason`. */
  terminate(reason: unknown): void {
    for (const client of this.#leaving) client.terminate(reason);
    this.#leaving.clear();
  }
}

/** Maximum number of failed items to retry on the next provider. If more fail, the items are at fault. */
const MAX_DOUBTED_ITEMS = 3;

/**
 * Decides whether a failed item is retried on the next provider. Applies to sessions whose provider was accepted
 * without a run (`isProvisional`): the failure may be the provider's.
 */
export class ProviderProbation {
  readonly #proven = new WeakSet<ModelSession>();
  #triesLeft = MAX_DOUBTED_ITEMS;

  /** Notes that the session has run an item, so its provider works. */
  hasRun(session: ModelSession): void {
    this.#proven.add(session);
  }

  /** Returns true if an item that failed on the session should be retried on the next provider. Counts the retry. */
  isOpen(session: ModelSession): boolean {
    if (!session.model.isProvisional || this.#proven.has(session) || this.#triesLeft === 0) return false;
    this.#triesLeft -= 1;
    return true;
  }
}
