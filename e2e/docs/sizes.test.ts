import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { SIZE_LIMITS } from "../../packages/framebatch/build/sizes.mjs";
import { ROOT } from "./snippets.js";

test.each(["README.md", "docs/is-it-for-me.md"])("the sizes in %s are the limits of the build", (page) => {
  const text = readFileSync(path.join(ROOT, page), "utf8").replaceAll(/\s+/g, " ");
  const [, atOnce, inAll] = /A page loads (.+?) kB .*?at once.*? (\d+) kB with the first model/.exec(text) ?? [];
  expect([atOnce, inAll]).toEqual([(SIZE_LIMITS.atOnce / 1000).toFixed(1), (SIZE_LIMITS.inAll / 1000).toFixed(0)]);
});
