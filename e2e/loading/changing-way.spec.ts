import { expect, IS_COMPLETE, test } from "../support/test.js";

test("an open model changes its way to run again and again, and every call gets its own answer, in order", async ({
  page,
  isolated,
}) => {
  await page.goto(`${isolated.url}/changing-way.html`);
  await page.waitForFunction(() => "changeWays" in window && crossOriginIsolated);
  const threads = IS_COMPLETE ? [2, 1, 2, 1] : [2, 1];
  const request = {
    url: "/models/numbered-rows.onnx",
    requests: 1000 * threads.length,
    changes: threads.length,
  };
  const report = await page.evaluate((asked) => window.changeWays(asked), request);
  expect(report).toMatchObject({ rejected: 0, wrong: 0, doubled: 0, threads, isCacheCleared: true });
  expect(report.answered).toBeGreaterThanOrEqual(request.requests);
});
