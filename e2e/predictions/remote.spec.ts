import { expect, test } from "../support/test.js";

const FORBIDDEN = {
  code: "REMOTE_BLOCKED",
  message: expect.stringContaining("an answer that this origin may not read; let it send Access-Control-Allow-Origin"),
};

test("a model on a server answers a page as the server computes, wherever it may be read", async ({
  harness,
  home,
  elsewhere,
}) => {
  for (const url of [home.url, `${elsewhere.url}/allowed`]) {
    await test.step(url, async () => {
      const result = await harness.evaluate(async (address) => {
        const model = await window.harness.createRemoteModel(address, { model: "digits" });
        const images = [1, 2, 3].map((seed) => Float32Array.from({ length: 784 }, (_, index) => seed + index));
        const answers = await model.predictMany(images);
        const { isBinary, requests } = model.stats();
        await model.dispose();
        return {
          isBinary,
          completed: requests.completed,
          logits: answers.map(({ logits }) => Array.from(Object.values(logits!.data), Number)),
        };
      }, url);
      const logits = [1, 2, 3].map((seed) => Array.from({ length: 10 }, (_, index) => seed + index));
      expect(result).toEqual({ isBinary: true, completed: 3, logits });
    });
  }
});

test("a server that a page may not use causes one clear error", async ({ harness, elsewhere }) => {
  const failureAt = (path: string) =>
    harness.evaluate(async (address) => {
      const { createRemoteModel, failureOf } = window.harness;
      const model = createRemoteModel(address, { model: "digits" });
      return failureOf(model.then((opened) => opened.predict(new Float32Array(784))));
    }, elsewhere.url + path);
  await test.step("it allows no origin", async () => expect(await failureAt("/forbidden")).toMatchObject(FORBIDDEN));
  await test.step("it allows no headers", async () => expect(await failureAt("/readable")).toMatchObject(FORBIDDEN));
  await test.step("it redirects", async () =>
    expect(await failureAt("/moved")).toMatchObject({ code: "REMOTE_BLOCKED" }));
});

test("an aborted request is cancelled in the browser", async ({ harness, home }) => {
  const reached = new Promise((resolve) => void harness.route("**/infer", resolve));
  const failed = harness.waitForEvent("requestfailed", (request) => request.url().endsWith("/infer"));
  const asked = await harness.evaluateHandle(async (address) => {
    const model = await window.harness.createRemoteModel(address, { model: "digits" });
    const controller = new AbortController();
    const outcome = model
      .predict(new Float32Array(784), { signal: controller.signal })
      .catch((error: unknown) => error);
    return { controller, outcome };
  }, home.url);
  await reached;
  await asked.evaluate(({ controller }) => controller.abort("enough"));
  expect(await asked.evaluate(({ outcome }) => outcome)).toBe("enough");
  expect((await failed).failure()?.errorText).toContain("ERR_ABORTED");
});
