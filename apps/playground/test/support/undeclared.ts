import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import process from "node:process";

const TSC = path.join(path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

/** Returns the names that a module uses and nothing declares, in the order of their use. */
export function undeclaredIn(code: string): string[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), "framebatch-code-"));
  try {
    writeFileSync(path.join(folder, "code.ts"), code);
    const command = [TSC, "--noEmit", "--target", "ES2023", "code.ts"];
    const { stdout } = spawnSync(process.execPath, command, { cwd: folder, encoding: "utf8" });
    return [...stdout.matchAll(/Cannot find name '([^']+)'/g)].map(([, name = ""]) => name);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
