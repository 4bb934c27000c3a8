import { describe, expect, expectTypeOf, it } from "vitest";
import { batched } from "@framebatch/batcher/functions/batched.js";
import { createPipeline } from "./create-pipeline.js";
import type { Pipeline } from "./pipeline.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { heldStage, settled } from "../../test/support/held-stage.js";
import { outcomeOf, pipelineOn } from "../../test/support/pipelines.js";

const letters = (word: string) => word.split("");
const upper = (letter: string) => letter.toUpperCase();
const join = (parts: readonly string[]) => parts.join("");

describe("a pipeline", () => {
  it("passes an item through its stages: functions, promises, models, batched functions and pipelines", async () => {
    const model = { predict: async (item: number) => item + 1 };
    const twice = batched((items: readonly number[]) => items.map((item) => 2 * item));
    const inner = createPipeline<number>().stage((item) => item - 3);
    const pipeline = createPipeline<string>()
      .stage(Number.parseFloat)
      .stage(async (item) => item * 10)
      .stage(model)
      .stage(twice)
      .stage(inner);
    expect(await pipeline.run("1.5")).toBe(29);
    expect(await createPipeline<string>().run("as it is")).toBe("as it is");
  });

  it("moves its parts to a model if the stage says so", async () => {
    const moved: unknown[] = [];
    const model = {
      predict: async (item: number, { transfer }: { readonly transfer?: boolean }) => {
        moved.push(transfer);
        return item;
      },
    };
    const pipeline = createPipeline<number>().stage(model, { transfer: true }).stage(model, { transfer: false });
    expect(await pipeline.stage(model).run(1)).toBe(1);
    expect(moved).toEqual([true, undefined, undefined]);
  });

  it("splits an item, and collects its parts in order, however they finish", async () => {
    const { stage, calls } = heldStage<string, string>();
    const run = pipelineOn<string>().split(letters).stage(stage).collect(join).run("abc");
    for (const index of [2, 0, 1]) {
      calls[index]?.resolve(calls[index].item.toUpperCase());
      await settled();
    }
    expect(await run).toBe("ABC");
  });

  it("nests splits", async () => {
    const pipeline = createPipeline<string>()
      .split((page) => page.split("\n"), { name: "lines" })
      .split((line) => line.split(" "), { name: "words" })
      .stage(upper)
      .collect((words) => words.join("-"))
      .stage((line) => `<${line}>`)
      .collect((lines) => lines.join("/"));
    expect(await pipeline.run("a b\nc\n")).toBe("<A-B>/<C>/<>");
  });

  it("gives a collect the empty list for an item without parts", async () => {
    expect(await createPipeline<string>().split(letters).stage(upper).collect(join).run("")).toBe("");
  });

  it("takes parts from lists, generators, async generators and promises of them, and awaits a collect", async () => {
    const sources = {
      async *asyncGenerator(count: number) {
        for (let part = 0; part < count; part++) yield part;
      },
      *generator(count: number) {
        for (let part = 0; part < count; part++) yield part;
      },
      async promise(count: number) {
        return Array.from({ length: count }, (_, part) => part);
      },
    };
    for (const source of Object.values(sources)) {
      const pipeline = createPipeline<number>()
        .split<number>(source)
        .stage((part) => part * part)
        .collect(async (parts) => parts);
      expect(await pipeline.run(4)).toEqual([0, 1, 4, 9]);
    }
  });

  it("handles a list of parts far longer than the stack is deep", async () => {
    const count = 100_000;
    const pipeline = createPipeline<number>()
      .split((length) => Array.from({ length }, () => 1))
      .collect((parts) => parts.length);
    expect(await pipeline.run(count)).toBe(count);
  });

  it("merges the parts of all items into batches", async () => {
    const sizes: number[] = [];
    const read = batched((items: readonly string[]) => {
      sizes.push(items.length);
      return items.map(upper);
    });
    const pipeline = createPipeline<string>().split(letters).stage(read).collect(join);
    expect(await Promise.all(["abc", "de", "f"].map((word) => pipeline.run(word)))).toEqual(["ABC", "DE", "F"]);
    expect(sizes).toEqual([6]);
  });

  it("passes an item to its first stage before the call returns, and never settles before", async () => {
    const { items, stage } = heldStage<number, number>();
    const pipeline = pipelineOn<number>().stage(stage);
    void pipeline.run(7);
    expect(items()).toEqual([7]);
    const log: string[] = [];
    const empty = pipelineOn<number>()
      .run(1)
      .then(() => log.push("settled"));
    log.push("returned");
    await empty;
    expect(log).toEqual(["returned", "settled"]);
  });

  it("is not changed by its own methods", async () => {
    const start = createPipeline<number>().stage((item) => item + 1);
    const [twice, negative] = [start.stage((item) => 2 * item), start.stage((item) => -item)];
    expect([await start.run(1), await twice.run(1), await negative.run(1)]).toEqual([2, 4, -2]);
    await twice.dispose();
    expect(await start.run(1)).toBe(2);
    expect([start.stats().stages.length, negative.stats().stages.length]).toEqual([1, 2]);
  });

  it("is typed from the first stage to the result", () => {
    const load = (name: string) => Promise.resolve(name.length);
    const one = createPipeline<string>().stage(load);
    expectTypeOf(one).toEqualTypeOf<Pipeline<string, number>>();
    const nested = one
      .split((count) => new Set([String(count)]))
      .split((text) => text.split("").map(Number))
      .stage(async (digit) => digit > 3)
      .collect((flags) => flags.every(Boolean))
      .collect((flags) => flags.length);
    expectTypeOf(nested).toEqualTypeOf<Pipeline<string, number>>();
    const read = batched((items: readonly string[]) => items.map((item) => item.length));
    expectTypeOf(createPipeline<string>().stage(read)).toEqualTypeOf<Pipeline<string, number>>();
    expectTypeOf(createPipeline<string>().stage(one)).toEqualTypeOf<Pipeline<string, number>>();
    // @ts-expect-error -- a stage of numbers cannot take strings
    createPipeline<string>().stage((item: number) => item);
    // @ts-expect-error -- there is nothing to collect before a split
    expect(createPipeline<string>().collect).toBeUndefined();
    // @ts-expect-error -- a split pipeline cannot run
    expect(createPipeline<string>().split(letters).run).toBeUndefined();
  });
});

describe("an invalid definition", () => {
  const untyped = (method: string, ...args: readonly unknown[]) => {
    const target = method === "collect" ? createPipeline<string>().split(letters) : createPipeline<string>();
    return () => Reflect.apply(Reflect.get(target, method), target, args);
  };

  it.each([
    [untyped("stage", 5), "stage: expected a model, a pipeline or a function of one item, got number 5"],
    [untyped("stage", null), "stage: expected a model, a pipeline or a function of one item"],
    [untyped("stage", { predict: 1 }), "stage: expected a model"],
    [untyped("split", []), "split: expected a function"],
    [untyped("collect"), "collect: expected a function"],
    [untyped("stage", upper, { title: "a" }), "title: expected an option that exists"],
    [untyped("stage", upper, { name: "" }), "name: expected a string of at least one character"],
    [untyped("stage", upper, { transfer: true }), "transfer: expected a stage that is a model"],
    [untyped("stage", createPipeline(), { transfer: true }), "transfer: expected a stage that is a model"],
    [untyped("stage", { predict: upper }, { transfer: 1 }), "transfer: expected true or false"],
    [untyped("split", letters, { transfer: true }), "transfer: expected an option that exists"],
    [untyped("split", letters, 1), "options: expected an object"],
  ])("is refused at once (%#)", (define, message) => {
    expect(define).toThrow(message);
    expect(define).toThrow(FramebatchError);
  });

  it("refuses wrong options of a run, before anything starts", async () => {
    const { calls, stage } = heldStage<string, string>();
    const pipeline = pipelineOn<string>().stage(stage);
    const wrong: Promise<string> = Reflect.apply(Reflect.get(pipeline, "run"), pipeline, ["a", { timeout: 5 }]);
    await expect(wrong).rejects.toMatchObject({ code: "INVALID_OPTION" });
    await expect(pipeline.run("a", { timeoutMs: -1 })).rejects.toMatchObject({ code: "INVALID_OPTION" });
    const keyed: AsyncGenerator<string> = Reflect.apply(Reflect.get(pipeline, "runStream"), pipeline, [
      ["a"],
      { key: "k" },
    ]);
    await expect(keyed.next()).rejects.toMatchObject({ code: "INVALID_OPTION" });
    expect(calls).toEqual([]);
    expect(pipeline.stats().runs.accepted).toBe(0);
  });
});

describe("an error", () => {
  const broken = new RangeError("too bright");

  it("of a function becomes the cause of STAGE_FAILED, with the place and the name of the step", async () => {
    const fail = (): string => {
      throw broken;
    };
    const first = createPipeline<string>().stage(upper);
    const pipelines = [
      [first.stage(fail, { name: "sharpen" }), { stage: 1, stageName: "sharpen" }],
      [first.split(fail, { name: "cut" }).collect(join), { stage: 1, stageName: "cut" }],
      [first.split(letters).stage(fail).collect(join), { stage: 2, stageName: "stage 2" }],
      [first.split(letters).collect(fail), { stage: 2, stageName: "collect 2" }],
    ] as const;
    for (const [pipeline, details] of pipelines) {
      const error = await outcomeOf(pipeline.run("a"));
      expect(error).toBeInstanceOf(FramebatchError);
      expect(error).toMatchObject({ code: "STAGE_FAILED", cause: broken, details });
      expect(error).toMatchObject({ message: `${details.stageName}: too bright` });
    }
  });

  it("of framebatch keeps its code and its details", async () => {
    const full = new FramebatchError("OUT_OF_MEMORY", "too large", { details: { bytes: 7 } });
    const model = { predict: () => Promise.reject(full) };
    const inner = createPipeline<string>().stage(model, { name: "reader" });
    const error = await outcomeOf(createPipeline<string>().stage(upper).stage(inner, { name: "ocr" }).run("a"));
    expect(error).toMatchObject({
      code: "OUT_OF_MEMORY",
      message: "ocr: reader: too large",
      details: { bytes: 7, stage: 1, stageName: "ocr" },
    });
    expect(error).toHaveProperty("cause", full);
  });

  // defect C23
  it("is the cause, unchanged, however deep the pipeline of the function is nested", async () => {
    const inner = createPipeline<string>().stage(() => Promise.reject(broken), { name: "reader" });
    const middle = createPipeline<string>().split(letters).stage(inner, { name: "page" }).collect(join);
    const error = await outcomeOf(createPipeline<string>().stage(middle, { name: "ocr" }).run("a"));
    expect(error).toMatchObject({
      code: "STAGE_FAILED",
      message: `ocr: page: reader: ${broken.message}`,
      details: { stage: 0, stageName: "ocr" },
    });
    expect(error).toHaveProperty("cause", broken);
  });

  it("of a source of parts fails the run, in whatever way it comes", async () => {
    const sources = [
      () => Promise.reject(broken),
      function* () {
        yield "a";
        throw broken;
      },
      async function* () {
        yield "a";
        throw broken;
      },
    ];
    for (const source of sources) {
      const pipeline = createPipeline<string>().split(source).stage(upper).collect(join);
      expect(await outcomeOf(pipeline.run("a"))).toMatchObject({ code: "STAGE_FAILED", cause: broken });
    }
    const untyped = createPipeline<string>()
      .split<string>(() => Object.assign({}))
      .collect(join);
    expect(await outcomeOf(untyped.run("a"))).toMatchObject({
      message: "split 0: expected an iterable of parts, got object; pass a list or write a generator",
    });
  });

  it("of one part aborts the other parts of its item, and affects no other item", async () => {
    const { calls, stage } = heldStage<string, string>();
    const pipeline = pipelineOn<string>().split(letters).stage(stage).collect(join);
    const [failing, other] = [pipeline.run("ab"), pipeline.run("cd")];
    calls[0]?.reject(broken);
    const error = await outcomeOf(failing);
    expect(error).toMatchObject({ cause: broken });
    expect(calls.map(({ options }) => options.signal.aborted)).toEqual([false, true, false, false]);
    expect(calls[1]?.options.signal.reason).toBe(error);
    for (const call of calls) call.resolve(call.item);
    expect(await other).toBe("cd");
    expect(pipeline.stats().stages[1]).toMatchObject({ accepted: 4, completed: 2, failed: 1, aborted: 1, inFlight: 0 });
  });

  it("closes a source of parts that has not ended", async () => {
    const { calls, stage } = heldStage<number, number>();
    let closed = 0;
    async function* endless() {
      try {
        for (let part = 0; ; part++) {
          yield part;
          await settled();
        }
      } finally {
        closed += 1;
      }
    }
    const run = pipelineOn<string>()
      .split(endless)
      .stage(stage)
      .collect((parts) => parts)
      .run("a");
    await settled();
    calls[0]?.reject(broken);
    expect(await outcomeOf(run)).toMatchObject({ cause: broken });
    await settled();
    await settled();
    expect(closed).toBe(1);
  });
});
