import type { DeclaredSignature } from "@framebatch/rows/model/batch-axis.js";
import { judgeOutput, type JudgedOutput, type OutputFlow, type SeenDims } from "@framebatch/rows/model/output-rows.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { flowsIn, outputFlowOf, type GraphFlows } from "./graph-reading.js";

/** Numbers of rows whose runs show how an output grows with the rows. */
const TELLING_ROWS = [1, 2];

/**
 * Finds out how the outputs of a model are divided among the items of a batch, from what it declares, its graph and its
 * first runs.
 */
export class OutputProbe {
  readonly #declared: DeclaredSignature;
  readonly #bytes: Uint8Array;
  readonly #mostRows: number;
  readonly #known: ReadonlyMap<string, TensorInfo>;
  /** `undefined` before the graph is read. */
  #flows: GraphFlows | null | undefined;
  readonly #runs: { readonly rows: number; readonly dims: ReadonlyMap<string, readonly number[]> }[] = [];

  /**
   * @param bytes the model, of which the graph is read if it is needed
   * @param mostRows maximum number of rows of the runs to want
   * @param known outputs as an earlier probe has found them
   */
  constructor(declared: DeclaredSignature, bytes: Uint8Array, mostRows = Infinity, known: readonly TensorInfo[] = []) {
    this.#declared = declared;
    this.#bytes = bytes;
    this.#mostRows = mostRows;
    this.#known = new Map(known.map((output) => [output.name, output]));
  }

  /** The flows of the graph; `null` if it cannot be read. */
  get flows(): GraphFlows | null {
    if (this.#flows === undefined) this.#flows = flowsIn(this.#bytes, this.declared.inputs);
    return this.#flows;
  }

  /** What the model declares. Its inputs are those of the outcome. */
  get declared(): ModelSignature {
    return this.#declared.signature;
  }

  /** Notes the outputs of a run. */
  saw(rows: number, outputs: Readonly<Record<string, { readonly dims: readonly number[] }>>): void {
    if (!this.#telling.includes(rows) || this.#runs.some((run) => run.rows === rows)) return;
    this.#runs.push({ rows, dims: new Map(Object.entries(outputs).map(([name, { dims }]) => [name, dims])) });
  }

  /** Returns the number of rows of the next run that could tell more; `null` if none could. */
  get wanted(): number | null {
    const next = this.#telling.find((rows) => !this.#runs.some((run) => run.rows === rows));
    if (next === undefined || this.#judged().every(({ isSure }) => isSure)) return null;
    return next;
  }

  /** Returns the signature. @throws INVALID_OPTION when nothing tells which axis of an output counts the rows */
  settled(): ModelSignature {
    const { signature, unknown } = this.#declared;
    const outputs = this.#judged().map(({ info }, index) => {
      const output = signature.outputs[index]!;
      const error = unknown.get(output.name);
      if (info === null && error !== undefined) throw error;
      return info ?? output;
    });
    return { ...signature, outputs };
  }

  /** Outputs that are given whole to each item of a batch, although the user has not said so. */
  inferredWhole(): ReadonlySet<string> {
    const whole = this.settled().outputs.filter(({ batchAxis }) => batchAxis === null);
    return new Set(whole.map(({ name }) => name).filter((name) => this.#declared.origins.get(name) !== "told"));
  }

  get #telling(): readonly number[] {
    const { fixedBatch } = this.declared;
    return fixedBatch === null ? TELLING_ROWS.filter((rows) => rows <= this.#mostRows) : [fixedBatch];
  }

  #judged(): readonly JudgedOutput[] {
    return this.declared.outputs.map((output) => this.#judge(output));
  }

  #judge(output: TensorInfo): JudgedOutput {
    const known = this.#known.get(output.name);
    if (known !== undefined) return { info: known, isSure: true };
    // Of one row, each output is its own.
    if (this.declared.fixedBatch === 1) return { info: output, isSure: true };
    const { name } = output;
    const origin = this.#declared.origins.get(name) ?? "guessed";
    const runs = this.#runs.flatMap(({ rows, dims }): SeenDims[] => {
      const seen = dims.get(name);
      return seen === undefined ? [] : [{ rows, dims: seen }];
    });
    return judgeOutput(output, { origin, runs, flow: () => this.#flowOf(name) });
  }

  #flowOf(name: string): OutputFlow {
    return this.flows === null ? { kind: "unknown" } : outputFlowOf(this.flows.flows.get(name));
  }
}
