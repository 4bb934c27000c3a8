import { marked, type ServedApi } from "../../transport/transport.js";
import { serve } from "../../transport/serve.js";
import type { PageNotice } from "../../transport/page-notices.js";
import type { Turn, WorkerNotice } from "../../transport/protocol.js";
import type { PageMessage, TabsNotice } from "../tab-messages.js";

/** Maximum time without a word to a tab whose runs wait, in milliseconds. Its page then sees that the worker works. */
const SIGN_OF_LIFE_MS = 1000;

/** The parts of a member. */
interface MemberParts {
  /** The worker's end of the session's port. */
  readonly session: MessagePort;
  /** The port of the page for everything else, see `sharing.ts`. */
  readonly port: MessagePort;
  /** See `JoinRequest`. */
  readonly mayMerge: boolean;
  /** Returns the calls of the page. */
  readonly api: (member: Member) => ServedApi;
  /** Called when the page is about to leave. The page waits for the promise. */
  readonly onShutDown: (member: Member) => Promise<void>;
}

/** A page that uses the shared session. */
export class Member {
  /** Whether its tab is hidden. */
  isHidden = false;
  readonly mayMerge: boolean;
  readonly #session: MessagePort;
  readonly #port: MessagePort;
  /** The last notice "turn"; `null` before the first one. */
  #told: Turn | null = null;
  #toldAtMs = -Infinity;

  constructor({ session, port, mayMerge, api, onShutDown }: MemberParts) {
    this.mayMerge = mayMerge;
    this.#session = session;
    this.#port = port;
    const onNotice = (notice: PageNotice) => {
      if ("shutDown" in notice) void onShutDown(this).then(() => this.say({ notice: "shutDown" }));
    };
    serve(api(this), onNotice, session);
    session.start();
    port.addEventListener("message", ({ data }: MessageEvent<PageMessage>) => {
      if ("isHidden" in data) this.isHidden = data.isHidden;
    });
  }

  say(notice: WorkerNotice): void {
    this.#session.postMessage(marked(notice));
  }

  sayTabs(tabs: number): void {
    this.#port.postMessage({ tabs } satisfies TabsNotice);
  }

  /**
   * Tells the page that a run begins, if it must know: whenever its own runs begin to be executed, or those of others.
   * So it knows which run has ended the worker, if one does, and whether that was its own. A merged run is nobody's
   * own. It also knows how long a run of others may take, even if it asks for its own run only after that has begun:
   * the worker may be unable to tell it then.
   * @param isWaiting whether runs of this page wait, or are merged into this one
   */
  tellTurn(turn: Turn, isWaiting: boolean, nowMs: number): void {
    const told = this.#told;
    const isForeign = turn.owner !== "page";
    const isNews = turn.owner !== told?.owner || (isForeign && turn.timeoutMs > told.timeoutMs);
    const isSignDue = isForeign && isWaiting && nowMs - this.#toldAtMs >= SIGN_OF_LIFE_MS;
    if (!isNews && !isSignDue) return;
    this.#told = turn;
    this.#toldAtMs = nowMs;
    // The page may not hear of another run that begins within this time.
    this.say({ notice: "turn", turn: isForeign ? { ...turn, timeoutMs: turn.timeoutMs + SIGN_OF_LIFE_MS } : turn });
  }

  close(): void {
    this.#session.close();
    this.#port.close();
  }
}
