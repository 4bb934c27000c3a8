import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../../", import.meta.url);
const SCRIPT = fileURLToPath(new URL("packages/framebatch/test/support/digits-process.mjs", ROOT));
const MODEL = fileURLToPath(new URL("models/digits/digits.onnx", ROOT));

/** A server of the digits model in a process of its own, which can be killed and started again at the same address. */
export class KillableServer {
  /** Kept for the next start; 0 before the first. */
  #port = 0;
  #process: ChildProcess | null = null;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#process = fork(SCRIPT, [String(this.#port), MODEL]);
    const [port]: unknown[] = await once(this.#process, "message");
    this.#port = Number(port);
  }

  /** Ends the process in the middle of whatever it does. */
  async kill(): Promise<void> {
    const server = this.#process;
    this.#process = null;
    if (server === null) return;
    const isOver = once(server, "exit");
    server.kill("SIGKILL");
    await isOver;
  }
}
