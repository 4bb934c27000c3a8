import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/** The results of a run of the browser tests. `failed` lists titles. */
export interface SpecRun {
  readonly passed: number;
  readonly failed: readonly string[];
}

interface Suite {
  readonly suites?: readonly Suite[];
  readonly specs?: readonly { readonly title: string; readonly ok: boolean }[];
}

/** Runs the browser tests of the spec files whose names begin with `fileName`, one test after the other. */
export async function runSpecs(fileName: string, executablePath: string | undefined): Promise<SpecRun> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "framebatch-soak-"));
  const report = path.join(folder, "report.json");
  try {
    const env = { FRAMEBATCH_CHROMIUM: executablePath, PLAYWRIGHT_JSON_OUTPUT_FILE: report };
    const args = ["test", `/${fileName}`, "--project=wasm", "--workers=1", "--reporter=json", `--output=${folder}/out`];
    await ended(args, env);
    const { suites }: Suite = JSON.parse(await readFile(report, "utf8"));
    const specs = (suites ?? []).flatMap(specsOf);
    return {
      passed: specs.filter(({ ok }) => ok).length,
      failed: specs.flatMap(({ ok, title }) => (ok ? [] : [title])),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function specsOf({ suites = [], specs = [] }: Suite): NonNullable<Suite["specs"]> {
  return [...specs, ...suites.flatMap(specsOf)];
}

function ended(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const cli = path.join(ROOT, "node_modules/@playwright/test/cli.js");
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: "ignore",
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve());
  });
}
