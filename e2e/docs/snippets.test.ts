import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { publicHovers, type Hover } from "@framebatch/reference/hovers";
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
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
  },
  files: ["../../docs/surroundings.d.ts"],
  include: ["*.ts"],
};

/** A file for the compiler. */
interface Module {
  readonly name: string;
  readonly code: string;
}

const snippets = allSnippets().filter(({ language }) => language === "ts");

test("every snippet of the guides, and every example of a docstring, compiles", () => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const own = snippets.filter(({ file }) => file === null).map(moduleOfSnippet);
  expect(own.length).toBeGreaterThan(25);
  const examples = publicHovers().flatMap(modulesOfHover);
  expect(examples.length).toBeGreaterThan(75);
  for (const { name, code } of [...own, ...examples]) writeFileSync(path.join(FOLDER, name), `${code}\nexport {};\n`);
  writeFileSync(path.join(FOLDER, "tsconfig.json"), JSON.stringify(CONFIG));
  const { stdout, status } = spawnSync(process.execPath, [TSC, "--project", FOLDER], { encoding: "utf8" });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

test("the README's first program takes nothing from its surroundings", () => {
  const first = snippets.find(({ page }) => page === "README.md")!;
  mkdirSync(path.join(FOLDER, "alone"), { recursive: true });
  writeFileSync(path.join(FOLDER, "alone/main.ts"), first.code);
  writeFileSync(
    path.join(FOLDER, "alone/tsconfig.json"),
    JSON.stringify({ ...CONFIG, files: ["main.ts"], include: [] }),
  );
  const args = [TSC, "--project", path.join(FOLDER, "alone")];
  expect(spawnSync(process.execPath, args, { encoding: "utf8" }).stdout).toBe("");
});

test("every excerpt is a part of the file that it names, and a guide shows its whole program", () => {
  const excerpts = allSnippets().filter(({ file }) => file !== null);
  expect(excerpts.length).toBeGreaterThan(12);
  for (const { page, line, file, code } of excerpts) {
    const source = readFileSync(path.join(ROOT, file ?? ""), "utf8");
    const isShown = page.startsWith("docs/guides/") ? source === code : source.includes(code);
    expect.soft(isShown, `${page}:${line} is not ${file}, or not a part of it`).toBe(true);
  }
});

/** A file whose name and lines are those of the page, so that a message of the compiler names the place. */
function moduleOfSnippet({ page, line, code }: Snippet): Module {
  return { name: `${page.replaceAll("/", ".")}-line-${line}.ts`, code: `${"\n".repeat(line - 1)}${code}` };
}

function modulesOfHover({ path: place, examples }: Hover): Module[] {
  return examples.map((code) => ({ name: `${place.replaceAll("/", ".")}-${digestOf(code)}.ts`, code }));
}

/** Tells the examples of overloads apart. */
function digestOf(code: string): string {
  return createHash("sha256").update(code).digest("hex").slice(0, 4);
}
