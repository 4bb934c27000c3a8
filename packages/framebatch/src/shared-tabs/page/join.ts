import type { Cancel } from "@framebatch/host/clock.js";
import { shownAddress } from "@framebatch/batcher/errors/shown-address.js";
import { lockReleased, type TrustedAddress } from "@framebatch/host/page.js";
import { connectSharedWorker, heldLocks, holdLock, type SharedConnection } from "./shared-host.js";
import { after, type Timer } from "@framebatch/host/host-timer.js";
import { Watchdog } from "@framebatch/host/watchdog.js";
import { type JoinReply, type JoinRequest, lifelineOf, type SharedWorkerMessage } from "../tab-messages.js";

/** The shared worker to join, and how. */
export interface Invitation extends Omit<JoinRequest["join"], "lock"> {
  readonly address: string | TrustedAddress;
  /** Name of the worker. */
  readonly name: string;
  /** Maximum time until the worker has started, in milliseconds. */
  readonly patienceMs: number;
  /** Maximum time without a word of a worker that has started, in milliseconds. */
  readonly timeoutMs: number;
  readonly timer: Timer;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
  /** Called with the number of pages in the session when it changes. */
  readonly onTabs: (tabs: number) => void;
}

/** A page's use of a shared worker. */
export interface Membership {
  /** The port of the session. */
  readonly session: MessagePort;
  /** The port for everything else. */
  readonly port: MessagePort;
  /** Ends the use. The worker ends with its last page. */
  readonly leave: Cancel;
}

/**
 * Why a worker does not answer:
 * - `failed`: the browser could not start it. The script may be at fault, or the crash of the process it was to run in.
 * - `late`: it did not start in time.
 * - `gone`: it has ended.
 * - `hung`: it has started, and has said nothing for too long.
 */
export type Silence = "failed" | "late" | "gone" | "hung";

export type JoinOutcome = Membership | { readonly declined: string | null } | Silence;

/** Asks a shared worker for a place in its session. @throws `signal.reason` on an abort */
export async function join(invitation: Invitation): Promise<JoinOutcome> {
  const { address, name, needs, pinned, mayMerge } = invitation;
  const lock = `${name} page ${crypto.randomUUID()}`;
  const release = await holdLock(lock);
  try {
    const connection = connectSharedWorker(address, name);
    const leave = () => {
      connection.port.close();
      connection.close();
      release();
    };
    const reply = untilReply(connection, invitation);
    connection.port.postMessage({ join: { lock, needs, pinned, mayMerge } } satisfies JoinRequest);
    const outcome = await reply;
    if (typeof outcome === "object" && "session" in outcome) return { ...outcome, port: connection.port, leave };
    leave();
    return outcome;
  } catch (error) {
    release();
    if (invitation.signal.aborted) throw error;
    return { declined: `the browser does not start it as a shared worker (${shownAddress(String(error))})` };
  }
}

/**
 * Waits until the worker answers, or will not. Closes the connection on an abort.
 * @throws `signal.reason` on an abort
 */
async function untilReply(connection: SharedConnection, invitation: Invitation): Promise<JoinReply | Silence> {
  const { port, failed } = connection;
  const { signal, onTabs } = invitation;
  const ended = new AbortController();
  try {
    return await new Promise<JoinReply | Silence>((resolve, reject) => {
      const abort = () => reject(signal.reason);
      signal.addEventListener("abort", abort, { signal: ended.signal });
      if (signal.aborted) abort();
      void failed.then(() => resolve("failed"));
      void untilSilent(port, invitation, ended.signal).then(resolve, () => undefined);
      port.addEventListener("message", ({ data }: MessageEvent<SharedWorkerMessage>) => {
        if ("tabs" in data) onTabs(data.tabs);
        else if (!("waiting" in data)) resolve(data);
      });
      port.start();
    });
  } catch (error) {
    connection.close();
    throw error;
  } finally {
    ended.abort();
  }
}

/** Resolves when no answer is to be expected. Rejects when `ended` aborts. */
async function untilSilent(
  port: MessagePort,
  { name, patienceMs, timeoutMs, timer }: Invitation,
  ended: AbortSignal,
): Promise<Silence> {
  const lifeline = lifelineOf(name);
  const isAlive = async () => (await heldLocks(lifeline)).length > 0;
  if (!(await isAlive())) await pause(patienceMs, timer, ended);
  if (!(await isAlive())) return "late";
  return Promise.race([
    lockReleased(lifeline, ended).then(() => "gone" as const),
    whenQuiet(port, timeoutMs, timer, ended).then(() => "hung" as const),
  ]);
}

/** Resolves when a port has been quiet for `timeoutMs` milliseconds; never, if `ended` aborts first. */
function whenQuiet(port: MessagePort, timeoutMs: number, timer: Timer, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const watchdog = new Watchdog(timer, timeoutMs, () => resolve());
    const stop = () => watchdog.stop();
    if (ended.aborted) return stop();
    port.addEventListener("message", () => watchdog.restart(), { signal: ended });
    ended.addEventListener("abort", stop);
  });
}

/** Resolves after `ms` milliseconds; never, if `ended` aborts first. */
function pause(ms: number, timer: Timer, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => ended.addEventListener("abort", after(ms, resolve, timer)));
}
