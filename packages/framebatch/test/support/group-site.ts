import type { GroupJoinRequest } from "../../src/groups/group-messages.js";
import type { LoadReply, LoadRequest, RunReply, RunRequest, WorkerNotice } from "../../src/transport/protocol.js";
import { marked, type WorkerEndpoint } from "../../src/transport/transport.js";
import { VERSION } from "../../src/transport/version.js";
import { serve } from "../../src/transport/serve.js";
import type { BuiltInSite } from "../../src/client/workers/worker-site.js";
import { HeapShares } from "../../src/groups/worker/group-host.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import { RUNTIMES } from "./runtimes.js";
import { errorData, failed, numbersOfRun, ready, scripted } from "./scripted-plan.js";

const SIGNATURE = resolveSignature(
  [{ name: "x", type: "float32", shape: ["batch", 1] }],
  [{ name: "y", type: "float32", shape: ["batch", 1] }],
);

/** What the models of a test need of the memory of their worker, in bytes. */
export interface MemoryNeeds {
  readonly runtimeBytes: number;
  /** By the address of the model. A test may change it. */
  readonly modelBytes: Record<string, number>;
  /** Whether a model cannot use what others have left behind, because that is in pieces. */
  readonly isInPieces?: boolean;
  /** Whether the load of a model overtakes the ends of others until one finds no memory. @default false */
  readonly hearsEndsLate?: boolean;
}

/** What a model does in its worker, besides taking memory. */
export interface MemberPlay {
  /** Returns why it does not load, or `null`. */
  load(request: LoadRequest): Promise<LoadReply | null>;
  run(request: RunRequest): Promise<RunReply>;
}

/** Loads at once, and doubles numbers. */
const DOUBLING: MemberPlay = { load: async () => null, run: async (request) => doubled(request) };

type PlayOf = (say: (notice: WorkerNotice) => void) => MemberPlay;

/** Workers of a group, in this thread. Their memory grows as that of WebAssembly, up to the limit. */
export function groupSite(
  needs: MemoryNeeds,
  playOf: PlayOf = () => DOUBLING,
): BuiltInSite & { readonly started: GroupWorkerInNode[] } {
  const started: GroupWorkerInNode[] = [];
  return {
    script: null,
    fix: "fix the test",
    runtimes: RUNTIMES,
    address: () => "",
    started,
    start(): WorkerEndpoint {
      const worker = new GroupWorkerInNode(needs, playOf);
      started.push(worker);
      return {
        postMessage: (message) => void (isJoinRequest(message) && worker.join(message)),
        addEventListener: (type, listener) => worker.events.addEventListener(type, listener),
        removeEventListener: (type, listener) => worker.events.removeEventListener(type, listener),
        terminate: () => void (worker.isTerminated = true),
      };
    },
  };
}

export class GroupWorkerInNode {
  isTerminated = false;
  heapBytes = 0;
  /** What its page hears of it. */
  readonly events = new EventTarget();
  readonly #needs: MemoryNeeds;
  readonly #playOf: PlayOf;
  /** By the numbers of the models. */
  readonly #inUse = new Map<number, { readonly address: string; readonly bytes: number }>();
  readonly #shares = new HeapShares(() => this.heapBytes);

  #hearsEnds: boolean;
  /** The models that have ended without its knowledge. */
  readonly #unheard: (() => void)[] = [];

  constructor(needs: MemoryNeeds, playOf: PlayOf) {
    this.#needs = needs;
    this.#hearsEnds = needs.hearsEndsLate !== true;
    this.#playOf = playOf;
  }

  /** Whether it has a session of the model from this address. */
  holds(address: string): boolean {
    return [...this.#inUse.values()].some((used) => used.address === address);
  }

  /** Loses its device: the page ends it. */
  crash(): void {
    const notice: WorkerNotice = { notice: "lost", error: errorData("WORKER_CRASHED") };
    this.events.dispatchEvent(new MessageEvent("message", { data: marked(notice) }));
  }

  join({ member: port, id, maxMemoryBytes }: GroupJoinRequest): void {
    this.#shares.join(id);
    const limit = maxMemoryBytes ?? Infinity;
    const say = (notice: WorkerNotice) => port.postMessage(marked(notice));
    const play = this.#playOf(say);
    const api = scripted({
      load: async (request) => {
        const reply = (await play.load(request)) ?? this.#load(id, request, limit);
        say({ notice: "memory", bytes: this.#shares.of(id, 0), worker: this.#shares.memory });
        return reply;
      },
      run: (request) => play.run(request),
    });
    serve(api, (notice) => "shutDown" in notice && this.#end(id, say), port);
    say({ notice: "ready", version: VERSION });
  }

  #load(id: number, { location }: LoadRequest, limit: number): LoadReply {
    if (this.heapBytes === 0) this.heapBytes = this.#needs.runtimeBytes;
    this.#shares.runtimeStarted();
    const address = "url" in location ? location.url : "";
    const bytes = this.#needs.modelBytes[address] ?? 0;
    const left = this.#needs.isInPieces ? 0 : this.heapBytes - this.#usedBytes;
    const grown = this.heapBytes + Math.max(0, bytes - left);
    if (grown > limit) {
      this.#hearEnds();
      return failed("wasm", "OUT_OF_MEMORY");
    }
    this.#inUse.set(id, { address, bytes });
    this.#shares.turn(id);
    this.heapBytes = grown;
    this.#shares.of(id, bytes);
    this.#shares.turn(null);
    return ready("wasm", { signature: SIGNATURE, padding: planPadding(SIGNATURE) });
  }

  get #usedBytes(): number {
    return [...this.#inUse.values()].reduce((sum, { bytes }) => sum + bytes, this.#needs.runtimeBytes);
  }

  #end(id: number, say: (notice: WorkerNotice) => void): void {
    const leave = () => {
      this.#leave(id);
      say({ notice: "shutDown" });
    };
    if (this.#hearsEnds) leave();
    else this.#unheard.push(leave);
  }

  #hearEnds(): void {
    this.#hearsEnds = true;
    for (const leave of this.#unheard.splice(0)) leave();
  }

  #leave(id: number): void {
    this.#inUse.delete(id);
    this.#shares.leave(id);
  }
}

function doubled(request: RunRequest): RunReply {
  const products = numbersOfRun(request).map((value) => 2 * value);
  const y = { type: "float32", dims: [products.length, 1], data: Float32Array.from(products) } as const;
  return { ok: true, outputs: { y }, inferenceMs: 1 };
}

function isJoinRequest(message: unknown): message is GroupJoinRequest {
  return typeof message === "object" && message !== null && "member" in message;
}
