import { expect, LONG, test } from "../support/test.js";

const REQUEST = { url: "/models/numbered-rows.onnx" };
const NOTHING_LOST = { rejected: 0, wrong: 0 };

test(
  "another way to run answers requests only if its answers agree, and none is lost if it hangs or dies",
  { tag: LONG },
  async ({ page, isolated }) => {
    await page.goto(`${isolated.url}/tried-way.html`);
    await page.waitForFunction(() => "tryWay" in window && crossOriginIsolated);

    await test.step("it is right, and a trial comes to an end", async () => {
      const report = await page.evaluate((asked) => window.tryWay({ ...asked, fault: "none" }), REQUEST);
      expect(report).toMatchObject(NOTHING_LOST);
      expect(report.runsOfOther).toBeGreaterThan(6);
      expect(report.trials.at(-1)).toMatchObject({ agrees: true, reason: expect.stringContaining("times as fast") });
    });
    await test.step("its answers are a hundredth too high", async () => {
      const report = await page.evaluate((asked) => window.tryWay({ ...asked, fault: "answers wrongly" }), REQUEST);
      expect(report).toMatchObject({ ...NOTHING_LOST, runsOfOther: 1 });
      expect(report.trials.at(-1)).toMatchObject({ agrees: false, chosen: false });
    });
    await test.step("it dies", async () => {
      const report = await page.evaluate((asked) => window.tryWay({ ...asked, fault: "dies" }), REQUEST);
      expect(report).toMatchObject(NOTHING_LOST);
      expect(report.trials.at(-1)).toMatchObject({ chosen: false, reason: "died on purpose" });
    });
    await test.step("it hangs", async () => {
      const report = await page.evaluate((asked) => window.tryWay({ ...asked, fault: "hangs" }), REQUEST);
      expect(report).toMatchObject(NOTHING_LOST);
      expect(report.answered).toBeGreaterThan(200);
    });
  },
);
