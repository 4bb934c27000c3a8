import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { allSnippets, ROOT, type Snippet } from "./snippets.js";

const FOLDER = path.join(ROOT, "e2e/dist/snippets");
const TSC = path.join(ROOT, "node_modules/typescript/bin/tsc");

/** The options of a new application. The names that the snippets take from their surroundings are globals. */
const CONFIG = {
  compilerOptions: {
    target: "ES2023",
    module: "ESNext",
    moduleResolution: "Bundler",
    lib: ["ES2023", "ESNext.Disposable", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  },
  files: ["../../docs/surroundings.d.ts"],
  include: ["*.ts"],
};

const snippets = allSnippets();

test("every snippet of the documentation compiles", () => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const own = snippets.filter(({ file }) => file === null);
  expect(own.length).toBeGreaterThan(25);
  for (const snippet of own) writeFileSync(path.join(FOLDER, fileNameOf(snippet)), moduleOf(snippet));
  writeFileSync(path.join(FOLDER, "tsconfig.json"), JSON.stringify(CONFIG));
  const { stdout, status } = spawnSync(process.execPath, [TSC, "--project", FOLDER], { encoding: "utf8" });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

test("every excerpt is a part of the file that it names", () => {
  const excerpts = snippets.filter(({ file }) => file !== null);
  expect(excerpts.length).toBeGreaterThan(5);
  for (const { page, line, file, code } of excerpts) {
    const source = readFileSync(path.join(ROOT, file ?? ""), "utf8");
    expect.soft(source.includes(code), `${page}:${line} is not a part of ${file}`).toBe(true);
  }
});

/** The page and the line, so that a message of the compiler names the place. */
function fileNameOf({ page, line }: Snippet): string {
  return `${page.replaceAll("/", ".")}-line-${line}.ts`;
}

/** Puts the code on the lines that it has in its page. */
function moduleOf({ code, line }: Snippet): string {
  return `${"\n".repeat(line - 1)}${code}\nexport {};\n`;
}
