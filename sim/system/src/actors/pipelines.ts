import type { Page } from "../browser/page.js";
import type { Pipeline, StageCallOptions } from "@framebatch/pipelines/builder/pipeline.js";
import { sourceOf } from "./hostile-sources.js";
import { isFailingSource } from "../scenario/source-kinds.js";
import type { Act, LinkedSpec, PipelineSubject, StepSpec } from "../scenario/kinds.js";
import { openLinked } from "./linked.js";
import type { ItemSpec } from "../scenario/scenario.js";
import { type Callable, modelUrl, type Terms } from "./callable.js";
import { elementsOf, expectedOf } from "./items.js";
import { thrownValue } from "../scenario/thrown.js";
import type { Witness } from "../logs/witness.js";

/** What goes through a pipeline: an item, and for each split around it which part of it this is. */
interface Token {
  readonly item: ItemSpec;
  readonly path: readonly number[];
}

type Any = Pipeline<Token, Token>;

/** Builds a pipeline of stages that pass tokens on, and of a last one that answers. */
class PipelineBuild {
  readonly owned: { dispose(): Promise<void> }[] = [];
  readonly #page: Page;
  readonly #witness: Witness;
  /** Places of functions of the caller so far. */
  #places = 0;

  constructor(page: Page) {
    this.#page = page;
    this.#witness = page.origin.witness;
  }

  /** Disposes of what the pipeline consists of. */
  async dispose(): Promise<void> {
    for (const part of this.owned) await part.dispose();
  }

  async add(pipeline: Any, steps: readonly StepSpec[]): Promise<Any> {
    let longer = pipeline;
    for (const step of steps) longer = await this.#step(longer, step);
    return longer;
  }

  async #step(pipeline: Any, step: StepSpec): Promise<Any> {
    const { framebatch } = this.#page;
    const place = this.#places++;
    switch (step.do) {
      case "call":
        return pipeline.stage((token: Token, options) => this.#work(place, step.ms, token, options));
      case "batch":
        return pipeline.stage(this.#batched(place, step.ms, step.options));
      case "model":
        return this.#throughModel(pipeline, step.options, step.transfer);
      case "linked":
        return this.#linked(pipeline, step);
      case "nest": {
        const inner = await this.add(
          framebatch.createPipeline<Token>().stage((token: Token) => token),
          step.steps,
        );
        this.owned.push(inner);
        return pipeline.stage(inner);
      }
      case "split":
        return this.#split(pipeline, place, step);
    }
  }

  #batched(place: number, ms: number, options: object) {
    const run = async (tokens: readonly Token[]) => {
      await this.#wait(ms);
      return tokens.map((token) => {
        const { act } = token.item;
        if (act?.at !== place || act.does !== "throw") return token;
        const error = new Error(`stage ${place}`);
        this.#witness.excuse(token.item.id, error);
        return error;
      });
    };
    const made = this.#page.framebatch.batched(run, options);
    this.owned.push(made);
    return made;
  }

  async #throughModel(pipeline: Any, options: object, transfer: boolean): Promise<Any> {
    const model = await this.#page.framebatch.createBatchedModel(modelUrl("affine"), options);
    this.owned.push(model);
    return pipeline.stage(model, {
      transfer,
      toItem: ({ item }: Token) => ({ x: elementsOf({ id: item.id }) }),
      toResult: (outputs: object, token: Token) => {
        this.#checkModel(outputs, token);
        return token;
      },
    });
  }

  async #linked(pipeline: Any, step: LinkedSpec): Promise<Any> {
    const linked = await openLinked(step, this.#page);
    this.owned.push(linked);
    return pipeline.stage(linked.chain, {
      toItem: ({ item }: Token) => ({ x: elementsOf({ id: item.id }) }),
      toResult: (outputs: object, token: Token) => {
        this.#checkModel(outputs, token);
        return token;
      },
    });
  }

  #checkModel(outputs: object, { item: { id } }: Token): void {
    const y: unknown = Reflect.get(Object(Reflect.get(outputs, "y")), "data");
    const got = y instanceof Float32Array ? Array.from(y).join() : String(y);
    const expected = expectedOf({ id }, 1).join();
    if (got !== expected) this.#witness.broken("answers", `a stage got ${got} for item ${id}, not ${expected}`);
  }

  async #split(pipeline: Any, place: number, { parts, source, steps }: StepSpec & { do: "split" }): Promise<Any> {
    const split = (token: Token) => {
      this.#mayThrow(place, token);
      if (isFailingSource(source)) this.#witness.excuse(token.item.id, "STAGE_FAILED");
      const list = Array.from({ length: parts }, (_, part) => ({ ...token, path: [...token.path, part] }));
      const name = `of parts of ${token.item.id} at ${place}`;
      const asker = this.#witness.askerOf(token.item.id);
      const [leave, isOver] = [() => asker?.abort(), () => asker?.isOver() === true];
      const made = sourceOf(source, list, name, { realm: this.#page, witness: this.#witness, leave, isOver });
      const { act } = token.item;
      return act?.at === place && act.does === "twice" ? twice(made) : made;
    };
    // The steps within a split are those of a pipeline of their own.
    const inner = await this.add(
      this.#page.framebatch.createPipeline<Token>().stage((token: Token) => token),
      steps,
    );
    this.owned.push(inner);
    const start = this.#page.framebatch.createPipeline<Token>();
    const whole = start
      // A call follows its signal only when it has been made.
      .split(source === "leaving" ? async (token: Token) => split(token) : split)
      .stage(inner)
      .collect((tokens) => tokens);
    this.owned.push(whole);
    return pipeline.stage(whole, { toResult: (tokens, token) => this.#collect(place, parts, tokens, token) });
  }

  #collect(place: number, parts: number, tokens: readonly Token[], token: Token): Token {
    const isInOrder = tokens.every(({ item, path }, at) => path.at(-1) === at && item === token.item);
    if (tokens.length !== parts || !isInOrder)
      this.#witness.broken("answers", `a collect at ${place} got ${tokens.map(({ path }) => path.join(".")).join()}`);
    return token;
  }

  async #wait(ms: number): Promise<void> {
    const { world } = this.#page;
    if (ms > 0) await new Promise<void>((resolve) => void world.reply(this.#page, ms, "stage", resolve));
  }

  /** What a function of the caller does with a token. */
  #work(place: number, ms: number, token: Token, options: StageCallOptions): Token | Promise<Token> {
    const ends = this.#witness.works(`stage ${place}`, token.item.id, options, this.#page.world.nowMs);
    const { act } = token.item;
    if (act?.at === place && (act.does === "hang" || act.does === "wait")) {
      this.#witness.hanging.add(token.item.id);
      return act.does === "hang" ? new Promise(() => undefined) : untilAborted(options.signal, ends);
    }
    if (act?.at === place) this.#do(act, place, token, ends);
    if (ms > 0) return this.#wait(ms).then(() => passed(token, ends));
    return passed(token, ends);
  }

  #do(act: Act, place: number, token: Token, ends: () => void): void {
    if (act.does === "throw") ends();
    this.#mayThrow(place, token);
    if (act.does === "abort") this.#witness.askerOf(token.item.id)?.abort();
    if (act.does === "dispose") this.#witness.askerOf(token.item.id)?.dispose();
  }

  #mayThrow(place: number, { item: { id, act } }: Token): void {
    if (act?.at !== place || act.does !== "throw") return;
    const thrown = thrownValue(act.thrown, `stage ${place}`);
    this.#witness.excuse(id, thrown);
    throw thrown;
  }
}

function passed(token: Token, ends: () => void): Token {
  ends();
  return token;
}

/** A promise of another library, which calls back twice. */
function twice<T>(value: T): PromiseLike<T> {
  const callBack = (use: (value: T) => unknown) => {
    use(value);
    use(value);
  };
  return withMethod("then", callBack);
}

/** Returns an object with one method, whatever else it is taken for. */
function withMethod(name: string, value: unknown) {
  return Object.defineProperty(Object.create(null), name, { value });
}

function untilAborted(signal: AbortSignal, ends: () => void): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => {
      ends();
      reject(signal.reason);
    };
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Opens a pipeline on its page. */
export async function openPipeline({ steps }: PipelineSubject, page: Page): Promise<Callable> {
  const build = new PipelineBuild(page);
  const start = page.framebatch.createPipeline<Token>().stage((token: Token) => token);
  const path = await build.add(start, steps).catch(async (error: unknown) => {
    await build.dispose();
    throw error;
  });
  const whole = path.stage(({ item }: Token) => expectedOf(item, 1));
  const dispose = async () => {
    await whole.dispose();
    await build.dispose();
  };
  const plain = ({ transfer, ...terms }: Terms) => {
    void transfer;
    return terms;
  };
  return {
    give: (item): Token => ({ item, path: [] }),
    predict: (given, terms) => whole.run(Object(given), plain(terms)),
    many: async (given, terms) => {
      const results: unknown[] = [];
      for await (const result of whole.runStream(Object(given), plain(terms))) results.push(result);
      return results;
    },
    stream: (given, terms) => whole.runStream(Object(given), plain(terms)),
    flush: () => undefined,
    restart: () => Promise.resolve(),
    dispose,
    stats: () => whole.stats(),
    state: "ready",
  };
}
