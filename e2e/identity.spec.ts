import type { Page } from "@playwright/test";
import { expect, test } from "./support/test.js";

/** Ways in which an address can stop to have the model that it had. */
const GONE: Readonly<Record<string, string>> = {
  "missing, as after a deploy that removes the old file": "missing",
  "a page, as of a single-page application": "page",
  "out of reach": "reset",
};

/** What the tests keep on their page: models by name. */
interface Kept {
  readonly model: Awaited<ReturnType<Window["harness"]["createBatchedModel"]>>;
  readonly events: string[];
}

test("defect 5: a model whose address has gone is recovered and restarted from the cache, without a request", async ({
  harness,
  home,
}) => {
  for (const [how, fault] of Object.entries(GONE)) {
    await test.step(how, async () => {
      home.faults.mend(how);
      const url = `${home.url}/faults/${fault}.onnx?load=${encodeURIComponent(how)}`;
      const first = await create(harness, how, url, {});
      home.faults.break(how);
      const asked = home.faults.timesAsked(how);
      if (fault === "missing") {
        await harness.workers()[0]?.evaluate(() => void setTimeout(() => self.close()));
        await expect.poll(() => eventsOf(harness, how)).toEqual(["error WORKER_CRASHED", "recovering", "ready"]);
      } else expect(await restart(harness, how)).toBe(null);
      expect(await answer(harness, how)).toBe(first);
      expect(home.faults.timesAsked(how)).toBe(asked);
      await dispose(harness, how);
    });
  }
});

test("defect 4: a model stays the one that it was, whatever is deployed under its address", async ({
  harness,
  home,
}) => {
  const url = `${home.url}/faults/older-version.onnx?load=deployed`;
  const first = await create(harness, "old", url, {});
  home.faults.mend("deployed");

  await test.step("from the cache, while the server has another", async () => {
    expect(await restart(harness, "old")).toBe(null);
    expect(await answer(harness, "old")).toBe(first);
  });

  await test.step("a model that is created anew has the new version", async () => {
    expect(await create(harness, "new", url, {})).not.toBe(first);
  });

  await test.step("it fails with a clear error where neither the cache nor the server has it any more", async () => {
    const failure = await restart(harness, "old");
    expect(failure).toMatchObject({ code: "MODEL_INTEGRITY" });
    expect(failure?.message).toMatch(
      /another file \(sha256-.{44}\) than the model was first loaded with \(sha256-.{44}\).*create the model anew/,
    );
    expect((await eventsOf(harness, "old")).slice(-3)).toEqual(["recovering", "error MODEL_INTEGRITY", "failed"]);
  });

  await test.step("it is back once the server has its bytes again", async () => {
    home.faults.break("deployed");
    expect(await restart(harness, "old")).toBe(null);
    expect(await answer(harness, "old")).toBe(first);
  });
  for (const name of ["old", "new"]) await dispose(harness, name);
});

test("a model of two instances and no cache has the same bytes in both, and none after a deploy", async ({
  harness,
  home,
}) => {
  home.faults.mend("twice", 1);
  const url = `${home.url}/faults/older-version.onnx?load=twice`;
  await create(harness, "twice", url, { cache: false, instances: 2 });
  expect(home.faults.timesAsked("twice")).toBe(1);
  expect(await restart(harness, "twice")).toMatchObject({ code: "MODEL_INTEGRITY" });
  await dispose(harness, "twice");
});

/** Creates a model that is kept on the page, waits until the cache has it, and returns its answer. */
function create(page: Page, name: string, url: string, options: object): Promise<string> {
  return page.evaluate(
    async ([key, address, chosen]) => {
      const { createBatchedModel, itemFor, listCachedModels } = window.harness;
      const model = await createBatchedModel(address, { executionProviders: ["wasm"], warmup: false, ...chosen });
      const events: string[] = [];
      model.addEventListener("error", ({ detail }) => events.push(`error ${detail.code}`));
      model.addEventListener("statechange", ({ detail }) => events.push(detail.state));
      Object.assign(window, { [key]: { model, events } });
      const isDone = async () => "cache" in chosen || (await listCachedModels()).some((kept) => kept.url === address);
      while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 20));
      return JSON.stringify(
        Object.values(await model.predict(itemFor("mlp-784", 1))).map(({ data }) => Array.from(data, String)),
      );
    },
    [name, url, options] as const,
  );
}

function answer(page: Page, name: string): Promise<string> {
  return page.evaluate(async (key) => {
    const { model }: Kept = Reflect.get(window, key);
    const outputs = await model.predict(window.harness.itemFor("mlp-784", 1));
    return JSON.stringify(Object.values(outputs).map(({ data }) => Array.from(data, String)));
  }, name);
}

/** Why it could not be restarted, or `null`. */
function restart(page: Page, name: string) {
  return page.evaluate((key) => {
    const { model }: Kept = Reflect.get(window, key);
    return window.harness.failureOf(model.restart());
  }, name);
}

function eventsOf(page: Page, name: string): Promise<string[]> {
  return page.evaluate((key) => {
    const { events }: Kept = Reflect.get(window, key);
    return events;
  }, name);
}

function dispose(page: Page, name: string): Promise<void> {
  return page.evaluate((key) => {
    const { model }: Kept = Reflect.get(window, key);
    return model.dispose();
  }, name);
}
