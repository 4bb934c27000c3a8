import listened from "./listen-reference.json" with { type: "json" };
import { expect, IS_COMPLETE, LONG, test } from "../support/test.js";

test("search as you type, while the index grows", async ({ page, examples }) => {
  // The page itself types and looks: a test that does may come when all is indexed.
  await page.addInitScript((query) => {
    const look = (_: unknown, observer: MutationObserver): void => {
      const count = Number(document.querySelector("#progress")?.textContent);
      const input = document.querySelector<HTMLInputElement>("#query");
      if (input !== null && count > 0 && input.value !== query) {
        input.value = query;
        input.dispatchEvent(new Event("input"));
      }
      if (document.querySelector("#found li")?.textContent.includes(query) !== true) return;
      observer.disconnect();
      Object.assign(window, { countWhenFound: count });
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true });
  }, "my cat sat on the mat");
  await page.goto(`${examples.url}/search/`);
  await page.waitForFunction(() => "countWhenFound" in window);
  const count = await page.evaluate<number>("countWhenFound");
  expect(count).toBeLessThan(2000);
  const indexed = async () => Number(await page.locator("#progress").textContent());
  if (IS_COMPLETE) await expect.poll(indexed).toBe(2000);
  else await expect.poll(indexed).toBeGreaterThan(count);
});

test("a grid of photos reads those that are in view", async ({ page, examples }) => {
  await page.goto(`${examples.url}/photos/`);
  await expect(page.locator("figure")).toHaveCount(300);
  await expect(page.locator("figcaption").first()).toHaveText(/^\d$/);
  await expect(page.locator("figcaption").last()).toHaveText("…");
  await page.locator("figure").last().scrollIntoViewIfNeeded();
  await expect(page.locator("figcaption").last()).toHaveText(/^\d$/);
});

/** The answers of scikit-learn to the first rows. */
const SCORED = ["stays 0.893", "leaves 1.000", "stays 0.998", "leaves 0.603"];

test("a table: a model of scikit-learn scores rows, while a cell is edited too", async ({ page, examples }) => {
  await page.goto(`${examples.url}/table/`);
  const answers = page.locator("tbody output");
  await expect(answers).toHaveCount(200);
  for (const [row, answer] of SCORED.entries()) await expect(answers.nth(row)).toHaveText(answer);
  const monthly = page.getByLabel("Monthly").first();
  await monthly.fill("-");
  await expect(answers.first()).toHaveText("?");
  await monthly.fill("29");
  await expect(answers.first()).toHaveText("stays 0.893");
});

test("many widgets in each frame share batches", async ({ page, examples }) => {
  await page.goto(`${examples.url}/widgets/`);
  await expect(page.locator("figcaption")).toHaveCount(64);
  await expect(page.locator("figcaption").first()).toHaveText(/^\d$/);
  const mean = async () => Number.parseInt((await page.locator("#rate").textContent()) ?? "", 10);
  await expect.poll(mean).toBeGreaterThan(1);
});

test("several models: a hub, and two side by side", async ({ page, examples }) => {
  await page.goto(`${examples.url}/several/`);
  await expect(page.locator("#text")).toHaveText("German");
  await expect(page.locator("#picture")).toHaveText(/^\d( \d){9}$/);
  await expect(page.locator("#loaded")).toHaveText(/digits: READY, scenes: READY, languages: READY/);
});

test("streams with state share runs", async ({ page, examples }) => {
  // On a slow machine, the steps of the first visit can end before the check of batches has: the next one knows its outcome.
  await expect(async () => {
    await page.goto(`${examples.url}/streams/`);
    await expect(page.locator("#steps")).toHaveText("400");
    await expect(page.locator("#streams li output")).toHaveText([/^-?\d\.\d{3}$/, /\d/, /\d/, /\d/]);
    expect(Number(await page.locator("#size").textContent())).toBeGreaterThan(1);
  }).toPass();
});

test("many texts at once share steps, and each ends", async ({ page, examples }) => {
  await page.goto(`${examples.url}/texts/`);
  await expect(page.locator("#done")).toHaveText("60");
  await expect(page.locator("#texts li[data-reason]")).toHaveCount(60);
  for (const line of await page.locator("#texts li").all()) await expect(line).toHaveText(/./);
  expect(Number(await page.locator("#size").textContent())).toBeGreaterThan(1);
});

test(
  "a page that listens: four streams through six models give the scores of the reference",
  { tag: LONG },
  async ({ page, examples }) => {
    await page.goto(`${examples.url}/listen/`);
    await expect(page.locator("#streams tr[data-ended]")).toHaveCount(4);
    for (const [name, { words, voice }] of Object.entries(listened)) {
      const row = page.locator("#streams tr", { hasText: name });
      const shown = (await row.locator("td").allTextContents()).slice(1).flatMap((cell) => cell.split(" ").map(Number));
      const expected = [...words, voice];
      expect(shown).toHaveLength(expected.length);
      for (const [index, score] of expected.entries()) expect(shown[index]).toBeCloseTo(score, 3);
    }
  },
);

test("transformers.js in a worker answers a list in fewer runs than texts", async ({ page, examples }) => {
  await page.goto(`${examples.url}/transformers/`);
  await expect(page.locator("#nearest")).toHaveText("The cat sat on a mat.");
  await expect(page.locator("#batches")).toHaveText(/^[123]$/);
});

test("a large model loads from a file and its weights", async ({ page, examples }) => {
  await page.goto(`${examples.url}/large/`);
  await expect(page.locator("#answer")).toHaveText(/^256 numbers from (wasm|webgpu)$/);
});

test("from onnxruntime-web to framebatch: the answers are the same", async ({ page, examples }) => {
  await page.goto(`${examples.url}/moving/`);
  await expect(page.locator("#after")).toHaveText(/^\d( \d){9}$/);
  expect(await page.locator("#after").textContent()).toBe(await page.locator("#before").textContent());
});
