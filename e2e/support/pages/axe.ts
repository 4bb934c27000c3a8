import { createRequire } from "node:module";
import type { Page } from "@playwright/test";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

declare const axe: {
  run(options: object): Promise<{
    violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
  }>;
};

/** The rules whose outcome depends on the color scheme. */
const OF_COLORS = ["color-contrast", "link-in-text-block"];

/** Returns every violation that axe finds in the current page: the rule, and the elements that violate it. */
export function axeViolations(page: Page): Promise<string[]> {
  return violationsOf(page, {});
}

/** Returns the violations of colors alone: enough for a page that `axeViolations` has seen in another color scheme. */
export function colorViolations(page: Page): Promise<string[]> {
  return violationsOf(page, { runOnly: OF_COLORS });
}

async function violationsOf(page: Page, options: object): Promise<string[]> {
  const isThere = await page.evaluate(() => "axe" in window);
  if (!isThere) await page.addScriptTag({ path: AXE });
  return page.evaluate(async (asked) => {
    // Of what passes, it needs no list of elements.
    const { violations } = await axe.run({ resultTypes: ["violations"], ...asked });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  }, options);
}
