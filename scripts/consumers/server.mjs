import { spawn } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import process from "node:process";
import { freePort } from "../free-port.mjs";
import { lastLines, Problem, run } from "../workspace.mjs";
import { programOf } from "./app.mjs";

const START_LIMIT_MS = 240_000;
const BUILD_LIMIT_MS = 5 * 60_000;
const LOOK_EVERY_MS = 100;

/**
 * Runs a command of an application to its end.
 *
 * @param {string} app
 * @param {string} command
 */
export async function runInApp(app, command) {
  const { program, args } = parsed(app, command);
  const { code, output } = await run(program, args, { cwd: app, env: QUIET, quiet: true, limitMs: BUILD_LIMIT_MS });
  if (code !== 0) throw new Problem(lastLines(output, 12));
}

/** Turns off what tools send to their vendors, and what they ask. */
const QUIET = { CI: "1", NEXT_TELEMETRY_DISABLED: "1", NUXT_TELEMETRY_DISABLED: "1", NG_CLI_ANALYTICS: "false" };

/**
 * Starts a server of an application, and waits until it accepts connections.
 *
 * @param {string} app
 * @param {string} command
 * @returns {Promise<{ port: number, stop: () => void }>}
 */
export async function startInApp(app, command) {
  const port = await freePort("localhost");
  const { program, args } = parsed(app, command.replaceAll("{port}", String(port)));
  const env = { ...process.env, ...QUIET, PORT: String(port) };
  // Its own process group, so that its descendants stop with it.
  const child = spawn(program, args, { cwd: app, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  /** @type {Buffer[]} */
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => said.push(chunk));
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  };
  process.once("exit", kill);
  const stop = () => {
    process.off("exit", kill);
    kill();
  };
  const failed = new Promise((_resolve, reject) => {
    child.on("error", reject);
    child.on("exit", () => reject(new Problem(lastLines(Buffer.concat(said).toString(), 12))));
  });
  failed.catch(() => undefined);
  try {
    await Promise.race([failed, accepts(port)]);
    return { port, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/**
 * @param {string} app
 * @param {string} command
 */
function parsed(app, command) {
  const [name = "", ...args] = command.split(" ");
  return { program: name === "node" ? process.execPath : programOf(app, name), args };
}

/** @param {number} port */
async function accepts(port) {
  const endsAtMs = performance.now() + START_LIMIT_MS;
  while (performance.now() < endsAtMs) {
    if (await canConnect(port)) return;
    await delay(LOOK_EVERY_MS);
  }
  throw new Problem(`the server did not start in ${START_LIMIT_MS / 1000} s`);
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function canConnect(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: "localhost", port });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
