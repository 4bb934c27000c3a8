import { AbsentTensor } from "@framebatch/rows/collate/absent-tensor.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { RequestOptions, Sink, Ticket } from "@framebatch/batcher/queue/request.js";
import type { Outputs, Tensor, TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { type HeldTensor, type LinkedAnswer, type LinkedModel, LINKS } from "@framebatch/pipelines/builder/links.js";

/** A tensor in a worker, which counts how often it was released. */
export class CountedTensor extends AbsentTensor implements HeldTensor {
  releases = 0;

  constructor() {
    super("float32", [1]);
  }

  release(): void {
    this.releases += 1;
  }
}

/** A request to a `LinkedStage`, which ends when the test says so. */
export interface LinkedRequest {
  readonly way: "keep" | "read" | "repeat";
  readonly item: unknown;
  readonly outputs: readonly string[];
  readonly options: RequestOptions;
  readonly cancelledWith: unknown;
  keepAs(tensors: LinkedAnswer["tensors"], copy?: PreparedItem | null): void;
  answer(outputs: Outputs): void;
  reject(error: unknown): void;
}

/** A model of a group whose requests are in the hand of a test. Its input is `x`, its output `y`. */
export class LinkedStage implements LinkedModel {
  readonly requests: LinkedRequest[] = [];
  readonly group: object;
  readonly signature = { inputs: [infoOf("x")], outputs: [infoOf("y")] };
  readonly [LINKS] = this;

  constructor(group: object) {
    this.group = group;
  }

  predict(): Promise<Outputs> {
    return Promise.reject(new Error("expected a link"));
  }

  keep(item: unknown, outputs: readonly string[], sink: Sink<LinkedAnswer>, options: RequestOptions): Ticket {
    return this.#ask("keep", item, outputs, options, sink, null);
  }

  read(item: unknown, sink: Sink<Outputs>, options: RequestOptions): Ticket {
    return this.#ask("read", item, [], options, null, sink);
  }

  repeat(item: PreparedItem, sink: Sink<Outputs>, options: RequestOptions): Ticket {
    return this.#ask("repeat", item, [], options, null, sink);
  }

  #ask(
    way: LinkedRequest["way"],
    item: unknown,
    outputs: readonly string[],
    options: RequestOptions,
    keeping: Sink<LinkedAnswer> | null,
    reading: Sink<Outputs> | null,
  ): Ticket {
    const state = { cancelledWith: undefined as unknown };
    this.requests.push({
      way,
      item,
      outputs,
      options,
      get cancelledWith() {
        return state.cancelledWith;
      },
      keepAs: (tensors, copy = null) => keeping?.resolve({ tensors, copy }, null, 0),
      answer: (answer) => reading?.resolve(answer, null, 0),
      reject: (error) => (keeping ?? reading)?.reject(error),
    });
    return { cancel: (reason) => (state.cancelledWith = reason), setPriority: () => undefined };
  }
}

/** An output of one number. */
export function number(value: number): { readonly y: Tensor } {
  return { y: { type: "float32", dims: [1], data: Float32Array.of(value) } };
}

function infoOf(name: string): TensorInfo {
  return { name, type: "float32", dims: [null, 1], symbols: ["batch", null], batchAxis: 0 };
}
