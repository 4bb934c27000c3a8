import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const WORKSPACE = JSON.stringify(new URL("workspace.mjs", import.meta.url).href);

/** A command that starts two programs, and says their process ids. One of them has a time limit, and so a process group. */
const COMMAND = `
  import { main, run } from ${WORKSPACE};
  const wait = ["-e", "console.log(process.pid); setTimeout(() => undefined, 600_000)"];
  await main(() => Promise.all([run(process.execPath, wait), run(process.execPath, wait, { limitMs: 600_000 })]));
`;

/** @type {readonly (readonly [NodeJS.Signals, number])[]} */
const ENDS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
];

it.runIf(process.platform !== "win32").each(ENDS)(
  "a command that gets %s ends, with the programs that it has started",
  async (signal, code) => {
    const command = spawn(process.execPath, ["--input-type=module", "-e", COMMAND], {
      cwd: fileURLToPath(new URL(".", import.meta.url)),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const pids = [];
    for await (const line of command.stdout.setEncoding("utf8")) {
      pids.push(...line.trim().split("\n").map(Number));
      if (pids.length === 2) break;
    }
    command.kill(signal);
    expect(await once(command, "exit")).toEqual([code, null]);
    await expect.poll(() => pids.filter(isAlive), { timeout: 30_000 }).toEqual([]);
  },
);

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
