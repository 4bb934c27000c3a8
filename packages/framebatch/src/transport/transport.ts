import type { PageNotice } from "./page-notices.js";
import type { RunAnswer, RunRequest, WorkerApi, WorkerNotice } from "./protocol.js";

/** The calls to one worker, by name. The objects in `transfer` are detached. */
export type WorkerCalls = {
  readonly [Name in keyof Omit<WorkerApi, "run">]: (
    request: Parameters<WorkerApi[Name]>[0],
    transfer?: Transferable[],
  ) => Promise<Awaited<ReturnType<WorkerApi[Name]>>>;
};

/**
 * The page's side of the connection to one worker. Calls stay pending when the worker dies; `WorkerClient` rejects
 * them.
 */
export interface Transport {
  readonly calls: WorkerCalls;
  /**
   * Sends a run. Returns the number by which it is answered.
   * @throws a DataCloneError when structured cloning cannot copy it
   */
  run(request: RunRequest, transfer: Transferable[]): number;
  /** Posts a message that has no reply. @throws a DataCloneError when structured cloning cannot copy it */
  notify(notice: PageNotice, transfer?: Transferable[]): void;
  /**
   * Takes the answers that the worker has given, and that are on their way. Those by message come in order with its
   * notices.
   */
  collect(): void;
  /**
   * Declares the worker broken: no page may use it any more. Called before `terminate`.
   * @param wasMerged whether it broke in a run with rows of several pages
   */
  abandon(wasMerged: boolean): void;
  /** Terminates the worker, which frees its memory. */
  terminate(): void;
}

/** Receives the answers, notices and errors of a worker. */
export interface TransportListener {
  /** The worker has answered a run. */
  onAnswer(answer: RunAnswer): void;
  onNotice(notice: WorkerNotice): void;
  /** The script threw an error with this message, or failed to load (`null`). */
  onError(message: string | null): void;
  /** A message could not be deserialized. */
  onUnreadable(): void;
}

/** The part of a `Worker` that a transport needs. */
export interface WorkerEndpoint {
  /** Whether other pages use the worker too. It cannot share memory with a page. */
  readonly isShared?: true;
  postMessage(message: unknown, transfer?: Transferable[]): void;
  addEventListener(type: string, listener: (event: Event) => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: string, listener: (event: Event) => void): void;
  /** Declares a shared worker broken, see `Transport`. */
  abandon?(wasMerged: boolean): void;
  /** Ends the worker; for a shared worker, its use by this page. */
  terminate(): void;
}

/** A reply and what is transferred with it to the page. */
export interface Sent<Reply> {
  readonly reply: Reply;
  readonly transfer: Transferable[];
}

/** The calls of a worker, as the worker implements them. They return errors as data and never throw. */
export type ServedApi = {
  readonly [Name in keyof WorkerApi]: (
    request: Parameters<WorkerApi[Name]>[0],
  ) => Promise<Sent<Awaited<ReturnType<WorkerApi[Name]>>>>;
};

/**
 * The property of every message that framebatch sends on a connection. A page and its own worker may send each other
 * any message without it.
 */
export interface Mark {
  readonly isFramebatch: true;
}

/** Returns a message as it is sent. */
export function marked<Message extends object>(message: Message): Message & Mark {
  return { ...message, isFramebatch: true };
}

/** Whether framebatch has sent the message of an event, and not other code. */
export function isOwnMessage<Message extends object>(event: Event): event is MessageEvent<Message> {
  const data: unknown = "data" in event ? event.data : null;
  return typeof data === "object" && data !== null && ("isFramebatch" in data || isOfFirstVersion(data));
}

/**
 * Whether a worker of framebatch 0.1.0, which marks no message, says that it is ready. The page rejects it by its
 * version.
 */
function isOfFirstVersion(data: object): boolean {
  return "version" in data && data.version === "0.1.0" && "notice" in data;
}
