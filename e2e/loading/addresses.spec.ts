import { expect, test } from "../support/test.js";

test("relative addresses mean what they mean at the call, also if the page changes its own meanwhile", async ({
  harness,
}) => {
  const answers = await harness.evaluate(async () => {
    const { createBatchedModel, createModelGroup, createModelHub, clearModelCache, listCachedModels } = window.harness;
    const ANY = "models/affine-float32.onnx";
    const AT = `${location.origin}/${ANY}`;
    const options = { executionProviders: ["wasm"], cache: false } as const;
    const { executionProviders } = options;
    const home = location.href;
    const got: Record<string, string> = {};
    /** Does what a router does between a call and the load. */
    const during = async (name: string, begin: () => Promise<Awaited<ReturnType<typeof createBatchedModel>>>) => {
      history.pushState({}, "", home);
      const opening = begin();
      history.pushState({}, "", "/deep/er/page");
      const { y } = await opening.then((model) => model.predict([1, 2, 3, 4]));
      got[name] = Array.from(y!.data, Number).join();
    };
    const workerUrl = "sdk/framebatch.worker.js";
    await during("source", () => createBatchedModel(ANY, options));
    await during("workerUrl", () => createBatchedModel(AT, { ...options, workerUrl }));
    await during("hub", () => {
      const hub = createModelHub();
      hub.register("a", ANY, { ...options, workerUrl, wasmPaths: "sdk/" });
      history.pushState({}, "", "/deep/er/page");
      return hub.get("a");
    });
    await during("group", () => {
      const group = createModelGroup({ executionProviders, workerUrl, wasmPaths: "sdk/" });
      history.pushState({}, "", "/deep/er/page");
      return createBatchedModel(AT, { group, cache: false });
    });
    const externalData = [{ path: "a.bin", source: "models/affine-int8.onnx" }];
    await during("externalData", () => createBatchedModel(AT, { ...options, externalData }));
    await during("cache", () => createBatchedModel(ANY, { executionProviders }));
    const stored = async () => (await listCachedModels()).map(({ url }) => url).filter((url) => url === AT);
    // A model is stored after its first answers.
    while ((await stored()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    history.pushState({}, "", home);
    const clearing = clearModelCache(ANY);
    history.pushState({}, "", "/deep/er/page");
    await clearing;
    const left = await stored();
    history.pushState({}, "", home);
    return { got: [...new Set(Object.values(got))], left };
  });
  expect(answers).toEqual({ got: ["3,5,7,9"], left: [] });
});
