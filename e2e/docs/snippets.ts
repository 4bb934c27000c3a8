import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** A block of TypeScript or HTML in the documentation. */
export interface Snippet {
  /** The Markdown file, relative to the root of the repository. */
  readonly page: string;
  /** The line of the block's first line of code, from 1. */
  readonly line: number;
  readonly language: "ts" | "html";
  readonly code: string;
  /** The file that contains the code word for word (`ts file=PATH`); `null` for code of the page itself. */
  readonly file: string | null;
  /** Whether the code runs in a browser (`ts run`, `html run`). */
  readonly runs: boolean;
}

const FENCE = /^( *)```(ts|html)\b(.*)\n([^]*?)^\1```$/gm;

/** Returns all such blocks of the README and of the pages of docs/. */
export function allSnippets(): Snippet[] {
  const guides = readdirSync(path.join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
  return ["README.md", ...guides.sort().map((name) => `docs/${name}`)].flatMap(snippetsOf);
}

function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(path.join(ROOT, page), "utf8");
  return [...text.matchAll(FENCE)].map(({ 1: indent = "", 2: language, 3: info = "", 4: code = "", index }) => ({
    page,
    line: text.slice(0, index).split("\n").length + 1,
    language: language === "html" ? language : "ts",
    code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    file: /file=(\S+)/.exec(info)?.[1] ?? null,
    runs: info.trim() === "run",
  }));
}
