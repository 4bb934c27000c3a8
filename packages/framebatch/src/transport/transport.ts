import type { PageNotice, WorkerApi, WorkerNotice } from "./protocol.js";

/** Calls to one worker, by name. The listed buffers are transferred. */
export type WorkerCalls = {
  readonly [Name in keyof WorkerApi]: (
    request: Parameters<WorkerApi[Name]>[0],
    transfer?: ArrayBuffer[],
  ) => Promise<Awaited<ReturnType<WorkerApi[Name]>>>;
};

/** The page's end of the connection to one worker. Calls stay pending forever when the worker dies: `WorkerClient` ends them. */
export interface Transport {
  readonly calls: WorkerCalls;
  /** Posts a message that has no reply. */
  notify(notice: PageNotice): void;
  /** Ends the worker, and with it everything that it holds. */
  terminate(): void;
}

/** Receives what a worker sends without being asked. */
export interface TransportListener {
  onNotice(notice: WorkerNotice): void;
  /** The script failed to load, which gives `null`, or threw this message. */
  onError(message: string | null): void;
  /** A message could not be deserialized. */
  onUnreadable(): void;
}

/** The part of a `Worker` that a transport needs. */
export interface WorkerEndpoint {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  addEventListener(type: string, listener: (event: Event) => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: string, listener: (event: Event) => void): void;
  terminate(): void;
}

/** A reply and the buffers that move with it to the page. */
export interface Sent<Reply> {
  readonly reply: Reply;
  readonly transfer: ArrayBuffer[];
}

/** What a worker serves. No method throws: errors are data. */
export type ServedApi = {
  readonly [Name in keyof WorkerApi]: (
    request: Parameters<WorkerApi[Name]>[0],
  ) => Promise<Sent<Awaited<ReturnType<WorkerApi[Name]>>>>;
};
