import { batched, FramebatchError } from "framebatch";
import { distance } from "../fixtures/distance.js";
import { itemFor } from "../fixtures/items.js";
import { createReference } from "../fixtures/reference.js";
import { expectEqual, expectTrue, type Promises } from "./promise.js";

type Framebatch = Pick<typeof import("framebatch"), "createBatchedModel">;

const TINY = "/models/mlp-tiny.onnx";

/** Tests of the builds for pages without a bundler, and of `batched`, which needs no worker. */
export const builds: Promises = {
  async "the classic script build predicts, with a second copy on the same page"() {
    for (const copy of [1, 2]) await loadScript(`/sdk/framebatch.global.js?copy=${copy}`);
    await expectRight(Reflect.get(globalThis, "framebatch"));
  },

  async "the module build predicts"() {
    const address = "/sdk/framebatch.js";
    await expectRight(await import(/* @vite-ignore */ address));
  },

  async "the module build predicts when it is loaded from another origin"() {
    const { port } = location;
    const address = `http://127.0.0.1:${port}/sdk/framebatch.js`;
    await expectRight(await import(/* @vite-ignore */ address));
  },

  async "batched collects the calls of one task, and rejects results of the wrong length"() {
    const sizes: number[] = [];
    const double = batched(async (items: readonly number[]) => {
      sizes.push(items.length);
      return items.map((item) => 2 * item);
    });
    expectEqual(await Promise.all([1, 2, 3].map((item) => double(item))), [2, 4, 6]);
    expectEqual(await double.many([4, 5]), [8, 10]);
    expectEqual(
      sizes.reduce((sum, size) => sum + size, 0),
      5,
    );
    await double.dispose();
    const short = batched(async () => []);
    const failures = await Promise.all(
      [short(1), short(2)].map((call: Promise<unknown>) => call.catch((error: unknown) => error)),
    );
    expectTrue(
      failures.every((error) => error instanceof FramebatchError && error.code === "INFERENCE_FAILED"),
      "INFERENCE_FAILED for results of the wrong length",
    );
    await short.dispose();
  },

  async "batched calls a function once that a network fails, in the words of this engine"() {
    const missing = "/no-such-script.js";
    const failures: Record<string, () => Promise<unknown>> = {
      // The discard port: no browser connects to it.
      "a server that is not there": () => fetch("http://127.0.0.1:9/"),
      "a script that is not there": () => import(/* @vite-ignore */ missing),
      "a request that is aborted": () => fetch("/models/mlp-tiny.onnx", { signal: AbortSignal.abort() }),
    };
    for (const [what, fail] of Object.entries(failures)) {
      let calls = 0;
      const ask = batched(async (items: readonly number[]) => {
        calls += 1;
        await fail();
        return items;
      });
      const outcomes = await Promise.allSettled([1, 2, 3, 4].map((item) => ask(item)));
      expectTrue(
        outcomes.every(({ status }) => status === "rejected"),
        `a rejection for ${what}`,
      );
      expectEqual(calls, 1);
      await ask.dispose();
    }
  },
};

async function expectRight({ createBatchedModel }: Framebatch): Promise<void> {
  const model = await createBatchedModel(TINY, { executionProviders: ["wasm"] });
  const outputs = await model.predict(itemFor("mlp-tiny", 1));
  await model.dispose();
  const direct = await (await createReference(TINY, "wasm")).run(itemFor("mlp-tiny", 1));
  expectTrue(distance(outputs, direct) <= 1e-4, "the right answer");
}

function loadScript(address: string): Promise<void> {
  const script = document.createElement("script");
  script.src = address;
  return new Promise((resolve, reject) => {
    script.addEventListener("load", () => resolve());
    script.addEventListener("error", () => reject(new Error(`${address} could not be loaded`)));
    document.head.append(script);
  });
}
