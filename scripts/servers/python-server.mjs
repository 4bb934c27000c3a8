// Starts servers from PyPI, each in a virtual environment of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import process from "node:process";
import { freePort } from "../free-port.mjs";
import { binOf } from "../python-environment.mjs";
import { lastLines, Problem, root } from "../workspace.mjs";

const FOLDER = path.join(root, "scripts", "servers");
const MODEL = path.join(root, "models", "digits", "digits.onnx");
const START_LIMIT_MS = 60_000;

/** @typedef {{ url: string, kill: () => Promise<void> }} StartedServer */
/** @typedef {{ name: string, command: (bin: string, port: number) => string[], env: (port: number) => Record<string, string> }} Server */

/** @type {readonly Server[]} */
export const SERVERS = [
  {
    name: "kserve",
    command: (bin, port) => [
      path.join(bin, "python"),
      path.join(FOLDER, "kserve", "server.py"),
      `--http_port=${port}`,
      "--model_name=digits",
      `--model_file=${MODEL}`,
    ],
    env: () => ({}),
  },
  {
    name: "mlserver",
    command: (bin) => [path.join(bin, "mlserver"), "start", path.join(FOLDER, "mlserver")],
    env: (port) => ({
      MLSERVER_HTTP_PORT: String(port),
      MLSERVER_GRPC_PORT: String(port + 1),
      MLSERVER_METRICS_PORT: String(port + 2),
      MLSERVER_PARALLEL_WORKERS: "0",
      MLSERVER_HOST: "127.0.0.1",
      MLSERVER_MODEL_URI: MODEL,
    }),
  },
];

/** Returns the file with the versions that a server is installed in. @param {string} name */
export function requirementsFileOf(name) {
  return path.join(FOLDER, name, "requirements.txt");
}

/**
 * Starts a server with the digits model on a free port, and waits until the model is ready.
 *
 * @param {Server} server
 * @returns {Promise<StartedServer>}
 */
export async function startServer({ name, command, env }) {
  const port = await freePort();
  const [program = "", ...args] = command(binOf(name), port);
  const child = spawn(program, args, {
    env: { ...process.env, ...env(port) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  /** @type {Buffer[]} */
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const ended = once(child, "close");
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const kill = async () => {
    // Its own process group, so that its descendants end too.
    if (!hasEnded() && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  if (await isReady(`${url}/v2/models/digits/ready`, hasEnded)) return { url, kill };
  await kill();
  throw new Problem(
    `${name} did not start. The end of its output:\n${lastLines(Buffer.concat(output).toString(), 20)}`,
  );
}

/** @param {string} url @param {() => boolean} hasEnded */
async function isReady(url, hasEnded) {
  for (const startMs = performance.now(); performance.now() - startMs < START_LIMIT_MS && !hasEnded();) {
    const response = await fetch(url).catch(() => null);
    if (response?.ok === true) return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
}
