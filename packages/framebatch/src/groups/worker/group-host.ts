import { startTimeoutFor } from "@framebatch/host/watchdog.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import {
  type GroupJoinRequest,
  type GroupMemory,
  type GroupMessage,
  type GroupTurn,
  NO_TURN,
} from "../group-messages.js";
import { marked, type Sent, type ServedApi } from "../../transport/transport.js";
import { VERSION } from "../../transport/version.js";
import type { Registration } from "../../handlers/worker/registration.js";
import { RunLock } from "../../worker/host/run-lock.js";
import { KeptRows } from "../../kept/worker/kept-rows.js";
import { OneRuntime } from "../../worker/session/started-load.js";
import type { AnyHandlers } from "../../handlers/worker/handlers.js";
import { serve } from "../../transport/serve.js";
import type {
  ItemNotice,
  LoadReply,
  LoadRequest,
  RunReply,
  ShutDownRequest,
  WakeRequest,
  WorkerNotice,
} from "../../transport/protocol.js";
import type { CommonParts } from "../../worker/host/session-runs.js";
import { SessionHost } from "../../worker/host/session-host.js";

/**
 * The models of a group in this worker. One at a time calls ONNX Runtime: in the order in which they ask, background
 * work last.
 */
export class GroupHost {
  readonly #registration: Registration;
  readonly #limitHeap: (maxBytes: number) => void;
  readonly #lock: RunLock;
  readonly #shares: HeapShares;
  readonly #runtime = new OneRuntime(
    () => this.#shares.runtimeStarted(),
    () => tell({ retired: true }),
  );
  /** `null` before the first model. */
  #kept: KeptRows | null = null;
  #turn = NO_TURN;
  /** Resolves with the Web Lock that this worker holds until it ends; with `null` if it holds none. */
  readonly #lifeline: Promise<string | null>;

  /**
   * @param heapBytes returns the size of the WebAssembly memory
   * @param limitHeap limits it. Called before ONNX Runtime starts.
   * @param lifeline resolves with the Web Lock by which pages notice the end of this worker: nothing blocks the thread
   * before
   */
  constructor(
    registration: Registration,
    heapBytes: () => number,
    limitHeap: (maxBytes: number) => void,
    lifeline: Promise<string | null>,
  ) {
    this.#registration = registration;
    this.#limitHeap = limitHeap;
    this.#lifeline = lifeline;
    this.#lock = new RunLock(hostTimer, lifeline);
    this.#shares = new HeapShares(heapBytes);
  }

  /** Takes a model into the worker. */
  join({ member: port, id, handlers, maxMemoryBytes, maxKeptBytes }: GroupJoinRequest): void {
    if (id === 0 && maxMemoryBytes !== null) this.#limitHeap(maxMemoryBytes);
    this.#shares.join(id);
    const turn = (): GroupTurn => ({ executing: id, timeoutMs: startTimeoutFor(member.timeoutMs) });
    const member: GroupMember = new GroupMember({
      port,
      registration: {
        handlers: async (timer) => {
          const given = await this.#registration.handlers(timer, handlers ?? undefined);
          return handlersInTurn(given, (code) => this.#runCode(turn(), code));
        },
        engine: (timer) => this.#registration.engine(timer),
      },
      maxMemoryBytes,
      onLeft: () => this.#shares.leave(id),
      runtime: this.#runtime,
      memory: (fileBytes) => ({ bytes: this.#shares.of(id, fileBytes), worker: this.#shares.memory }),
      kept: (this.#kept ??= new KeptRows(maxKeptBytes)),
      lock: {
        run: (task) => this.#lock.run(this.#inTurn(turn, task)),
        runWhenIdle: (task) => this.#lock.runWhenIdle(this.#inTurn(turn, task)),
      },
    });
    member.say({ notice: "ready", version: VERSION });
    void this.#lifeline.then((lock) => lock !== null && member.say({ notice: "alive", lock }));
  }

  /**
   * Returns a task that tells the page whose turn it is, before a run blocks this thread. So the page knows which model
   * has ended the worker, or hangs, and how long the others may have to wait.
   */
  #inTurn<T>(turn: () => GroupTurn, task: () => Promise<T>): () => Promise<T> {
    return async () => {
      this.#begin(turn());
      try {
        return await task();
      } finally {
        // Only the task itself is pending.
        if (this.#lock.isLast) this.#begin(NO_TURN);
      }
    };
  }

  /** Runs code of a model, which may be in the middle of the turn of another. */
  #runCode<T>(turn: GroupTurn, code: () => T): T {
    const before = this.#turn;
    this.#begin(turn);
    try {
      return code();
    } finally {
      this.#begin(before);
    }
  }

  #begin(turn: GroupTurn): void {
    if (turn.executing !== this.#turn.executing) tell(turn);
    this.#shares.turn(turn.executing);
    this.#turn = turn;
  }
}

function tell(message: GroupMessage): void {
  postMessage(marked(message));
}

/** Runs code of the user, and tells the page for so long whose it is. */
type InTurn = <T>(code: () => T) => T;

/**
 * Returns the handlers of a model of a group, which may block the thread while the call of another model is open: one
 * that waits for a GPU or for a file. What follows an `await` in a handler counts as that other model's, unless the run
 * of the handler is exclusive.
 */
function handlersInTurn(handlers: AnyHandlers, inTurn: InTurn): AnyHandlers {
  return {
    ...(handlers.begin !== undefined && { begin: () => inTurn(() => handlers.begin!()) }),
    ...(handlers.preprocess !== undefined && {
      preprocess: (item, context) => inTurn(() => handlers.preprocess!(item, context)),
    }),
    ...(handlers.postprocess !== undefined && {
      postprocess: (outputs, item, context) => inTurn(() => handlers.postprocess!(outputs, item, context)),
    }),
    // Always in a run of its model, which has the turn.
    ...(handlers.choose !== undefined && { choose: (scores, context) => handlers.choose!(scores, context) }),
  };
}

/**
 * What the WebAssembly memory of a worker is used for: ONNX Runtime and each model. The memory never shrinks. It grows
 * for the model whose turn it is; what a model has left behind, the others take before it grows again.
 */
export class HeapShares {
  readonly #heapBytes: () => number;
  readonly #shares = new Map<number, number>();
  /** Growth up to this size has its owner. */
  #countedBytes = 0;
  /** What no model has ever had. */
  #runtimeBytes = 0;
  #owner: number | null = null;

  /** @param heapBytes returns the size of the WebAssembly memory */
  constructor(heapBytes: () => number) {
    this.#heapBytes = heapBytes;
  }

  get memory(): GroupMemory {
    return { heapBytes: this.#countedBytes, runtimeBytes: this.#runtimeBytes };
  }

  join(id: number): void {
    this.#shares.set(id, 0);
  }

  /** The memory grows for this model from now on; `null`: for none. */
  turn(owner: number | null): void {
    this.#count();
    this.#owner = owner;
  }

  /**
   * ONNX Runtime has started, possibly in the turn of a model that waits for it: the memory has grown for all models.
   */
  runtimeStarted(): void {
    this.#runtimeBytes += this.#grown();
  }

  /**
   * Returns the share of a model: what the memory has grown by in its turns, and at least the size of its files, which
   * a load takes first from what others have left behind, then from what ONNX Runtime does not need.
   */
  of(id: number, fileBytes: number): number {
    this.#count();
    const share = this.#shares.get(id) ?? 0;
    const spare = this.#countedBytes - [...this.#shares.values()].reduce((sum, bytes) => sum + bytes, 0);
    const taken = Math.min(Math.max(0, fileBytes - share), spare);
    this.#runtimeBytes = Math.min(this.#runtimeBytes, spare - taken);
    this.#shares.set(id, share + taken);
    return share + taken;
  }

  /** The session of the model is released: others may take its share. */
  leave(id: number): void {
    this.#shares.delete(id);
  }

  #count(): void {
    const grown = this.#grown();
    const share = this.#owner === null ? undefined : this.#shares.get(this.#owner);
    if (this.#owner === null || share === undefined) this.#runtimeBytes += grown;
    else this.#shares.set(this.#owner, share + grown);
  }

  #grown(): number {
    const before = this.#countedBytes;
    this.#countedBytes = this.#heapBytes();
    return this.#countedBytes - before;
  }
}

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
