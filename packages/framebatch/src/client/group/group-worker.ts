import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import {
  type GroupJoinRequest,
  type GroupMemory,
  type GroupMessage,
  type GroupTurn,
  NO_TURN,
} from "../../transport/grouping.js";
import type { MemoryUse, Turn, WorkerNotice } from "../../transport/protocol.js";
import type { WorkerEndpoint } from "../../transport/transport.js";
import { crash } from "../workers/crash-history.js";
import type { WorkerSite } from "../workers/worker-site.js";

/** See `ModelGroupOptions`; `maxMemoryBytes` is `null` for no limit. */
type GroupLimits = Pick<GroupJoinRequest, "maxMemoryBytes" | "maxKeptBytes">;

/**
 * A worker with the models of a group. Each has a port to it, which stands for the worker. When one model finds the worker
 * broken, it ends for all; each goes on in the next worker. It ends with its last model.
 */
export class GroupWorker {
  readonly #worker: WorkerEndpoint;
  readonly #limits: GroupLimits;
  readonly #members = new Map<number, MessagePort>();
  #joined = 0;
  #turn = NO_TURN;
  #memory: GroupMemory = { heapBytes: 0, runtimeBytes: 0 };
  /** The share that each model has in the memory, in bytes. */
  readonly #shares = new Map<number, number>();
  #isRetired = false;

  /** @throws what the site throws */
  constructor(site: WorkerSite, { maxMemoryBytes, maxKeptBytes }: GroupLimits) {
    this.#limits = { maxMemoryBytes, maxKeptBytes };
    this.#worker = site.start();
    this.#worker.addEventListener("message", (event) => "data" in event && this.#onMessage(event.data));
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
  join(handlers: string | null): WorkerEndpoint {
    const { port1: port, port2: member } = new MessageChannel();
    const id = this.#joined;
    this.#joined += 1;
    this.#members.set(id, port);
    port.addEventListener("message", ({ data }: MessageEvent<unknown>) => isNotice(data) && this.#onNotice(id, data));
    this.#worker.postMessage({ member, id, handlers, ...this.#limits } satisfies GroupJoinRequest, [member]);
    // Messages come in later tasks, when the caller listens.
    port.start();
    return {
      isShared: true,
      postMessage: (message, transfer = []) => port.postMessage(message, transfer),
      addEventListener: (type, listener, options) => port.addEventListener(type, listener, options),
      removeEventListener: (type, listener) => port.removeEventListener(type, listener),
      abandon: () => this.#break(id),
      terminate: () => this.#leave(id),
    };
  }

  #leave(id: number): void {
    const port = this.#members.get(id);
    // The worker releases the session. It cannot see that a port is closed.
    port?.postMessage({ shutDown: true });
    port?.close();
    this.#members.delete(id);
    this.#shares.delete(id);
    if (this.#members.size > 0) return;
    this.#isRetired = true;
    this.#worker.terminate();
  }

  /** Ends the worker for all models, because of one of them. The others are not to blame. */
  #break(culprit: number): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#turn = { executing: culprit, timeoutMs: 0 };
    const lost: WorkerNotice = { notice: "lost", error: encodeError(crash("another model of its group has ended it")) };
    for (const id of this.#others(culprit)) {
      this.#tellTurn(id);
      this.#say(id, lost);
    }
  }

  #onMessage(data: unknown): void {
    if (isGroupMessage(data)) {
      if ("retired" in data) this.#isRetired = true;
      else this.#onTurn(data);
    } else if (isNotice(data) && data.notice === "lost") {
      this.#isRetired = true;
      for (const id of this.#members.keys()) this.#say(id, data);
    }
  }

  #onTurn(turn: GroupTurn): void {
    this.#turn = turn;
    for (const id of this.#members.keys()) this.#tellTurn(id);
  }

  #onNotice(id: number, notice: WorkerNotice): void {
    if (notice.notice === "memory") this.#onMemory(id, notice);
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
    this.#isRetired = true;
    const message = "message" in event ? String(event.message) : "";
    for (const port of this.#members.values()) port.dispatchEvent(new ErrorEvent(event.type, { message }));
  }

  #tellTurn(id: number): void {
    const { executing, timeoutMs } = this.#turn;
    const turn: Turn = { owner: executing === null || executing === id ? "page" : "other", timeoutMs };
    this.#say(id, { notice: "turn", turn });
  }

  #say(id: number, notice: WorkerNotice): void {
    this.#members.get(id)?.dispatchEvent(new MessageEvent("message", { data: notice }));
  }

  #others(id: number): number[] {
    return [...this.#members.keys()].filter((other) => other !== id);
  }
}

function isNotice(data: unknown): data is WorkerNotice {
  return typeof data === "object" && data !== null && "notice" in data;
}

function isGroupMessage(data: unknown): data is GroupMessage {
  return typeof data === "object" && data !== null && ("executing" in data || "retired" in data);
}
