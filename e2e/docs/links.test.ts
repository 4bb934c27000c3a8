import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { docsPages, ROOT } from "./snippets.js";

const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "apps/bench/README.md",
  "apps/examples/README.md",
  "apps/site/README.md",
  "e2e/README.md",
  "packages/framebatch/build/README.md",
  ...docsPages(),
];

test.each(PAGES)("every link of %s leads to a file, and to a heading if it names one", (page) => {
  const text = withoutCode(readFileSync(path.join(ROOT, page), "utf8"));
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  const broken = targets.filter((target) => !/^https?:/.test(target) && !leadsSomewhere(page, target));
  expect(broken).toEqual([]);
});

function leadsSomewhere(page: string, target: string): boolean {
  const [file = "", heading] = target.split("#");
  const found = file === "" ? path.join(ROOT, page) : path.resolve(ROOT, path.dirname(page), file);
  if (!existsSync(found)) return false;
  return heading === undefined || anchorsOf(readFileSync(found, "utf8")).includes(heading);
}

/** The anchors that GitHub gives to headings: lower case, without punctuation, with hyphens for spaces. */
function anchorsOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^( *)```[^]*?^\1```$/gm, "");
}
