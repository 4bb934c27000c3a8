import type { Page } from "../browser/page.js";
import type { Pipeline, StageCallOptions } from "@framebatch/pipelines/builder/pipeline.js";
import { sourceOf, twice } from "./hostile-sources.js";
import { isFailingSource } from "../scenario/source-kinds.js";
import type { Act, BatchSpec, LinkedSpec, PipelineSubject, SplitSpec, StepSpec } from "../scenario/kinds.js";
import { openLinked } from "./linked.js";
import { type Callable, modelUrl, type Terms } from "./callable.js";
import { elementsOf, expectedOf } from "./items.js";
import { StageWatch, type Token } from "./stage-watch.js";
import { thrownValue } from "../scenario/thrown.js";
import type { Witness } from "../logs/witness.js";

/** A pipeline of tokens, inside a split or not. Its type would tell in how many it is. */
interface Chain {
  stage(stage: unknown, options?: object): Chain;
  split(split: (token: Token) => unknown): Chain;
  collect(collect: (tokens: readonly Token[]) => unknown): Chain;
}

/** Calls of others that a function of a stage has at most. */
const MOST_RIVALS = 12;

/** What others ask. */
const OTHER: Token = { item: { id: 0 }, path: [] };

/** Builds a pipeline of stages that pass tokens on, and of a last one that answers. */
class PipelineBuild {
  readonly owned: { dispose(): Promise<void> }[] = [];
  readonly watch: StageWatch;
  readonly #page: Page;
  readonly #witness: Witness;
  /** Places of functions of the caller so far. */
  #places = 0;

  constructor(page: Page) {
    this.#page = page;
    this.#witness = page.origin.witness;
    this.watch = new StageWatch(this.#witness);
  }

  /** Disposes of what the pipeline consists of. */
  async dispose(): Promise<void> {
    for (const part of this.owned) await part.dispose();
  }

  /**
   * Adds steps to a pipeline.
   * @param watch that of the pipeline itself; `null` for one that is a stage, which may be asked again from its start
   */
  async add(pipeline: Chain, steps: readonly StepSpec[], watch: StageWatch | null): Promise<Chain> {
    let longer = pipeline;
    for (const step of steps) longer = await this.#step(longer, step, watch);
    return longer;
  }

  async #step(pipeline: Chain, step: StepSpec, watch: StageWatch | null): Promise<Chain> {
    const place = this.#places++;
    switch (step.do) {
      case "call":
        return pipeline.stage((token: Token, options: StageCallOptions) => {
          const ends = watch?.begins(place, token, options.signal);
          return this.#work(place, step.ms, token, options, ends);
        });
      case "batch":
        return pipeline.stage(this.#batched(place, step));
      case "model":
        return this.#throughModel(pipeline, step.options, step.transfer);
      case "linked":
        return this.#linked(pipeline, step);
      case "nest":
        return pipeline.stage(await this.#inner(step.steps));
      case "split":
        return this.#split(pipeline, place, step, watch);
    }
  }

  /** A pipeline that is a stage. */
  async #inner(steps: readonly StepSpec[]): Promise<Pipeline<Token, Token>> {
    const start = this.start((token) => token);
    const inner: Pipeline<Token, Token> = Object(await this.add(start, steps, null));
    this.owned.push(inner);
    return inner;
  }

  start(first: (token: Token) => Token): Chain {
    return Object(this.#page.framebatch.createPipeline<Token>().stage(first));
  }

  #batched(place: number, { ms, options, rivals = 0 }: BatchSpec) {
    let left = rivals > 0 ? MOST_RIVALS : 0;
    const run = async (tokens: readonly Token[]): Promise<(Token | Error)[]> => {
      for (let made = 0; made < rivals && left > 0; made++, left--) call(OTHER).catch(() => undefined);
      await this.#wait(ms);
      return tokens.map((token) => {
        const { act } = token.item;
        if (act?.at !== place || act.does !== "throw") return token;
        const error = new Error(`stage ${place}`);
        this.#witness.excuse(token.item.id, error);
        return error;
      });
    };
    const call = this.#page.framebatch.batched(run, options);
    this.owned.push(call);
    return call;
  }

  async #throughModel(pipeline: Chain, options: object, transfer: boolean): Promise<Chain> {
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

  async #linked(pipeline: Chain, step: LinkedSpec): Promise<Chain> {
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

  async #split(pipeline: Chain, place: number, step: SplitSpec, watch: StageWatch | null): Promise<Chain> {
    const split = (token: Token) => this.#parts(place, step, token);
    // A call follows its signal only when it has been made.
    const made = step.source === "leaving" ? async (token: Token) => split(token) : split;
    if (step.parts === 0) return this.#splitInside(pipeline, made, step);
    const branch = await this.add(pipeline.split(made), step.steps, watch);
    const collectPlace = this.#places++;
    return branch.collect((tokens) => this.#collect(collectPlace, step, tokens));
  }

  /** What is collected of no parts does not say of which item, so that its split is a pipeline of its own. */
  async #splitInside(pipeline: Chain, split: (token: Token) => unknown, { steps }: SplitSpec): Promise<Chain> {
    const start: Chain = Object(this.#page.framebatch.createPipeline<Token>());
    const branch = start.split(split).stage(await this.#inner(steps));
    const whole: Pipeline<Token, readonly Token[]> = Object(branch.collect((tokens) => tokens));
    this.owned.push(whole);
    return pipeline.stage(whole, {
      toResult: (tokens: readonly Token[], token: Token) => {
        if (tokens.length > 0) this.#witness.broken("answers", `a collect got ${tokens.length} parts of none`);
        return token;
      },
    });
  }

  #parts(place: number, { parts, source }: SplitSpec, token: Token): unknown {
    this.#mayThrow(place, token);
    if (isFailingSource(source)) this.#witness.excuse(token.item.id, "STAGE_FAILED");
    const list = Array.from({ length: parts }, (_, part) => ({ ...token, path: [...token.path, part] }));
    const name = `of parts of ${token.item.id} at ${place}`;
    const asker = this.#witness.askerOf(token.item.id);
    const [leave, isOver] = [() => asker?.abort(), () => asker?.isOver() === true];
    const made = sourceOf(source, list, name, { realm: this.#page, witness: this.#witness, leave, isOver });
    const { act } = token.item;
    return act?.at === place && act.does === "twice" ? twice(made) : made;
  }

  #collect(place: number, { parts, collectMs = 0 }: SplitSpec, tokens: readonly Token[]): Token | Promise<Token> {
    const [first] = tokens;
    const item = first?.item ?? OTHER.item;
    const outer = first?.path.slice(0, -1) ?? [];
    const isInOrder = tokens.every((token, at) => token.item === item && token.path.join() === [...outer, at].join());
    if (tokens.length !== parts || !isInOrder)
      this.#witness.broken("answers", `a collect at ${place} got ${tokens.map(({ path }) => path.join(".")).join()}`);
    const collected = { item, path: outer };
    if (item.act?.at === place) this.#do(item.act, place, collected);
    return collectMs > 0 ? this.#wait(collectMs).then(() => collected) : collected;
  }

  async #wait(ms: number): Promise<void> {
    const { world } = this.#page;
    if (ms > 0) await new Promise<void>((resolve) => void world.reply(this.#page, ms, "stage", resolve));
  }

  /**
   * What a function of the caller does with a token.
   * @param left called when it has done so
   */
  #work(place: number, ms: number, token: Token, options: StageCallOptions, left = () => {}): Token | Promise<Token> {
    const toldEnd = this.#witness.works(`stage ${place}`, token.item.id, options, this.#page.world.nowMs);
    const ends = () => {
      left();
      toldEnd();
    };
    const { act } = token.item;
    if (act?.at === place && (act.does === "hang" || act.does === "wait")) {
      this.#witness.hanging.add(token.item.id);
      return act.does === "hang" ? new Promise(() => undefined) : untilAborted(options.signal, ends);
    }
    if (act?.at === place) {
      if (act.does === "throw") ends();
      this.#do(act, place, token);
    }
    if (ms > 0) return this.#wait(ms).then(() => passed(token, ends));
    return passed(token, ends);
  }

  #do({ does }: Act, place: number, token: Token): void {
    this.#mayThrow(place, token);
    if (does === "abort") this.#witness.askerOf(token.item.id)?.abort();
    if (does === "dispose") this.#witness.askerOf(token.item.id)?.dispose();
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
  const { watch } = build;
  const start = build.start((token) => {
    watch.enters(token);
    return token;
  });
  const path: Pipeline<Token, Token> = Object(
    await build.add(start, steps, watch).catch(async (error: unknown) => {
      await build.dispose();
      throw error;
    }),
  );
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
    stream: (given, terms) => {
      // An item whose time ends while it waits has left the line.
      const isWatched = Array.isArray(given) && terms.timeoutMs === undefined;
      return whole.runStream(Object(isWatched ? watch.read(given) : given), plain(terms));
    },
    flush: () => undefined,
    restart: () => Promise.resolve(),
    dispose,
    stats: () => whole.stats(),
    state: "ready",
  };
}
