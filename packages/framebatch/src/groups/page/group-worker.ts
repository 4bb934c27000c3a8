import type { Cancel } from "@framebatch/host/clock.js";
import { after } from "@framebatch/host/host-timer.js";
import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import {
  type GroupJoinRequest,
  type GroupMemory,
  type GroupMessage,
  type GroupTurn,
  NO_TURN,
  type MemoryUse,
} from "../group-messages.js";
import { isOwnMessage, marked, type WorkerEndpoint } from "../../transport/transport.js";
import type { Turn, WorkerNotice } from "../../transport/protocol.js";
import { crash } from "../../client/workers/crash-history.js";
import { COMPILE_GRACE_MS, GRACE_MS } from "../../client/workers/open-calls.js";
import type { WorkerSite } from "../../client/workers/worker-site.js";

/**
 * Maximum time in which a worker releases a session, in milliseconds: one that takes longer runs another model, or
 * hangs.
 */
const LEAVE_MS = 10_000;

/** The page's end of the connection of one model. */
export interface MemberEndpoint extends WorkerEndpoint {
  /** Returns whether other models are leaving the worker, once their memory is free. */
  othersLeft(): Promise<boolean>;
  /** For a model that has left: whether others had left memory behind by then. */
  hasSpare(): boolean;
}

/** See `ModelGroupOptions`; `maxMemoryBytes` is `null` for no limit. */
type GroupLimits = Pick<GroupJoinRequest, "maxMemoryBytes" | "maxKeptBytes">;

/**
 * A worker with the models of a group. Each has a port to it, which stands for the worker. When one model finds the
 * worker broken, it ends for all; each goes on in the next worker. It ends with its last model.
 */
export class GroupWorker {
  readonly #worker: WorkerEndpoint;
  readonly #limits: GroupLimits;
  readonly #members = new Map<number, MessagePort>();
  /** The models that have left, until the worker has released their sessions. */
  readonly #leaving = new Map<number, Leave>();
  #joined = 0;
  #turn = NO_TURN;
  #memory: GroupMemory = { heapBytes: 0, runtimeBytes: 0 };
  /** The share that each model has in the memory, in bytes. */
  readonly #shares = new Map<number, number>();
  #isRetired = false;
  /**
   * Ends the wait for the run of a model that has left: no call waits for it, so that nobody else notices if it hangs.
   */
  #endWatch: Cancel = () => undefined;

  /** @throws what the site throws */
  constructor(site: WorkerSite, { maxMemoryBytes, maxKeptBytes }: GroupLimits) {
    this.#limits = { maxMemoryBytes, maxKeptBytes };
    this.#worker = site.start();
    this.#worker.addEventListener("message", (event) => isOwnMessage(event) && this.#onMessage(event.data));
    for (const type of ["error", "messageerror"]) {
      this.#worker.addEventListener(type, (event) => {
        event.preventDefault();
        this.#pass(event);
      });
    }
  }

  /** Whether no other model may join. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Size of the WebAssembly memory, in bytes. */
  get memoryBytes(): number {
    return this.#memory.heapBytes;
  }

  /** The part of it that models have left behind, in bytes: others take it before the memory grows. */
  get releasedBytes(): number {
    const { heapBytes, runtimeBytes } = this.#memory;
    return [...this.#shares.values()].reduce((left, bytes) => left - bytes, heapBytes - runtimeBytes);
  }

  /** Adds a model. @param handlers the name of its handlers; `null` for a model of tensors */
  join(handlers: string | null): MemberEndpoint {
    const { port1: port, port2: member } = new MessageChannel();
    const id = this.#joined;
    this.#joined += 1;
    this.#members.set(id, port);
    port.addEventListener("message", (event) => {
      if (isOwnMessage(event) && isNotice(event.data)) this.#onNotice(id, event.data);
    });
    const request: GroupJoinRequest = { member, id, handlers, ...this.#limits };
    this.#worker.postMessage(marked(request), [member]);
    // Messages come in later tasks, when the caller listens.
    port.start();
    let spareBytes = 0;
    return {
      isShared: true,
      // Of a model that has left, only its end: Comlink's release would close the port before the worker has told that.
      postMessage: (message, transfer = []) => this.#members.has(id) && port.postMessage(message, transfer),
      addEventListener: (type, listener, options) => port.addEventListener(type, listener, options),
      removeEventListener: (type, listener) => port.removeEventListener(type, listener),
      abandon: () => this.#break(id),
      terminate: () => {
        spareBytes = this.releasedBytes;
        this.#leave(id);
      },
      othersLeft: () => this.#othersLeft(id),
      hasSpare: () => spareBytes > 0,
    };
  }

  #leave(id: number): void {
    const port = this.#members.get(id);
    if (port === undefined) return;
    this.#members.delete(id);
    this.#shares.delete(id);
    // The worker releases the session, and says so. It cannot see that a port is closed.
    const isLast = this.#members.size === 0;
    port.postMessage(marked({ shutDown: true, isLast }));
    if (isLast) return this.#endAfter(id, port);
    this.#leaving.set(id, leaveOf(port, LEAVE_MS));
    const { executing, timeoutMs } = this.#turn;
    if (executing === id) this.#endWatch = after(timeoutMs, () => this.#turn.executing === id && this.#break(id));
  }

  /** Ends the worker when its last model has ended what a termination must not interrupt. */
  #endAfter(last: number, port: MessagePort): void {
    const leave = leaveOf(port, GRACE_MS);
    this.#retire();
    this.#leaving.set(last, leave);
    void leave.ended.then(() => this.#worker.terminate());
  }

  /** Resolves when the sessions of the other models that leave are released. Returns whether there are any. */
  async #othersLeft(own: number): Promise<boolean> {
    const others = [...this.#leaving].flatMap(([id, { ended }]) => (id === own ? [] : [ended]));
    await Promise.all(others);
    return others.length > 0;
  }

  /** No other model may join, and no other session is released. */
  #retire(): void {
    this.#isRetired = true;
    this.#endWatch();
    for (const id of this.#leaving.keys()) this.#left(id);
  }

  #left(id: number): void {
    this.#leaving.get(id)?.end();
    this.#leaving.delete(id);
  }

  /** Ends the worker for all models, because of one of them. The others are not to blame. */
  #break(culprit: number): void {
    if (this.#isRetired) return;
    this.#retire();
    this.#turn = { executing: culprit, timeoutMs: 0 };
    const lost: WorkerNotice = { notice: "lost", error: encodeError(crash("another model of its group has ended it")) };
    for (const id of this.#others(culprit)) {
      this.#tellTurn(id);
      this.#say(id, lost);
    }
  }

  #onMessage(data: object): void {
    if (isGroupMessage(data)) {
      if ("retired" in data) this.#retire();
      else this.#onTurn(data);
    } else if (isNotice(data) && data.notice === "lost") {
      this.#retire();
      for (const id of this.#members.keys()) this.#say(id, data);
    }
  }

  #onTurn(turn: GroupTurn): void {
    this.#turn = turn;
    for (const id of this.#members.keys()) this.#tellTurn(id);
  }

  #onNotice(id: number, notice: WorkerNotice): void {
    if (notice.notice === "shutDown") this.#left(id);
    else if (notice.notice === "compiling") this.#leaving.get(id)?.prolong();
    else if (!this.#members.has(id)) return;
    else if (notice.notice === "memory") this.#onMemory(id, notice);
    else if (notice.notice === "ready") this.#tellTurn(id);
    // The others wait for its load, which shows that the worker lives.
    else if (notice.notice === "progress")
      for (const other of this.#others(id)) this.#say(other, { notice: "loading" });
  }

  #onMemory(id: number, { bytes, worker }: MemoryUse): void {
    this.#shares.set(id, bytes);
    // Notices of different models may overtake each other.
    if (worker !== undefined && worker.heapBytes >= this.#memory.heapBytes) this.#memory = worker;
  }

  /** A failure of the worker concerns every model, and each explains it. */
  #pass(event: Event): void {
    this.#retire();
    const message = "message" in event ? String(event.message) : "";
    for (const port of this.#members.values()) port.dispatchEvent(new ErrorEvent(event.type, { message }));
  }

  #tellTurn(id: number): void {
    const { executing, timeoutMs } = this.#turn;
    const turn: Turn = { owner: executing === null || executing === id ? "page" : "other", timeoutMs };
    this.#say(id, { notice: "turn", turn });
  }

  #say(id: number, notice: WorkerNotice): void {
    this.#members.get(id)?.dispatchEvent(new MessageEvent("message", { data: marked(notice) }));
  }

  #others(id: number): number[] {
    return [...this.#members.keys()].filter((other) => other !== id);
  }
}

/** A model that leaves. */
interface Leave {
  readonly ended: Promise<void>;
  readonly end: () => void;
  /** The worker has more time, because it compiles ONNX Runtime. */
  readonly prolong: () => void;
}

/** @param limitMs in milliseconds */
function leaveOf(port: MessagePort, limitMs: number): Leave {
  let resolve = (): void => undefined;
  const ended = new Promise<void>((settle) => (resolve = settle)).then(() => port.close());
  let cancel = after(limitMs, () => resolve());
  const end = () => {
    cancel();
    resolve();
  };
  const prolong = () => {
    cancel();
    cancel = after(COMPILE_GRACE_MS, () => resolve());
  };
  return { ended, end, prolong };
}

function isNotice(data: object): data is WorkerNotice {
  return "notice" in data;
}

function isGroupMessage(data: object): data is GroupMessage {
  return "executing" in data || "retired" in data;
}
