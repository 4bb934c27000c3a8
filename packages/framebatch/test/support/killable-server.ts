import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("./digits-process.mjs", import.meta.url));
const MODEL = fileURLToPath(new URL("../../../../models/digits/digits.onnx", import.meta.url));

/** A server of the digits model that is killed and started again at one address, as a crashed pod is. */
export class KillableServer {
  /** Kept for the next start; 0 before the first. */
  #port = 0;
  #process: ChildProcess | null = null;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const server = fork(SCRIPT, [String(this.#port), MODEL]);
    this.#process = server;
    const exit = once(server, "exit").then(([code]) => Promise.reject(new Error(`the server ended: ${String(code)}`)));
    const [port]: unknown[] = await Promise.race([once(server, "message"), exit]);
    this.#port = Number(port);
  }

  /** Ends the process in the middle of whatever it does. */
  async kill(): Promise<void> {
    const server = this.#process;
    if (server === null) return;
    this.#process = null;
    const isOver = once(server, "exit");
    server.kill("SIGKILL");
    await isOver;
  }
}
