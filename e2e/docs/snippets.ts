import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

const LANGUAGES = ["ts", "html", "js", "json", "python"] as const;
type Language = (typeof LANGUAGES)[number];

/** A block of code in the documentation. */
export interface Snippet {
  /** The Markdown file, relative to the root of the repository. */
  readonly page: string;
  /** The line of the block's first line of code, from 1. */
  readonly line: number;
  readonly language: Language;
  readonly code: string;
  /** The file that contains the code word for word (`ts file=PATH`); `null` for code of the page itself. */
  readonly file: string | null;
  /** Whether the code runs in a browser (`ts run`, `html run`). */
  readonly runs: boolean;
}

const FENCE = new RegExp(`^( *)\`\`\`(${LANGUAGES.join("|")})\\b(.*)\\n([^]*?)^\\1\`\`\`$`, "gm");

/** Returns all such blocks of the README and of the pages of docs/. */
export function allSnippets(): Snippet[] {
  return ["README.md", ...docsPages()].flatMap(snippetsOf);
}

/** The Markdown files of docs/, relative to the root of the repository. */
export function docsPages(): string[] {
  const names = readdirSync(path.join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
  const pages = names.filter((name) => name.endsWith(".md") && !name.startsWith("results/"));
  return pages.sort().map((name) => `docs/${name}`);
}

function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(path.join(ROOT, page), "utf8");
  return [...text.matchAll(FENCE)].map(({ 1: indent = "", 2: language, 3: info = "", 4: code = "", index }) => ({
    page,
    line: text.slice(0, index).split("\n").length + 1,
    language: LANGUAGES.find((known) => known === language) ?? "ts",
    code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    file: /file=(\S+)/.exec(info)?.[1] ?? null,
    runs: info.trim() === "run",
  }));
}
