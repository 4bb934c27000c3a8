import type { SharingStats } from "../../client/options/model.js";
import { isOwnOrigin, isHidden, onVisibilityChange } from "@framebatch/host/page.js";
import { breakLock, hasDevice, heldLocks, lockObstacle, sharedWorkerObstacle } from "./shared-host.js";
import type { Sharing } from "../../client/workers/model-session.js";
import type { BuiltInSite, WorkerSite } from "../../client/workers/worker-site.js";
import { type ExecutionProvider, traitsOf } from "../../transport/providers.js";
import { startTimeoutFor } from "@framebatch/host/watchdog.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import type { LoadRequest, ModelLocation } from "../../transport/protocol.js";
import { lifelineOf, type VisibilityNotice } from "../tab-messages.js";
import { join, type JoinOutcome, type Membership } from "./join.js";
import type { WorkerEndpoint } from "../../transport/transport.js";

/**
 * Time until a worker counts as gone that does not start, in milliseconds. It doubles with each attempt, so that a
 * script that arrives slowly starts in the end.
 */
const FIRST_PATIENCE_MS = 10_000;

/** Number of workers that may fail to start or to answer, or end during one load, before there is no sharing. */
const MAX_FAILURES = 3;

/**
 * Time that a load may have taken when it loses a shared worker and waits for another one, in milliseconds. Another tab
 * may repeat there what has ended the last worker, or made it hang. Enough for one run that hangs, if its time was
 * predicted.
 */
const MAX_LOST_MS = 20_000;

/** Returns what shares the sessions of one model, see `ShareSessions`. */
export function shareSessions(site: BuiltInSite, runTimeoutMs: number | null): Sharing {
  return new SharedSessions(site, runTimeoutMs);
}

/**
 * The place of one model in the shared workers of its origin.
 *
 * The name of a shared worker holds a key of the session (`sessionKey`) and a generation. Pages never use a worker
 * again after its end, or after one of them has found it broken: each goes on to the next generation. A page holds a
 * Web Lock with the name of its worker, so a page that starts finds the generation of the others.
 */
class SharedSessions implements Sharing {
  readonly #site: BuiltInSite;
  readonly #runTimeoutMs: number | null;
  /** The lowest generation that may still be used, by key. */
  readonly #lowest = new Map<string, number>();
  /** Why the last worker is not a shared one; `null` if it is. */
  #reason: string | null = null;
  /** Set once shared workers do not start or answer: to find that out again would take minutes. */
  #hasGivenUp = false;
  /** Whether no run with rows of several pages has ended a worker of this page. */
  #mayMerge = true;
  /** Number of tabs in each session that the page is in: while it changes sessions, two. The newest one comes last. */
  readonly #tabs = new Map<object, number>();
  /** When the load that joins workers began. */
  #sinceMs = 0;

  constructor(site: BuiltInSite, runTimeoutMs: number | null) {
    this.#site = site;
    this.#runTimeoutMs = runTimeoutMs;
  }

  stats(): SharingStats {
    const isShared = this.#reason === null;
    return { isShared, reason: this.#reason, tabs: isShared ? ([...this.#tabs.values()].at(-1) ?? 1) : 1 };
  }

  async siteFor(request: LoadRequest, signal: AbortSignal, lost: number): Promise<WorkerSite | null> {
    if (lost === 0) this.#sinceMs = hostTimer.now();
    const obstacle = this.#hasLostEnough(lost) ? LOST : obstacleTo(request, this.#site);
    if (obstacle !== null || this.#hasGivenUp) {
      // The first reason stays: a worker of the page's own may leave bytes that other tabs do not have.
      this.#reason ??= obstacle;
      return null;
    }
    this.#reason = await lockObstacle();
    return this.#seek(request, signal, lost);
  }

  /** Joins the newest generation that has a place. Returns `null`, and sets the reason, if there is none. */
  async #seek(request: LoadRequest, signal: AbortSignal, lost: number): Promise<WorkerSite | null> {
    const needs = await devicesFor(request.providers);
    const key = await sessionKey(request, this.#site.script, this.#runTimeoutMs);
    for (let failures = 0; this.#reason === null;) {
      const generation = await this.#generation(key);
      const name = `${key} ${generation}`;
      const outcome = await this.#join(name, needs, FIRST_PATIENCE_MS * 2 ** failures, request, signal);
      if (isMembership(outcome)) return this.#siteOf(name, outcome, key, generation);
      if (outcome === "hung") breakLock(lifelineOf(name));
      if (outcome !== "failed" && outcome !== "late") this.#leave(key, generation);
      if (typeof outcome === "string") failures += 1;
      this.#hasGivenUp = failures === MAX_FAILURES;
      this.#reason = this.#hasGivenUp
        ? "the worker does not start or answer as a shared worker"
        : this.#reasonIn(outcome, lost);
    }
    return null;
  }

  /** Returns why the model needs a worker of its own for now; `null` if it may try again. */
  #reasonIn(outcome: Exclude<JoinOutcome, Membership>, lost: number): string | null {
    if (typeof outcome === "object") return outcome.declined;
    const isLost = outcome === "gone" || outcome === "hung";
    return isLost && this.#hasLostEnough(lost + 1) ? LOST : null;
  }

  /** Whether a load goes on in a worker of its own, which nothing but its own page can end. */
  #hasLostEnough(lost: number): boolean {
    return lost >= MAX_FAILURES || (lost > 0 && hostTimer.now() - this.#sinceMs > MAX_LOST_MS);
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

  async #join(
    name: string,
    needs: readonly ExecutionProvider[],
    patienceMs: number,
    { location, externalData, stallTimeoutMs }: LoadRequest,
    signal: AbortSignal,
  ): Promise<JoinOutcome> {
    const files = [location, ...externalData.map((file) => file.location)];
    const place = {};
    const outcome = await join({
      address: this.#site.address(),
      name,
      needs,
      pinned: files.map((file) => ("pinned" in file ? file.pinned : null)),
      mayMerge: this.#mayMerge,
      patienceMs,
      // The page may have to wait for the download of another one, which may be silent for `stallTimeoutMs`.
      timeoutMs: startTimeoutFor(this.#runTimeoutMs) + stallTimeoutMs,
      timer: hostTimer,
      signal,
      onTabs: (tabs) => this.#tabs.set(place, tabs),
    });
    if (!isMembership(outcome)) return outcome;
    const leave = () => {
      this.#tabs.delete(place);
      outcome.leave();
    };
    return { ...outcome, leave };
  }

  #siteOf(name: string, membership: Membership, key: string, generation: number): WorkerSite {
    const { script, fix } = this.#site;
    const onBroken = (wasMerged: boolean) => {
      this.#leave(key, generation);
      if (wasMerged) this.#mayMerge = false;
    };
    return { script, fix, start: () => sharedEndpoint(name, membership, onBroken) };
  }
}

function isMembership(outcome: JoinOutcome): outcome is Membership {
  return typeof outcome === "object" && "session" in outcome;
}

const LOST = "shared workers have ended or fallen silent while the model loaded";

/** Returns why a session cannot be shared; `null` if it may be. */
function obstacleTo(
  { location, externalData, variants, numThreads }: LoadRequest,
  { script }: BuiltInSite,
): string | null {
  if (variants.length > 0) return "the model has a file for each provider, of which tabs may use different ones";
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

declare const FRAMEBATCH_VERSION: string;

/**
 * Returns what the names of all shared workers for a session have in common: a hash of everything that decides which
 * session it is. Tabs with another version of framebatch, another script, another model or other options have another
 * one.
 * @param script address of the worker's script: browsers start a worker for each address
 * @param runTimeoutMs the option: tabs must agree on when a worker hangs
 */
export async function sessionKey(
  request: LoadRequest,
  script: string | null,
  runTimeoutMs: number | null,
): Promise<string> {
  const externalData = request.externalData.map((file) => ({ ...file, location: addressOf(file.location) }));
  // The first page to load decides about the warm-up and knows verdicts of earlier sessions. The bytes are compared
  // when a page joins.
  const decisive = {
    ...request,
    location: addressOf(request.location),
    externalData,
    warmup: true,
    found: [],
    signature: null,
  };
  const text = JSON.stringify([decisive, script, runTimeoutMs], asText);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `framebatch ${FRAMEBATCH_VERSION} ${hash}`;
}

/** Returns the address of a file; `null` for a file given as bytes, which other tabs do not have. */
export function addressOf(location: ModelLocation): string | null {
  return "url" in location && /^https?:/.test(location.url) ? location.url : null;
}

/** Writes what JSON cannot: the numbers of samples. */
function asText(_key: string, value: unknown): unknown {
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) return String(value);
  return ArrayBuffer.isView(value)
    ? Array.from(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
    : value;
}

/**
 * Returns the endpoint of a session in a shared worker. Tells the worker whether the tab is hidden.
 * @param name name of the worker
 * @param onBroken called when the page finds the worker broken, see `Transport.abandon`
 */
function sharedEndpoint(
  name: string,
  { session, port, leave }: Membership,
  onBroken: (wasMerged: boolean) => void,
): WorkerEndpoint {
  const tell = () => port.postMessage({ isHidden: isHidden() } satisfies VisibilityNotice);
  const stopTelling = onVisibilityChange(tell);
  if (isHidden()) tell();
  // Messages come in later tasks, when the caller listens.
  session.start();
  return {
    isShared: true,
    postMessage: (message, transfer = []) => session.postMessage(message, transfer),
    addEventListener: (type, listener, options) => session.addEventListener(type, listener, options),
    removeEventListener: (type, listener) => session.removeEventListener(type, listener),
    abandon(wasMerged) {
      // Every other page waits for this lock, as for the end of the worker, and moves on too. The last one to leave
      // ends the worker, even if it hangs.
      breakLock(lifelineOf(name));
      onBroken(wasMerged);
    },
    terminate() {
      stopTelling();
      session.close();
      leave();
    },
  };
}
