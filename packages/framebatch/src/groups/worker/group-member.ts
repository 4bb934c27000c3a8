import { marked, type Sent, type ServedApi } from "../../transport/transport.js";
import { serve } from "../../transport/serve.js";
import type { ItemNotice, ShutDownRequest, WakeRequest } from "../../transport/page-notices.js";
import type { LoadReply, LoadRequest, RunReply, WorkerNotice } from "../../transport/protocol.js";
import type { Registration } from "../../handlers/worker/registration.js";
import type { CommonParts } from "../../worker/host/common-parts.js";
import { SessionHost } from "../../worker/host/session-host.js";

/** The parts of a member. */
interface MemberParts extends CommonParts {
  /** The worker's end of the port. */
  readonly port: MessagePort;
  readonly registration: Pick<Registration, "handlers" | "engine">;
  /** Limit of the memory of the worker, in bytes; `null` if there is none. */
  readonly maxMemoryBytes: number | null;
  /** Called when the session is released. */
  readonly onLeft: () => void;
}

/** One model of a group. Its session is released when the page ends it, while the worker goes on. */
export class GroupMember {
  readonly #port: MessagePort;
  readonly #host: SessionHost;
  readonly #onLeft: () => void;
  #loading: Promise<Sent<LoadReply>> | null = null;
  #left: Promise<void> | null = null;
  /** The longest time that a run of this model was given, in milliseconds. */
  #timeoutMs = 0;

  constructor({ port, registration, maxMemoryBytes, onLeft, ...common }: MemberParts) {
    this.#port = port;
    this.#onLeft = onLeft;
    this.#host = new SessionHost((notice) => this.say(notice), registration, undefined, common);
    const { run, recall, learn } = this.#host;
    const limited = <Reply extends LoadReply | RunReply>(sent: Sent<Reply>) => withLimit(sent, maxMemoryBytes);
    const api: ServedApi = {
      load: (request) => this.#load(request).then(limited),
      run: (request) => {
        this.#timeoutMs = Math.max(this.#timeoutMs, request.timeoutMs ?? 0);
        return run(request).then(limited);
      },
      recall,
      learn,
    };
    serve(api, (notice) => this.#onNotice(notice), port);
    port.start();
  }

  /** Maximum silence of the worker in a run of this model, in milliseconds. */
  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  say(notice: WorkerNotice): void {
    this.#port.postMessage(marked(notice));
  }

  #load(request: LoadRequest): Promise<Sent<LoadReply>> {
    this.#loading = this.#host.load(request);
    return this.#loading;
  }

  #onNotice(notice: ShutDownRequest | WakeRequest | ItemNotice): void {
    if ("shutDown" in notice)
      void (notice.isLast ? this.#host.shutDown() : this.#leave()).then(() => this.say({ notice: "shutDown" }));
    else if (!("wakeInMs" in notice)) this.#host.hear(notice);
  }

  #leave(): Promise<void> {
    this.#left ??= this.#end();
    return this.#left;
  }

  /**
   * A load that the page has given up ends first: only then is there a session to release. The session waits for
   * nothing else, because the database may never answer.
   */
  async #end(): Promise<void> {
    await this.#loading;
    await this.#host.release();
    this.#onLeft();
    // Nobody waits for it: the worker goes on.
    void this.#host.shutDown();
  }
}

type Failure = Extract<LoadReply, { readonly outcome: "failed" }> | Extract<RunReply, { readonly ok: false }>;

/**
 * Returns a failure for lack of memory with what may have caused it: the limit of the group.
 * @param maxBytes `null`: none
 */
function withLimit<Reply extends LoadReply | RunReply>(sent: Sent<Reply>, maxBytes: number | null): Sent<Reply> {
  const { reply, transfer } = sent;
  if (maxBytes === null || !isFailure(reply) || reply.error.code !== "OUT_OF_MEMORY") return sent;
  const fix = `the group has maxMemoryBytes: ${maxBytes}; raise it, or dispose of other models`;
  return { reply: { ...reply, error: { ...reply.error, message: `${reply.error.message}; ${fix}` } }, transfer };
}

function isFailure(reply: LoadReply | RunReply): reply is Failure {
  return "error" in reply;
}
