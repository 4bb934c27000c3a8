import { createRequire } from "node:module";
import { openPlayground } from "./support/playground.js";
import { expect, test } from "./support/test.js";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

declare const axe: {
  run(): Promise<{
    violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
  }>;
};

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing wrong with the playground in ${colorScheme} colours`, async ({ page, playground }) => {
    await page.emulateMedia({ colorScheme });
    await openPlayground(page, playground.url);
    await page.addScriptTag({ path: AXE });
    const violations = await page.evaluate(async () => {
      const { violations: found } = await axe.run();
      return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    });
    expect(violations).toEqual([]);
  });
}

test("the playground fits a phone", async ({ page, playground }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await openPlayground(page, playground.url);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBeLessThanOrEqual(0);
});
