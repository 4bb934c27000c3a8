import { startTimeoutFor } from "@framebatch/host/hang-watchdog.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import type { GroupJoinRequest, GroupMessage } from "../../transport/grouping.js";
import type { Registration } from "../handlers/registration.js";
import { RunLock } from "../host/run-lock.js";
import { KeptRows } from "../kept/kept-rows.js";
import { OneRuntime } from "../session/one-runtime.js";
import { GroupMember } from "./group-member.js";

/** The models of a group in this worker. One at a time calls ONNX Runtime: in the order in which they ask, background work last. */
export class GroupHost {
  readonly #registration: Registration;
  readonly #heapBytes: () => number;
  readonly #lock = new RunLock(hostTimer);
  readonly #runtime = new OneRuntime(() => tell({ retired: true }));
  readonly #kept = new KeptRows();
  #executing: number | null = null;
  /** The Web Lock that this worker holds until it ends; `null` before it holds one. */
  #lifeline: string | null = null;
  /** The models that have not heard of it. */
  readonly #unaware: GroupMember[] = [];

  /** @param heapBytes returns the size of the WebAssembly memory */
  constructor(registration: Registration, heapBytes: () => number) {
    this.#registration = registration;
    this.#heapBytes = heapBytes;
  }

  /** Takes a model into the worker. */
  join({ member: port, id, handlers }: GroupJoinRequest): void {
    const member: GroupMember = new GroupMember({
      port,
      registration: {
        handlers: (timer) => this.#registration.handlers(timer, handlers ?? undefined),
        engine: (timer) => this.#registration.engine(timer),
      },
      heapBytes: this.#heapBytes,
      runtime: this.#runtime,
      kept: this.#kept,
      lock: {
        run: (task) => this.#lock.run(this.#inTurn(id, () => member.timeoutMs, task)),
        runWhenIdle: (task) => this.#lock.runWhenIdle(this.#inTurn(id, () => member.timeoutMs, task)),
      },
    });
    member.say({ notice: "ready" });
    this.#unaware.push(member);
    this.#tellLifeline();
  }

  /** Tells every model, also later ones, by which Web Lock its page notices the end of this worker. */
  alive(lock: string): void {
    this.#lifeline = lock;
    this.#tellLifeline();
  }

  #tellLifeline(): void {
    const lock = this.#lifeline;
    if (lock === null) return;
    for (const member of this.#unaware.splice(0)) member.say({ notice: "alive", lock });
  }

  /**
   * Returns a task that tells the page whose turn it is, before a run blocks this thread. So the page knows which model has
   * ended the worker, or hangs, and how long the others may have to wait.
   */
  #inTurn<T>(id: number, timeoutMs: () => number, task: () => Promise<T>): () => Promise<T> {
    return async () => {
      if (this.#executing !== id) tell({ executing: id, timeoutMs: startTimeoutFor(timeoutMs()) });
      this.#executing = id;
      try {
        return await task();
      } finally {
        // Only the task itself is pending.
        if (this.#lock.isLast) {
          this.#executing = null;
          tell({ executing: null, timeoutMs: 0 });
        }
      }
    };
  }
}

function tell(message: GroupMessage): void {
  postMessage(message);
}
