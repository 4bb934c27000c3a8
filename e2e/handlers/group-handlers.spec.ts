import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";

test.beforeEach(async ({ page, home }) => {
  await page.goto(`${home.url}/handlers.html`);
  await page.waitForFunction(() => "handled" in window);
});

test(
  "each model of a group has its handlers by name, and an item that hangs fails alone",
  { tag: LONG },
  async ({ page }) => {
    const result = await page.evaluate(
      async ({ tiny: tinyUrl, large: largeUrl }) => {
        const { group, tiny, large, workers } = await window.handled.openGroup(tinyUrl, largeUrl);
        const before = [await tiny.predict(1), await large.predict(1)] as const;
        const atFirst = workers();
        const end = new AbortController();
        const answers: number[] = [];
        const asking = (async () => {
          while (!end.signal.aborted) answers.push(await large.predict(answers.length));
        })();
        const failed: string = await tiny.predict(13).then(
          () => "answered",
          (error) => error.code,
        );
        end.abort();
        await asking;
        const after = [await tiny.predict(1), await large.predict(1)] as const;
        await group.dispose();
        return {
          before,
          after,
          atFirst,
          inAll: workers(),
          failed,
          wrong: answers.filter((it) => it !== before[1]).length,
        };
      },
      { tiny: MODEL_PATHS["mlp-tiny"], large: MODEL_PATHS["mlp-784"] },
    );
    expect(result).toMatchObject({ failed: "WORKER_HUNG", wrong: 0, atFirst: 1, inAll: 3 });
    expect(result.after).toEqual(result.before);
    expect(result.before[0].every(Number.isFinite)).toBe(true);
  },
);
