import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/**
 * Functions of the web that the oldest browsers of docs/browsers.md lack (Chrome 110, Firefox 115, Safari 16.4), and
 * the browser that has got them last, by MDN's compatibility data. Of JavaScript itself the compiler knows: they are
 * the first with all of ES2023, and no tsconfig.json has a later `lib` that a browser must have.
 */
const YOUNGER = {
  "AbortSignal.any": "Firefox 124",
  "URL.canParse": "Chrome 120",
  "URL.parse": "Chrome 126",
  "Response.json": "Safari 17",
  "Promise.try": "Firefox 134",
  "scheduler.yield": "Firefox 142",
  ".checkVisibility(": "Safari 17.4",
  ".moveBefore(": "Chrome 133",
} as const;

const PACKAGES = new URL("../..", import.meta.url);

function filesOf(name: string): string[] {
  const files = readdirSync(new URL(`${name}/src`, PACKAGES), { recursive: true, encoding: "utf8" });
  return files.map((file) => `${name}/src/${file}`);
}

/** The files with code that runs in a browser. */
const SOURCES = ["host", "batcher", "rows", "pipelines", "remote", "framebatch"]
  .flatMap(filesOf)
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.includes("/cli/"));

/** Returns the code of a file without comments and texts. */
function codeOf(path: string): string {
  const text = readFileSync(new URL(path, PACKAGES), "utf8");
  return text.replaceAll(/\/\*[^]*?\*\/|(?<!:)\/\/.*|"[^"\n]*"/g, "");
}

it("calls no function that the oldest browsers of docs/browsers.md lack", () => {
  expect(SOURCES.length).toBeGreaterThan(300);
  const found = SOURCES.flatMap((path) => {
    const code = codeOf(path);
    return Object.entries(YOUNGER).flatMap(([name, since]) =>
      code.includes(name) ? [`${path}: ${name}, ${since}`] : [],
    );
  });
  expect(found).toEqual([]);
});

it("is compiled with the JavaScript of these browsers", () => {
  const configs = ["host", "batcher", "rows", "pipelines", "remote", "framebatch"]
    .flatMap(filesOf)
    .filter((path) => path.endsWith("tsconfig.json"));
  const libs = configs.flatMap((path) => [
    ...readFileSync(new URL(path, PACKAGES), "utf8").matchAll(/"(ES\w+[^"]*)"/g),
  ]);
  // Shared memory is used where the browser has it, and a symbol stands in for the one of `await using`.
  expect(new Set(libs.map(([, lib]) => lib))).toEqual(new Set(["ES2023", "ES2024.SharedMemory", "ESNext.Disposable"]));
});
