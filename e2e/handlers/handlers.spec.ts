import process from "node:process";
import type { Page } from "@playwright/test";
import { MODEL_PATHS } from "../support/sites/site.js";
import { longestTasks } from "../../scripts/longest-tasks.mjs";
import { expect, LONG, test } from "../support/test.js";

const MODEL = MODEL_PATHS["mlp-tiny"];

/** The number of items that the ordeal sends. 100,000 take a quarter of an hour. */
const ITEMS = Number(process.env["FRAMEBATCH_HANDLED_ITEMS"] ?? 1500);

test.beforeEach(async ({ page, home }) => {
  await page.goto(`${home.url}/handlers.html`);
  await page.waitForFunction(() => "handled" in window);
});

test("an image goes to the worker, and its result comes back", async ({ page }) => {
  const { right, size, open, width } = await page.evaluate(async (url) => {
    const { handled } = window;
    const expected = await handled.answersByGrey(url);
    // Batches of one size: what the model has learned about run times decides nothing.
    const model = await handled.open(url, { allowedBatchSizes: [8], verify: { budgetMs: 600_000 } });
    const images = await Promise.all(Array.from({ length: 40 }, (_, grey) => handled.imageOf(6 * grey)));
    const results = await Promise.all(
      images.map((image, id) => model.predict({ id, image }, { transfer: id % 2 === 0 })),
    );
    const isRight = ({ id, numbers }: { id: number; numbers: readonly number[] }, index: number) =>
      id === index && numbers.every((number, place) => Math.abs(number - expected[6 * id]![place]!) < 1e-4);
    const facts = {
      right: results.filter(isRight).length,
      size: model.stats().batchSize.mean,
      open: await handled.openBitmaps(),
      width: images.map((image) => image.width),
    };
    await model.dispose();
    return facts;
  }, MODEL);
  expect({ right, size, open }).toEqual({ right: 40, size: 8, open: 0 });
  expect(width).toEqual(Array.from({ length: 40 }, (_, id) => (id % 2 === 0 ? 0 : 16)));
});

test("a text is tokenized in the worker, by the tokenizer of Hugging Face", { tag: LONG }, async ({ page }) => {
  const lists = [
    [2, 3, 4, 5, 2, 6, 7],
    [8, 9],
    [2, 9, 10, 4],
    [2, 1, 7],
  ];
  const texts = ["The cat sat on the mat.", "A dog", "The dogs sat", "the zebra ."];
  const { answers, expected } = await page.evaluate(
    async ({ url, idLists, sent }) => {
      const { handled } = window;
      const model = await handled.openText(url);
      const many = await model.predictMany([...sent, ...sent, ...sent]);
      await model.dispose();
      return { answers: many.slice(-sent.length), expected: await handled.answersByIds(url, idLists) };
    },
    { url: MODEL_PATHS["text-encoder"], idLists: lists, sent: texts },
  );
  for (const [text, numbers] of expected.entries()) {
    expect(answers[text]).toHaveLength(numbers.length);
    for (const [place, number] of numbers.entries()) expect(answers[text]![place]).toBeCloseTo(number, 3);
  }
});

test("a worker's module that throws is named as the cause, at once", async ({ page }) => {
  const error = await page.evaluate(
    (url) => window.handled.openBroken(url).then(String, ({ code, message }) => `${code}: ${message}`),
    MODEL,
  );
  expect(error).toMatch(/^WORKER_LOAD_FAILED: .*JSON/);
});

// defect E9
test("images that have moved to a worker survive a restart, also those that it has closed", async ({ page }) => {
  const { right, open } = await page.evaluate(async (url) => {
    const { handled } = window;
    const expected = await handled.answersByGrey(url);
    const model = await handled.open(url, {
      verify: { budgetMs: 600_000 },
      batching: { release: "window" },
      maxQueueDelayMs: 600_000,
    });
    const items = await Promise.all(
      [0, 60, 120].map(async (grey) => ({ id: grey, image: await handled.imageOf(grey), isClosedEarly: grey > 0 })),
    );
    const answers = items.map((item) => model.predict(item, { transfer: true }));
    // The worker has all of them, and has run `preprocess` for the last.
    while ((await handled.openBitmaps()) !== 1);
    await model.restart();
    model.flush();
    const isRight = ({ id, numbers }: { id: number; numbers: readonly number[] }) =>
      numbers.every((number, place) => Math.abs(number - expected[id]![place]!) < 1e-4);
    const facts = { right: (await Promise.all(answers)).filter(isRight).length, open: await handled.openBitmaps() };
    await model.dispose();
    return facts;
  }, MODEL);
  expect({ right, open }).toEqual({ right: 3, open: 0 });
});

// defect E2
test("a result that cannot be sent fails alone, after a single run", async ({ page }) => {
  const { ends, batches } = await page.evaluate(async (url) => {
    const { handled } = window;
    const model = await handled.open(url, {
      verify: { budgetMs: 600_000 },
      batching: { release: "window" },
      maxBatchSize: 4,
      maxQueueDelayMs: 600_000,
    });
    const faults = [undefined, "return closed", "return shared", undefined] as const;
    const answers = faults.map(async (fault, id) => {
      const item = { id, image: await handled.imageOf(id), ...(fault && { fault }) };
      return model.predict(item).then(String, ({ code, details }) => `${code} ${details.stage}`);
    });
    const settled = await Promise.all(answers);
    const { count } = model.stats().batches;
    await model.dispose();
    return { ends: settled, batches: count };
  }, MODEL);
  const failed = "HANDLER_FAILED postprocess";
  expect({ ends, batches }).toEqual({ ends: ["[object Object]", failed, failed, "[object Object]"], batches: 1 });
});

// users.md, messages that mislead: the start of a worker may take 60 s, longer than this test.
test("a worker's module without framebatch is told how to serve handlers", { tag: LONG }, async ({ page }) => {
  const error = await page.evaluate(
    (url) => window.handled.openForeign(url).then(String, ({ code, message }) => `${code}: ${message}`),
    MODEL,
  );
  expect(error).toMatch(
    /^WORKER_LOAD_FAILED: .*got a script without framebatch.*import { serve } from "framebatch\/worker"/,
  );
});

test("an image that is not predicted is closed", async ({ page }) => {
  const ends = await page.evaluate(async (url) => {
    const { handled } = window;
    const model = await handled.open(url, {
      verify: { budgetMs: 600_000 },
      maxQueueSize: 1,
      batching: { release: "window" },
      maxQueueDelayMs: 60_000,
    });
    const send = async (options: object) => {
      const image = await handled.imageOf(1);
      const end = await model.predict({ id: 1, image }, { transfer: true, ...options }).catch(({ code }) => code);
      return [end, image.width];
    };
    const first = send({ key: "a" });
    await new Promise((resolve) => setTimeout(resolve));
    const full = await send({});
    const hearAgain = handled.holdMessages();
    const newer = send({ key: "a", timeoutMs: 1 });
    const ended = [await first, full, await newer];
    hearAgain();
    const open = await handled.openBitmaps();
    await model.dispose();
    return { ended, open };
  }, MODEL);
  expect(ends).toEqual({
    ended: [
      ["SUPERSEDED", 0],
      ["OVERLOADED", 16],
      ["TIMED_OUT", 0],
    ],
    open: 0,
  });
});

test("a page that asks for 64 images at once has no long task", { tag: LONG }, async ({ browser, page }) => {
  const longest = await longestTasks(browser, page, () =>
    page.evaluate(async (url) => {
      const { handled } = window;
      const nextTask = () => new Promise((resolve) => setTimeout(resolve));
      const model = await handled.open(url);
      for (let round = 0; round < 4; round++) {
        const images = await Promise.all(Array.from({ length: 64 }, (_, grey) => handled.imageOf(grey, 640, 480)));
        await nextTask();
        performance.mark("start");
        await nextTask();
        await Promise.all(images.map((image, id) => model.predict({ id, image }, { transfer: true })));
        await nextTask();
        performance.mark("end");
        await nextTask();
      }
      await model.dispose();
    }, MODEL),
  );
  test.info().annotations.push({ type: "longest task", description: longest.map((ms) => ms.toFixed(1)).join(", ") });
  // The first round compiles the page's code. The limit is ten times what a quiet machine needs.
  expect(Math.min(...longest.slice(1))).toBeLessThan(30);
});

// Tagged @long: the simulation of the whole system does this with every fault.
test("nothing is lost, wrong or leaked, whatever happens to items and workers", { tag: LONG }, async ({ page }) => {
  test.setTimeout(60_000 + 60 * ITEMS);
  const outcome = await ordeal(page, ITEMS);
  test.info().annotations.push({ type: "ordeal", description: JSON.stringify(outcome) });
  expect(outcome).toMatchObject({ lost: 0, wrong: 0, unexpected: [], open: 0, items: ITEMS });
  expect(outcome.deaths).toBeGreaterThan(0);
});

test(`a handler that hangs ends with its own item ${LONG}`, async ({ page }) => {
  const ends = await page.evaluate(async (url) => {
    const { handled } = window;
    const model = await handled.open(url, { runTimeoutMs: 2000 });
    const items = ["", "hang", ""].map(async (fault, id) => {
      const image = await handled.imageOf(3);
      return model.predict(fault === "hang" ? { id, image, fault } : { id, image });
    });
    const ended = (await Promise.allSettled(items)).map((end) => (end.status === "fulfilled" ? "ok" : end.reason.code));
    await model.dispose();
    return ended;
  }, MODEL);
  expect(ends).toEqual(["ok", "WORKER_HUNG", "ok"]);
});

/** Sends items of all kinds, aborts some, and ends workers. Counts what came of them. */
function ordeal(page: Page, items: number) {
  return page.evaluate(
    async ({ url, count }) => {
      const { handled } = window;
      const expected = await handled.answersByGrey(url);
      let deaths = 0;
      const model = await handled.open(url);
      model.addEventListener("error", () => (deaths += 1));
      let seed = 1;
      const random = () => (seed = (48_271 * seed) % 2_147_483_647) / 2_147_483_647;
      const tally = { items: 0, answered: 0, aborted: 0, failed: 0, crashed: 0, lost: 0, wrong: 0 };
      const unexpected: string[] = [];
      const one = async (id: number): Promise<void> => {
        const grey = id % 256;
        const image = await handled.imageOf(grey);
        const kind = random();
        const fault = kind < 0.02 ? "throw" : kind < 0.023 ? "kill worker" : undefined;
        const controller = new AbortController();
        const options = { transfer: random() < 0.5, signal: controller.signal };
        const item = fault === undefined ? { id, image } : ({ id, image, fault } as const);
        const asked = model.predict(item, options);
        const isAborted = random() < 0.1;
        if (isAborted) setTimeout(() => controller.abort("enough"), 4 * random());
        try {
          const result = await asked;
          tally.answered += 1;
          const isRight = result.numbers.every((number, place) => Math.abs(number - expected[grey]![place]!) < 1e-4);
          // A worker that closes itself may still answer.
          if (result.id !== id || fault === "throw" || !isRight) tally.wrong += 1;
        } catch (error) {
          if (error === "enough" && isAborted) tally.aborted += 1;
          else if (!(error instanceof handled.FramebatchError)) unexpected.push(String(error));
          else if (error.code === "HANDLER_FAILED" && fault === "throw") tally.failed += 1;
          // A worker that ends takes with it what has moved there.
          else if (error.code === "WORKER_CRASHED" && (fault === "kill worker" || options.transfer)) tally.crashed += 1;
          else unexpected.push(`${error.code} ${fault} ${error.message}`);
        }
        tally.items += 1;
      };
      const callers = Array.from({ length: 32 }, async (_, caller) => {
        for (let id = caller; id < count; id += 32) await one(id);
      });
      await Promise.all(callers);
      const { accepted, completed, failed, aborted } = model.stats().requests;
      tally.lost = count - tally.items + Math.abs(accepted - completed - failed - aborted);
      await new Promise((resolve) => setTimeout(resolve, 200));
      const open = await handled.openBitmaps();
      await model.dispose();
      return { ...tally, deaths, open, unexpected: unexpected.slice(0, 5) };
    },
    { url: MODEL, count: items },
  );
}
