import { expose, transfer, type Endpoint } from "comlink";
import { type ControlApi, isOwnMessage, type Mark, marked, type Sent, type ServedApi } from "./transport.js";
import type { GroupJoinRequest } from "../groups/group-messages.js";
import type { PageNotice, RunAnswer, RunMessage, SharedMemory } from "./protocol.js";
import { receiveFrom } from "./shared-memory.js";

/** A notice of a page for what is served. */
export type ServedNotice = Exclude<PageNotice, SharedMemory>;

/** What a page sends. What has a type is a call, which Comlink answers. */
type PageMessage = RunMessage | PageNotice | GroupJoinRequest | { readonly type: string };

/**
 * Serves the calls of the page from inside a worker.
 * @param onNotice called with each notice of the page, except those that this module handles itself
 * @param page the connection to the page; default: the worker's own global scope
 * @param onJoin called when a model of a group joins
 */
export function serve(
  api: ServedApi,
  onNotice: (notice: ServedNotice) => void,
  page: Endpoint = ownScope(),
  onJoin?: (request: GroupJoinRequest) => void,
): void {
  const send = async <Reply>(sent: Promise<Sent<Reply>>): Promise<Reply> => {
    const { reply, transfer: moved } = await sent;
    return moved.length === 0 ? reply : transfer(reply, moved);
  };
  const post = (answer: RunAnswer, moved: Transferable[]): void => {
    const message: RunAnswer & Mark = { ...answer, isFramebatch: true };
    page.postMessage(message, moved);
  };
  const runs = new ReceivedRuns(api);
  const exposed: ControlApi = {
    load: (request) => send(api.load(request)),
    recall: (ids) => send(api.recall(ids)),
    learn: (request) => send(api.learn(request)),
  };
  // Comlink resolves any path of names on the exposed object, so no name may lead to a prototype or other object.
  let hearCall = (_event: Event): void => undefined;
  expose(Object.freeze(Object.assign(Object.create(null), exposed)), {
    postMessage: (message: object, moved) => page.postMessage(marked(message), moved),
    addEventListener: (_type, listen) => typeof listen === "function" && (hearCall = listen),
    removeEventListener: () => (hearCall = () => undefined),
  });
  // One listener: each one more is a call into V8 for each message, and an end of a task.
  page.addEventListener("message", (event: Event) => {
    if (!isOwnMessage<PageMessage>(event)) return;
    const { data } = event;
    if ("run" in data) runs.received(data, post);
    else if ("type" in data) hearCall(event);
    else if ("shared" in data) void receiveFrom(data.shared, runs, post);
    else if ("member" in data) onJoin?.(data);
    else onNotice(data);
  });
}

/** The page of a worker that no other page has. */
function ownScope(): Endpoint {
  return {
    postMessage: (message, moved = []) => postMessage(message, { transfer: moved }),
    addEventListener: (type, listener) => addEventListener(type, listener),
    removeEventListener: (type, listener) => removeEventListener(type, listener),
  };
}

/** Sends the reply to a run back the way that the run has come, or as a message. */
export type Answer = (answer: RunAnswer, moved: Transferable[]) => void;

/** The runs of one page, in the worker. Begins them in the order of their numbers, whichever way each has come. */
export class ReceivedRuns {
  readonly #api: Pick<ServedApi, "run">;
  #begun = 0;
  /** The runs that have come before an earlier one. */
  readonly #early = new Map<number, { readonly message: RunMessage; readonly answer: Answer }>();

  constructor(api: Pick<ServedApi, "run">) {
    this.#api = api;
  }

  received(message: RunMessage, answer: Answer): void {
    // Only those that are early enter the map: a map that all pass through would keep some of them alive.
    if (message.run > this.#begun + 1) return void this.#early.set(message.run, { message, answer });
    void this.#run(message, answer);
    if (this.#early.size === 0) return;
    const next = this.#early.get(this.#begun + 1);
    this.#early.delete(this.#begun + 1);
    if (next !== undefined) this.received(next.message, next.answer);
  }

  async #run({ run, request }: RunMessage, answer: Answer): Promise<void> {
    this.#begun = run;
    const sent = await this.#api.run(request);
    answer({ ran: run, reply: sent.reply }, sent.transfer);
  }
}
