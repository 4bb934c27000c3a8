import { describe, expect, it } from "vitest";
import { batched } from "@framebatch/batcher/functions/batched.js";
import { createPipeline } from "./create-pipeline.js";

/** Values without a text of their own, of which some throw when anything is asked of them. */
const THROWN: readonly [string, unknown][] = [
  ["an object without a prototype", Object.create(null)],
  ["a symbol", Symbol("thrown")],
  ["nothing", undefined],
  [
    "an error whose message throws",
    Object.defineProperty(new Error("hidden"), "message", {
      get() {
        throw new TypeError("no message");
      },
    }),
  ],
];

/** Ends in what was thrown, or in an error whose cause it is. */
async function cause(answer: Promise<unknown>): Promise<unknown> {
  try {
    await answer;
  } catch (error) {
    return error instanceof Error && error.cause !== undefined ? error.cause : error;
  }
  throw new Error("expected a rejection, got an answer");
}

describe.each(THROWN)("a function that throws %s", (_, thrown) => {
  const fail = (): never => {
    throw thrown;
  };

  // defect C3
  it("rejects the calls of a batched function, alone and together", async () => {
    for (const run of [fail, async () => fail()]) {
      const ask = batched<number, number>(run);
      const asked = [ask(1), ask(2), ask(3)];
      for (const answer of asked) await expect(answer).rejects.toBeInstanceOf(Error);
      await expect(ask.many([1, 2])).rejects.toMatchObject({ details: { index: 0 } });
    }
  });

  // defect C3
  it("rejects the call whose shape or key it does not give", async () => {
    for (const name of ["shapeOf", "contentKey"]) {
      const ask = batched((items: readonly number[]) => items, { dedupe: true, [name]: fail });
      await expect(ask(1)).rejects.toBeInstanceOf(Error);
    }
  });

  // defect C3
  it("rejects the run of a pipeline as a stage, a split or a collect, with what it threw as the cause", async () => {
    const start = () => createPipeline<number>();
    const pipelines = [
      start().stage(fail),
      start().stage(async () => fail()),
      start().split(fail).collect(String),
      start()
        .split(() => [1, 2])
        .stage(fail)
        .collect(String),
      start()
        .split(() => [1])
        .collect(fail),
    ];
    for (const pipeline of pipelines) {
      await expect(pipeline.run(1)).rejects.toMatchObject({ code: "STAGE_FAILED" });
      const results = pipeline.runStream([1, 2]);
      await expect(results.next()).rejects.toMatchObject({ code: "STAGE_FAILED" });
    }
    if (thrown !== undefined) expect(await cause(start().stage(fail).run(1))).toBe(thrown);
  });
});
