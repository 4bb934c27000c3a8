import type { ExecutionProvider } from "../transport/providers.js";

/**
 * The types of what a page and a shared worker send to each other besides the calls of a session, on the port that
 * connects them. The calls and notices of `protocol.ts` have a port of their own, which the worker gives to a page that
 * joins.
 */

/** The first message of a page. */
export interface JoinRequest {
  readonly join: {
    /** The page holds this Web Lock until it leaves or ends. */
    readonly lock: string;
    /** The providers that work on the page only with an API of the browser, and that the worker must have too. */
    readonly needs: readonly ExecutionProvider[];
    /** SHA-256 digests in base64 that the model's files must have, the model's first; `null` for any. */
    readonly pinned: readonly (string | null)[];
    /** Whether runs of the page may hold rows of other pages. */
    readonly mayMerge: boolean;
  };
}

/** A later message of a page. */
export interface VisibilityNotice {
  readonly isHidden: boolean;
}

export type PageMessage = JoinRequest | VisibilityNotice;

/** The answer to a `JoinRequest`. */
export type JoinReply =
  /** The port of the session. Transferred. */
  | { readonly session: MessagePort }
  /** The page must take the next generation of the worker (`null`), or a worker of its own, for this reason. */
  | { readonly declined: string | null };

/**
 * The load for other pages makes progress. Sent to a page that joins while it is not known whether that load is of the
 * bytes that the page wants.
 */
export interface WaitNotice {
  readonly waiting: true;
}

/** A page has joined or left. */
export interface TabsNotice {
  readonly tabs: number;
}

export type SharedWorkerMessage = JoinReply | TabsNotice | WaitNotice;

/**
 * Returns the Web Lock that a shared worker of this name holds until it ends. A page that takes it breaks the worker.
 */
export function lifelineOf(worker: string): string {
  return `${worker} alive`;
}
