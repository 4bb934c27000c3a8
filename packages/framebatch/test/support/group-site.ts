import { isJoinRequest, type GroupJoinRequest } from "../../src/transport/grouping.js";
import type { LoadReply, LoadRequest, RunReply, RunRequest } from "../../src/transport/protocol.js";
import { serve } from "../../src/transport/serve.js";
import type { WorkerEndpoint } from "../../src/transport/transport.js";
import type { BuiltInSite } from "../../src/client/workers/worker-site.js";
import { HeapShares } from "../../src/worker/group/heap-shares.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { planPadding } from "@framebatch/rows/padding/plan.js";
import { RUNTIMES } from "./runtimes.js";
import { failed, numbersOfRun, ready, scripted } from "./scripted-plan.js";

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
}

/** Workers of a group, in this thread, whose models double numbers. Their memory grows as that of WebAssembly, up to the limit. */
export function groupSite(needs: MemoryNeeds): BuiltInSite & { readonly started: GroupWorkerInNode[] } {
  const started: GroupWorkerInNode[] = [];
  return {
    script: null,
    fix: "fix the test",
    runtimes: RUNTIMES,
    address: () => "",
    started,
    start(): WorkerEndpoint {
      const worker = new GroupWorkerInNode(needs);
      started.push(worker);
      return {
        postMessage: (message) => void (isJoinRequest(message) && worker.join(message)),
        addEventListener: () => undefined,
        removeEventListener: () => undefined,
        terminate: () => void (worker.isTerminated = true),
      };
    },
  };
}

export class GroupWorkerInNode {
  isTerminated = false;
  heapBytes = 0;
  readonly #needs: MemoryNeeds;
  readonly #inUse = new Map<number, number>();
  readonly #shares = new HeapShares(() => this.heapBytes);

  constructor(needs: MemoryNeeds) {
    this.#needs = needs;
  }

  join({ member: port, id, maxMemoryBytes }: GroupJoinRequest): void {
    this.#shares.join(id);
    const limit = maxMemoryBytes ?? Infinity;
    const report = () =>
      port.postMessage({ notice: "memory", bytes: this.#shares.of(id, 0), worker: this.#shares.memory });
    const api = scripted({
      load: async (request) => {
        const reply = this.#load(id, request, limit);
        report();
        return reply;
      },
      run: async (request) => doubled(request),
    });
    serve(api, (notice) => "shutDown" in notice && this.#leave(id), port);
    port.postMessage({ notice: "ready" });
  }

  #load(id: number, { location }: LoadRequest, limit: number): LoadReply {
    if (this.heapBytes === 0) this.heapBytes = this.#needs.runtimeBytes;
    this.#shares.runtimeStarted();
    const bytes = ("url" in location ? this.#needs.modelBytes[location.url] : undefined) ?? 0;
    const left = this.#needs.isInPieces ? 0 : this.heapBytes - this.#usedBytes;
    const grown = this.heapBytes + Math.max(0, bytes - left);
    if (grown > limit) return failed("wasm", "OUT_OF_MEMORY");
    this.#inUse.set(id, bytes);
    this.#shares.turn(id);
    this.heapBytes = grown;
    this.#shares.of(id, bytes);
    this.#shares.turn(null);
    return ready("wasm", { signature: SIGNATURE, padding: planPadding(SIGNATURE) });
  }

  get #usedBytes(): number {
    return [...this.#inUse.values()].reduce((sum, bytes) => sum + bytes, this.#needs.runtimeBytes);
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
