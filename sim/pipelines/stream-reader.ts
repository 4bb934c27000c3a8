import { exponential } from "../batcher/model/random.js";
import type { Stage } from "./actors.js";
import { hostileSource } from "./hostile-source.js";
import type { Part } from "./part.js";
import type { RunRecord } from "./run-record.js";
import type { StreamShape } from "./scenario.js";
import { holds } from "./violation.js";

/** One use of `runStream`: the source, the reader, and what is known about them. */
export class StreamReader {
  readonly #stage: Stage;
  readonly #shape: StreamShape;
  readonly #pulled: RunRecord[] = [];
  readonly #sourceError = new RangeError("the source fails");
  readonly #abortReason = { reader: this };
  #yielded = 0;
  /** After how many results the reader stops. */
  readonly #stopAfter: number;
  #wasAborted = false;
  #abortStream: () => void = () => {};
  /** Whether the source has neither ended nor been closed. */
  isSourceOpen = false;
  isOpen = true;

  constructor(stage: Stage, shape: StreamShape) {
    this.#stage = stage;
    this.#shape = shape;
    this.#stopAfter = shape.end === "break" ? Math.floor(stage.random() * shape.items) : Infinity;
  }

  /** Reads the stream to its end. Never rejects. */
  async read(): Promise<void> {
    const { pipeline, witness, loop, random } = this.#stage;
    const { source, timeoutMs, priority, end } = this.#shape;
    const controller = new AbortController();
    if (end === "abort") loop.after(200 * random(), () => this.#abort(controller));
    const options = {
      signal: controller.signal,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(priority !== undefined && { priority }),
    };
    try {
      this.#abortStream = () => this.#abort(controller);
      for await (const result of pipeline.runStream(this.#items(source), options)) {
        this.#took(result);
        if (this.#yielded > this.#stopAfter) break;
        await loop.delay(exponential(random, this.#shape.readerMs));
      }
      witness.check(() => this.#checkEnd());
    } catch (error) {
      witness.check(() => this.#explain(error));
    }
    for (const run of this.#pulled) witness.dropped(run);
    this.isOpen = false;
  }

  /** Number of items that are pulled and in no stage yet, without those that may have timed out unnoticed. */
  get waiting(): number {
    const nowMs = this.#stage.loop.now();
    const { timeoutMs = Infinity } = this.#shape;
    const isWaiting = ({ hasEntered, ending, startedAtMs }: RunRecord) =>
      !hasEntered && ending === null && nowMs < startedAtMs + timeoutMs;
    return this.#pulled.filter(isWaiting).length;
  }

  /** Number of items that are pulled and not yet yielded. */
  get held(): number {
    return this.isOpen ? this.#pulled.length - this.#yielded : 0;
  }

  #took(result: Part): void {
    const run = this.#pulled[this.#yielded++];
    const { witness } = this.#stage;
    if (run === undefined) witness.check(() => holds(false, "P-2", () => "a stream has more results than items"));
    else witness.completed(run, result);
  }

  #checkEnd(): void {
    const isRight = this.#yielded > this.#stopAfter || this.#yielded === this.#shape.items;
    holds(isRight && this.#shape.end !== "throw", "P-1", () => `a stream ended after ${this.#yielded} results`);
  }

  #explain(error: unknown): void {
    const { witness } = this.#stage;
    if (this.#wasAborted && error === this.#abortReason) return;
    if (error === this.#sourceError)
      return holds(this.#yielded === this.#pulled.length, "P-2", () => "the error of a source came before a result");
    const turn = this.#pulled[this.#yielded];
    // An item whose stream was disposed may not have been pulled.
    if (turn === undefined) return holds(witness.isDisposed, "P-3", () => `a stream failed with ${String(error)}`);
    witness.rejected(turn, error);
  }

  #abort(controller: AbortController): void {
    if (!this.isOpen) return;
    this.#wasAborted = true;
    for (const run of this.#pulled) this.#stage.witness.aborted(run, this.#abortReason);
    controller.abort(this.#abortReason);
  }

  #items(source: StreamShape["source"]): Iterable<Part> | AsyncIterable<Part> {
    const { witness, random } = this.#stage;
    if (source === "list") return this.#source();
    if (source === "async") return this.#asyncSource();
    const count = (change: number) => void (this.isSourceOpen = change > 0);
    return hostileSource({ items: this.#plainSource(), witness, random, count });
  }

  *#source(): Generator<Part> {
    this.isSourceOpen = true;
    try {
      yield* this.#plainSource();
    } finally {
      this.isSourceOpen = false;
    }
  }

  *#plainSource(): Generator<Part> {
    for (let item = 0; item < this.#shape.items; item++) yield this.#next();
    this.#endSource();
  }

  async *#asyncSource(): AsyncGenerator<Part> {
    const { loop, random } = this.#stage;
    this.isSourceOpen = true;
    try {
      for (let item = 0; item < this.#shape.items; item++) {
        await loop.delay(exponential(random, this.#shape.sourceGapMs));
        yield this.#next();
      }
      this.#endSource();
    } finally {
      this.isSourceOpen = false;
    }
  }

  #next(): Part {
    const { witness, expected } = this.#stage;
    const { timeoutMs, priority } = this.#shape;
    const facts = {
      isLimited: true,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(priority !== undefined && { priority }),
    };
    const run = witness.starts(facts, expected);
    this.#pulled.push(run);
    witness.aborts.set(run.id, this.#abortStream);
    // The source was asked for this item before the stream ended.
    if (!this.isOpen) witness.dropped(run);
    return run.item;
  }

  #endSource(): void {
    if (this.#shape.end === "throw") throw this.#sourceError;
  }
}
