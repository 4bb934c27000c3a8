import type { Page } from "@playwright/test";
import { expect, LONG, test } from "../support/test.js";

/** Ways in which the model at an address can become unavailable. */
const GONE: Readonly<Record<string, string>> = {
  "the file is missing, as after a deployment that removes old files": "missing",
  "the server sends a web page, as for a single-page application": "page",
  "the server resets the connection": "reset",
};

/** A model that the tests store in the page under a name, and its events. */
interface Kept {
  readonly model: Awaited<ReturnType<Window["harness"]["createBatchedModel"]>>;
  readonly events: string[];
}

test(
  "defect 5: a model whose address is gone recovers and restarts from the cache, without a request",
  { tag: LONG },
  async ({ harness, home }) => {
    for (const [how, fault] of Object.entries(GONE)) {
      await test.step(how, async () => {
        home.faults.repair(how);
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
  },
);

test(
  "defect 4: a model keeps its bytes when another version is deployed at its address",
  { tag: LONG },
  async ({ harness, home }) => {
    const url = `${home.url}/faults/older-version.onnx?load=deployed`;
    const first = await create(harness, "old", url, {});
    home.faults.repair("deployed");

    await test.step("it restarts from the cache while the server has another version", async () => {
      expect(await restart(harness, "old")).toBe(null);
      expect(await answer(harness, "old")).toBe(first);
    });

    await test.step("a newly created model has the new version", async () => {
      expect(await create(harness, "new", url, {})).not.toBe(first);
    });

    await test.step("it rejects with MODEL_INTEGRITY if neither the cache nor the server has its bytes", async () => {
      const failure = await restart(harness, "old");
      expect(failure).toMatchObject({ code: "MODEL_INTEGRITY" });
      expect(failure?.message).toMatch(
        /another file \(sha256-.{44}\) than the model was first loaded with \(sha256-.{44}\).*create the model anew/,
      );
      expect((await eventsOf(harness, "old")).slice(-3)).toEqual(["recovering", "error MODEL_INTEGRITY", "failed"]);
    });

    await test.step("it restarts when the server has its bytes again", async () => {
      home.faults.break("deployed");
      expect(await restart(harness, "old")).toBe(null);
      expect(await answer(harness, "old")).toBe(first);
    });
    for (const name of ["old", "new"]) await dispose(harness, name);
  },
);

test(
  "two instances without a cache use one download, and cannot restart after a deployment",
  { tag: LONG },
  async ({ harness, home }) => {
    home.faults.repair("twice", 1);
    const url = `${home.url}/faults/older-version.onnx?load=twice`;
    await create(harness, "twice", url, { cache: false, instances: 2 });
    expect(home.faults.timesAsked("twice")).toBe(1);
    expect(await restart(harness, "twice")).toMatchObject({ code: "MODEL_INTEGRITY" });
    await dispose(harness, "twice");
  },
);

/** Creates a model, stores it in the page, waits until the cache has it, and returns its answer to one item. */
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

/** Restarts a model. Resolves with the error, or with `null` if it restarted. */
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
