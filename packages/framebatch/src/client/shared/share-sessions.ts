import type { SharingStats } from "../options/model.js";
import { isOwnOrigin } from "../page/host.js";
import { breakLock, hasDevice, heldLocks, sharedWorkerObstacle } from "../page/shared-host.js";
import type { Sharing } from "../workers/model-session.js";
import type { BuiltInSite, WorkerSite } from "../workers/worker-site.js";
import { type ExecutionProvider, traitsOf } from "../../core/providers.js";
import { startTimeoutFor } from "../../time/hang-watchdog.js";
import { hostTimer } from "../../time/host-timer.js";
import type { LoadRequest } from "../../transport/protocol.js";
import { lifelineOf } from "../../transport/sharing.js";
import { join, type JoinOutcome, type Seat } from "./join.js";
import { addressOf, sessionKey } from "./session-key.js";
import { sharedEndpoint } from "./shared-endpoint.js";

/**
 * Time until a worker counts as gone that does not start, in milliseconds. It doubles with each attempt, so that a script
 * that arrives slowly starts in the end.
 */
const FIRST_PATIENCE_MS = 10_000;

/** Number of times that a worker may fail to start before its script counts as the cause. */
const MAX_FAILURES = 3;

/** Returns what shares the sessions of one model, see `ShareSessions`. */
export function shareSessions(site: BuiltInSite, runTimeoutMs: number | null): Sharing {
  return new SharedSessions(site, runTimeoutMs);
}

/**
 * The place of one model in the shared workers of its origin.
 *
 * The name of a shared worker holds a key of the session (`sessionKey`) and a generation. Pages never use a worker again
 * after its end, or after one of them has found it broken: each goes on to the next generation. A page holds a Web Lock
 * with the name of its worker, so a page that starts finds the generation of the others.
 */
class SharedSessions implements Sharing {
  readonly #site: BuiltInSite;
  readonly #runTimeoutMs: number | null;
  /** The lowest generation that may still be used, by key. */
  readonly #lowest = new Map<string, number>();
  #reason: string | null = null;
  #tabs = 1;

  constructor(site: BuiltInSite, runTimeoutMs: number | null) {
    this.#site = site;
    this.#runTimeoutMs = runTimeoutMs;
  }

  stats(): SharingStats {
    const isShared = this.#reason === null;
    return { isShared, reason: this.#reason, tabs: isShared ? this.#tabs : 1 };
  }

  async siteFor(request: LoadRequest, signal: AbortSignal): Promise<WorkerSite | null> {
    this.#reason ??= obstacleTo(request, this.#site);
    if (this.#reason !== null) return null;
    const needs = await devicesFor(request.providers);
    const key = await sessionKey(request, this.#runTimeoutMs);
    let failures = 0;
    for (let patienceMs = FIRST_PATIENCE_MS; this.#reason === null; patienceMs *= 2) {
      const generation = await this.#generation(key);
      const name = `${key} ${generation}`;
      const outcome = await this.#join(name, needs, patienceMs, request, signal);
      if (isSeat(outcome)) return this.#siteOf(name, outcome, () => this.#leave(key, generation));
      if (outcome === "failed") failures += 1;
      if (outcome === "hung") breakLock(lifelineOf(name));
      this.#reason = reasonIn(outcome, failures);
      if (outcome !== "failed" && outcome !== "late") this.#leave(key, generation);
    }
    return null;
  }

  /** Returns the newest generation that a page uses, or may use. */
  async #generation(key: string): Promise<number> {
    const locks = await heldLocks(`${key} `);
    const used = locks.map((lock) => Number.parseInt(lock.slice(key.length + 1), 10));
    return Math.max(this.#lowest.get(key) ?? 0, ...used);
  }

  #leave(key: string, generation: number): void {
    this.#lowest.set(key, Math.max(this.#lowest.get(key) ?? 0, generation + 1));
  }

  #join(
    name: string,
    needs: readonly ExecutionProvider[],
    patienceMs: number,
    { location, externalData }: LoadRequest,
    signal: AbortSignal,
  ): Promise<JoinOutcome> {
    const files = [location, ...externalData.map((file) => file.location)];
    return join({
      address: this.#site.address(),
      name,
      needs,
      pinned: files.map((file) => ("pinned" in file ? file.pinned : null)),
      patienceMs,
      timeoutMs: startTimeoutFor(this.#runTimeoutMs),
      timer: hostTimer,
      signal,
      onTabs: (tabs) => (this.#tabs = tabs),
    });
  }

  #siteOf(name: string, seat: Seat, onBroken: () => void): WorkerSite {
    const { script, fix } = this.#site;
    return { script, fix, start: () => sharedEndpoint(name, seat, onBroken) };
  }
}

function isSeat(outcome: JoinOutcome): outcome is Seat {
  return typeof outcome === "object" && "session" in outcome;
}

/** Returns why the model needs a worker of its own; `null` if it may try again. */
function reasonIn(outcome: Exclude<JoinOutcome, Seat>, failures: number): string | null {
  if (typeof outcome === "object") return outcome.declined;
  return failures < MAX_FAILURES ? null : "the script of the worker does not start as a shared worker";
}

/** Returns why a session cannot be shared; `null` if it may be. */
function obstacleTo({ location, externalData, numThreads }: LoadRequest, { script }: BuiltInSite): string | null {
  const files = [location, ...externalData.map((file) => file.location)];
  if (files.some((file) => addressOf(file) === null))
    return "a file of the model has no address that other tabs can load";
  if (numThreads !== null && numThreads > 1) return "ONNX Runtime cannot start threads in a shared worker (numThreads)";
  if (script === null || !isOwnOrigin(script)) return "the script of the worker is not of this origin";
  return sharedWorkerObstacle();
}

/** Returns the providers that need a device and have it on this page. */
async function devicesFor(providers: readonly ExecutionProvider[]): Promise<readonly ExecutionProvider[]> {
  const found = await Promise.all(
    providers.map(async (provider) => {
      const { needs } = traitsOf(provider);
      return needs !== null && (await hasDevice(needs)) ? [provider] : [];
    }),
  );
  return found.flat();
}
