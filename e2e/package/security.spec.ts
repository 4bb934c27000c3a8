import type { Page } from "@playwright/test";
import { MODEL_PATHS } from "../support/sites/site.js";
import { MIN_POLICY, serveStrictly, type StrictSite } from "../support/sites/strict-site.js";
import { expect, LONG, test } from "../support/test.js";

/** The global variable that the script tag of a plain page sets. */
declare const framebatch: typeof import("framebatch");

const TINY = MODEL_PATHS["mlp-tiny"];
const TRUSTED_TYPES = `${MIN_POLICY}; require-trusted-types-for 'script'; trusted-types`;
const RIGHT = 10;

async function underPolicy(page: Page, policy: string, visit: (site: StrictSite) => Promise<void>): Promise<void> {
  const site = await serveStrictly(policy);
  try {
    await visit(site);
    // Reports arrive late but in order. The violation provoked here marks the end of them.
    await page.evaluate(() => void (new Image().src = "/provoked.png"));
    await expect.poll(() => site.violations).toContain(`img-src: ${site.url}/provoked.png`);
    expect(site.violations).toHaveLength(1);
  } finally {
    await site.close();
  }
}

test("the packaged build works under the strictest Content-Security-Policy", async ({ page }) => {
  await underPolicy(page, MIN_POLICY, async ({ url }) => {
    await openHarness(page, url);
    expect(await predictWithHarness(page)).toBe(RIGHT);
  });
});

for (const file of ["framebatch.global.js", "framebatch.js"]) {
  const tag = file === "framebatch.js" ? LONG : [];
  // Tagged @long, because the next test has an even stricter policy.
  test(`the script ${file} works under the strictest Content-Security-Policy`, { tag: LONG }, async ({ page }) => {
    await underPolicy(page, MIN_POLICY, async ({ url }) => {
      await page.goto(`${url}/bare?script=/sdk/${file}`);
      expect(await predictWithTag(page)).toBe(RIGHT);
    });
  });

  test(`the script ${file} works under Trusted Types, with one policy for all workers`, { tag }, async ({ page }) => {
    await underPolicy(page, `${TRUSTED_TYPES} framebatch#worker`, async ({ url }) => {
      await page.goto(`${url}/bare?script=/sdk/${file}`);
      expect(await predictWithTag(page)).toBe(RIGHT);
      expect(await predictWithTag(page, { startsOthers: true })).toBe(RIGHT);
    });
  });
}

test("the packaged build works under Trusted Types, with framebatch's own policy", async ({ page }) => {
  await underPolicy(page, `${TRUSTED_TYPES} framebatch#worker`, async ({ url }) => {
    await openHarness(page, url);
    expect(await predictWithHarness(page)).toBe(RIGHT);
  });
});

test("tabs share a session under the strictest policy and Trusted Types", async ({ page }) => {
  await underPolicy(page, `${TRUSTED_TYPES} framebatch#worker`, async ({ url }) => {
    await openHarness(page, url);
    const shared = await page.evaluate(async (address) => {
      const { createBatchedModel, itemFor } = window.harness;
      const model = await createBatchedModel(address, { executionProviders: ["wasm"], shared: true });
      await model.predict(itemFor("mlp-tiny", 1));
      return model.stats().shared;
    }, TINY);
    expect(shared).toEqual({ isShared: true, reason: null, tabs: 1 });
  });
});

test("a policy that forbids WebAssembly rejects with the source that it lacks", async ({ page }) => {
  const site = await serveStrictly(MIN_POLICY.replace(" 'wasm-unsafe-eval'", ""));
  await openHarness(page, site.url);
  await expect(predictWithHarness(page)).rejects.toThrow(/RUNTIME_LOAD_FAILED: .*'wasm-unsafe-eval'/);
  await site.close();
});

test(
  "under Trusted Types, the packaged build accepts a worker URL from the page's own policy",
  { tag: LONG },
  async ({ page }) => {
    await underPolicy(page, `${TRUSTED_TYPES} mine`, async ({ url }) => {
      await openHarness(page, url);
      expect(await predictWithHarness(page, "/sdk/framebatch.worker.js")).toBe(RIGHT);
    });
  },
);

test("under Trusted Types without a policy for it, the packaged build rejects with the cause", async ({ page }) => {
  const site = await serveStrictly(`${TRUSTED_TYPES} mine`);
  await openHarness(page, site.url);
  await expect(predictWithHarness(page)).rejects.toThrow(/WORKER_LOAD_FAILED.*TrustedScriptURL/);
  await site.close();
});

test("predictions with a model from bytes make no network requests but one for the rest of the code", async ({
  harness,
  home,
}) => {
  const bytes = await harness.evaluate(
    async (url) => [...new Uint8Array(await (await fetch(url)).arrayBuffer())],
    TINY,
  );
  await harness.evaluate(async (sent) => {
    const model = await window.harness.createBatchedModel(new Blob([Uint8Array.from(sent)]), {
      executionProviders: ["wasm"],
    });
    Object.assign(window, { model });
  }, bytes);
  // The rest of the code comes once, after the first answer.
  const rest = harness.waitForEvent("requestfinished");
  await harness.evaluate(async () => {
    const model: Awaited<ReturnType<typeof window.harness.createBatchedModel>> = Reflect.get(window, "model");
    await model.predict(window.harness.itemFor("mlp-tiny", 1));
    model.resetStats();
  });
  expect((await rest).url()).toMatch(/\/later-code[^/]*\.js$/);
  const before = home.answered.length;
  const asked: string[] = [];
  harness.on("request", (request) => asked.push(request.url()));
  const completed = await harness.evaluate(async () => {
    const model: Awaited<ReturnType<typeof window.harness.createBatchedModel>> = Reflect.get(window, "model");
    await model.predictMany(window.harness.itemsFor("mlp-tiny", 500));
    return model.stats().requests.completed;
  });
  expect(completed).toBe(500);
  expect(asked).toEqual([]);
  expect(home.answered.slice(before)).toEqual([]);
});

test("a polluted Object.prototype has no effect", async ({ page, home }) => {
  await page.addInitScript(() => {
    Object.assign(Object.prototype, { polluted: "yes", x: [1], extra: [1], dims: [3], each: () => "polluted" });
  });
  await page.goto(`${home.url}/plain-page?kind=classic&script=/sdk/framebatch.global.js`);
  expect(await predictWithTag(page)).toBe(RIGHT);
});

test("a forged message to the worker can neither pollute prototypes nor replace methods", async ({ harness }) => {
  const { replies, length } = await harness.evaluate(async (url) => {
    const Native = Worker;
    const workers: Worker[] = [];
    window.Worker = class extends Native {
      constructor(address: string | URL, options?: WorkerOptions) {
        super(address, options);
        workers.push(this);
      }
    };
    const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"] });
    const [worker] = workers;
    const kinds: unknown[] = [];
    worker?.addEventListener("message", ({ data }) => kinds.push(data?.type ?? data?.notice));
    const value = { type: "RAW", value: "polluted" };
    const messages: object[] = [
      { id: "a", type: "SET", path: ["__proto__", "polluted"], value },
      { id: "b", type: "SET", path: ["constructor", "prototype", "polluted"], value },
      { id: "c", type: "GET", path: ["constructor", "constructor"] },
      { id: "d", type: "SET", path: ["load"], value },
      { id: "e", type: "nonsense", path: null },
    ];
    // The mark of framebatch's own messages keeps mistakes out, not forgers.
    for (const message of messages) worker?.postMessage({ ...message, isFramebatch: true });
    const { y } = await model.predict(window.harness.itemFor("mlp-tiny", 1));
    return { replies: kinds, length: y?.data.length };
  }, TINY);
  expect(length).toBe(RIGHT);
  expect(replies).not.toContain("lost");
  const polluted = await Promise.all(
    harness.workers().map((worker) => worker.evaluate(() => Reflect.get({}, "polluted") ?? null)),
  );
  expect(polluted).toEqual(polluted.map(() => null));
});

test(
  "messages of a page's own to its worker, and of that worker to the page, are left alone",
  { tag: LONG },
  async ({ harness }) => {
    await harness.evaluate(() => {
      const workers: Worker[] = [];
      window.Worker = class extends Worker {
        constructor(address: string | URL, options?: WorkerOptions) {
          super(address, options);
          workers.push(this);
        }
      };
      Reflect.set(window, "started", workers);
    });
    const models = await harness.evaluateHandle(async (url) => {
      const { createBatchedModel, createModelGroup } = window.harness;
      const group = createModelGroup({ executionProviders: ["wasm"] });
      const grouped = await createBatchedModel(url, { group });
      return [await createBatchedModel(url, { executionProviders: ["wasm"] }), grouped];
    }, TINY);
    const keys = [
      "run",
      "ran",
      "shared",
      "delivered",
      "withdrawn",
      "endedSequence",
      "released",
      "shutDown",
      "wakeInMs",
    ];
    const own = [
      ...[...keys, "executing", "retired", "member", "notice"].map((key) => ({ [key]: "start" })),
      { notice: "lost", error: {} },
      { id: "1", type: "GET", path: ["start"], argumentList: "none" },
      { id: "2", type: "RELEASE" },
    ];
    for (const worker of harness.workers())
      await worker.evaluate((messages) => messages.forEach((message) => self.postMessage(message)), own);
    const answers = await models.evaluate(async (opened, messages) => {
      const workers: readonly Worker[] = Reflect.get(window, "started");
      for (const worker of workers) for (const message of messages) worker.postMessage(message);
      const lengths: unknown[] = [];
      for (const model of opened) {
        for (let request = 0; request < 3; request++) {
          const { y } = await model.predict(window.harness.itemFor("mlp-tiny", 1));
          lengths.push(y?.data.length);
        }
      }
      return { lengths, workers: workers.length };
    }, own);
    // No worker has been replaced.
    expect(answers).toEqual({ lengths: Array.from({ length: 6 }, () => RIGHT), workers: 2 });
  },
);

const LEAKY = ["/faults/missing.onnx", "/faults/page.onnx", "/faults/noise.onnx", "/faults/empty.onnx"];

test("errors do not contain secrets of an address", async ({ harness }) => {
  for (const path of LEAKY) {
    const text = await harness.evaluate(async (address) => {
      const seen: string[] = [];
      const see = (error: unknown): void => {
        if (!(error instanceof Error)) return;
        seen.push(error.message, String(error.stack), JSON.stringify(error));
        see(error.cause);
      };
      await window.harness.createBatchedModel(address, { executionProviders: ["wasm"] }).catch(see);
      return seen.join("\n");
    }, `${path}?token=SECRET&key=SECRET`);
    expect(text, path).toMatch(/FramebatchError/);
    expect(text, path).not.toContain("SECRET");
  }
  await test.step("a user name and a password", async () => {
    const failure = await harness.evaluate(() =>
      window.harness.failureOf(window.harness.createBatchedModel("https://user:SECRET@localhost/model.onnx")),
    );
    expect(failure?.code).toBe("INVALID_OPTION");
    expect(JSON.stringify(failure)).not.toContain("SECRET");
  });
});

test("several copies of framebatch work in one page", async ({ harness, home }) => {
  for (const copy of [1, 2]) await harness.addScriptTag({ url: `${home.url}/sdk/framebatch.global.js?copy=${copy}` });
  const lengths = await harness.evaluate(async (url) => {
    const copies = [framebatch, window.harness];
    const models = await Promise.all(
      copies.map((copy) => copy.createBatchedModel(url, { executionProviders: ["wasm"] })),
    );
    const outputs = await Promise.all(models.map((model) => model.predict(window.harness.itemFor("mlp-tiny", 1))));
    return outputs.map(({ y }) => y?.data.length);
  }, TINY);
  expect(lengths).toEqual([RIGHT, RIGHT]);
});

/** Opens the test page without its icon, which the policy forbids. */
async function openHarness(page: Page, url: string): Promise<void> {
  const html = await (await page.request.get(`${url}/harness.html`)).text();
  const [, script = ""] = /<script[^>]* src="([^"]+)"/.exec(html) ?? [];
  await page.goto(`${url}/bare?script=${script}`);
  await page.waitForFunction(() => "harness" in window);
}

/** Returns the number of outputs of the tiny model. The page's own Trusted Types policy creates the URL of `worker`. */
function predictWithHarness(page: Page, worker?: string): Promise<number | undefined> {
  return page.evaluate(
    async ({ url, script }) => {
      const { createBatchedModel, failureOf, itemFor } = window.harness;
      const rules = { createScriptURL: (address: string) => address };
      const options = { executionProviders: ["wasm"] } as const;
      const types: { createPolicy(name: string, given: typeof rules): { createScriptURL(address: string): URL } } =
        Reflect.get(window, "trustedTypes");
      const loading = createBatchedModel(
        url,
        script === undefined
          ? options
          : { ...options, workerUrl: types.createPolicy("mine", rules).createScriptURL(script) },
      );
      const failure = await failureOf(loading);
      if (failure !== null) throw new Error(`${failure.code}: ${failure.message}`);
      const { y } = await (await loading).predict(itemFor("mlp-tiny", 1));
      return y?.data.length;
    },
    { url: TINY, script: worker },
  );
}

/**
 * Like `predictWithHarness`, with a build for pages without a bundler. Imports the module build, which sets no global.
 * `startsOthers`: first starts workers in every other way, too: by a restart, for a hub, and from an address of its own.
 */
function predictWithTag(page: Page, { startsOthers = false } = {}): Promise<number | undefined> {
  return page.evaluate(
    async ({ url, others }) => {
      const address = new URL("/sdk/framebatch.js", location.href).href;
      const copy: typeof framebatch = "framebatch" in globalThis ? framebatch : await import(address);
      const model = await copy.createBatchedModel(url, { executionProviders: ["wasm"] });
      if (others) {
        await model.restart();
        const hub = copy.createModelHub();
        hub.register("tiny", url, { executionProviders: ["wasm"] });
        await hub.get("tiny");
        await hub.dispose();
        const workerUrl = "/sdk/framebatch.worker.js";
        const other = await copy.createBatchedModel(url, { executionProviders: ["wasm"], workerUrl });
        await other.dispose();
      }
      const { y } = await model.predict(Float32Array.from({ length: 64 }, (_, index) => index / 64));
      return y?.data.length;
    },
    { url: TINY, others: startsOthers },
  );
}
