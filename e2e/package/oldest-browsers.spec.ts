import { runFirstInWorkers } from "../support/pages/worker-hook.js";
import { expect, test } from "../support/test.js";

/** What the oldest browsers of docs/browsers.md lack, of what this one has and any code might call. */
const YOUNGER = [
  "AbortSignal.any",
  "URL.canParse",
  "URL.parse",
  "Response.json",
  "Response.prototype.bytes",
  "Blob.prototype.bytes",
  "Promise.withResolvers",
  "Promise.try",
  "Array.fromAsync",
  "Object.groupBy",
  "Map.groupBy",
  "String.prototype.isWellFormed",
  "String.prototype.toWellFormed",
  "ArrayBuffer.prototype.transfer",
  "ArrayBuffer.prototype.transferToFixedLength",
  "ArrayBuffer.prototype.resize",
  "Atomics.waitAsync",
  "Set.prototype.union",
  "Set.prototype.intersection",
  "Set.prototype.difference",
  "Set.prototype.isSubsetOf",
  "globalThis.Iterator",
  "globalThis.Float16Array",
  "globalThis.scheduler",
  "Symbol.asyncDispose",
  "WebAssembly.Suspending",
  "WebAssembly.promising",
];
// The methods of iterators are on an object without a name. A symbol cannot be deleted.
const TAKE_AWAY = `(() => {
  const iterators = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
  for (const name of Object.getOwnPropertyNames(iterators)) if (name !== "constructor") delete iterators[name];
  ${YOUNGER.filter((name) => !name.startsWith("Symbol"))
    .map((name) => `try { delete ${name}; } catch { /* Its class is not here. */ }`)
    .join("\n")}
})();`;

test("models load and answer where the oldest browsers lack what younger ones have", async ({ page, home }) => {
  await page.addInitScript(TAKE_AWAY);
  await runFirstInWorkers(page, TAKE_AWAY);
  await page.goto(`${home.url}/harness.html`);
  await page.waitForFunction(() => "harness" in window);
  const answers = await page.evaluate(async () => {
    const { createBatchedModel, createModelGroup, createModelHub } = window.harness;
    const url = "/models/affine-float32.onnx";
    const options = { executionProviders: ["wasm"], cache: false } as const;
    const { signal } = new AbortController();
    const group = createModelGroup({ executionProviders: ["wasm"] });
    const hub = createModelHub();
    hub.register("a", url, { ...options, signal });
    const models = [
      await createBatchedModel(url, options),
      await createBatchedModel(url, { ...options, cache: true, allowedBatchSizes: [1, 4] }),
      await createBatchedModel(url, { cache: false, group, signal }),
      await hub.get("a"),
    ];
    const items = [
      [1, 2, 3, 4],
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ];
    const answered = models.map((model) => model.predictMany(items));
    const texts = (await Promise.all(answered)).flat().map(({ y }) => Array.from(y!.data, Number).join());
    return { texts: [...new Set(texts)], hasAny: "any" in AbortSignal };
  });
  expect(answers).toEqual({ texts: ["3,5,7,9"], hasAny: false });
});
