import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";

const MODES = ["only-on-device", "prefer-on-device", "prefer-in-cloud", "only-in-cloud"] as const;
const ORIGINS = ["device", "device", "server", "server"];

test(
  "each mode asks its side first, and predictDetailed says which one answered",
  { tag: LONG },
  async ({ harness, home }) => {
    const found = await harness.evaluate(
      async ([url, source, modes]) => {
        const image = Float32Array.from({ length: 784 }, (_, index) => index);
        const origins: string[] = [];
        for (const mode of modes) {
          const remote = { url, model: "digits", mode };
          const model = await window.harness.createBatchedModel(source, { remote });
          const { outputs, origin } = await model.predictDetailed(image);
          // The logits of the server are the first ten pixels.
          const isOfServer = Array.from(outputs["logits"]!.data, Number).every((logit, index) => logit === index);
          origins.push(isOfServer === (origin === "server") ? origin : "another one");
          await model.dispose();
        }
        return origins;
      },
      [home.url, MODEL_PATHS.digits, MODES] as const,
    );
    expect(found).toEqual(ORIGINS);
  },
);

test("the device answers in place of a server that a page may not use", async ({ harness, elsewhere }) => {
  for (const path of ["/forbidden", "/readable", "/moved"]) {
    await test.step(path, async () => {
      const found = await harness.evaluate(
        async ([url, source]) => {
          const remote = { url, model: "digits", mode: "prefer-in-cloud" } as const;
          const model = await window.harness.createBatchedModel(source, { remote });
          const { origin } = await model.predictDetailed(new Float32Array(784));
          const { serverError } = model.stats();
          await model.dispose();
          return { origin, serverError };
        },
        [elsewhere.url + path, MODEL_PATHS.digits] as const,
      );
      expect(found).toEqual({ origin: "device", serverError: "REMOTE_BLOCKED" });
    });
  }
});

test(
  "the device answers while a server cannot be reached, and the server again afterwards",
  { tag: LONG },
  async ({ harness, home }) => {
    const model = await harness.evaluateHandle(
      async ([url, source]) => {
        const remote = { url, model: "digits", mode: "prefer-in-cloud" } as const;
        const opened = await window.harness.createBatchedModel(source, { remote });
        while (opened.stats().models.device === undefined) await opened.predict(new Float32Array(784));
        return opened;
      },
      [home.url, MODEL_PATHS.digits] as const,
    );
    const originOfNext = () =>
      model.evaluate(async (opened) => (await opened.predictDetailed(new Float32Array(784))).origin);
    expect(await originOfNext()).toBe("server");
    await harness.route("**/infer", (route) => route.abort("connectionreset"));
    expect(await originOfNext()).toBe("device");
    expect(await model.evaluate((opened) => opened.stats().serverError)).toBe("REMOTE_UNREACHABLE");
    await harness.unroute("**/infer");
    const requests = await model.evaluate(async (opened) => {
      while ((await opened.predictDetailed(new Float32Array(784))).origin !== "server");
      return opened.stats().requests;
    });
    expect(requests).toMatchObject({ rejected: 0, open: 0, movedTo: { device: 1, server: 0 } });
  },
);
