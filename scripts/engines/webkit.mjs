import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../free-port.mjs";
import { ended, firstLine } from "./process.mjs";

const ANSWER_LIMIT_MS = 90_000;
const START_LIMIT_MS = 30_000;
const POLL_MS = 20;
/** Failures of the driver, one after the other, until a question counts as failed. */
const FAILURES = 5;

/** WebKitGTK's MiniBrowser, driven over WebDriver: https://w3c.github.io/webdriver/ */
export const webkit = {
  name: "WebKit",
  programs: ["WebKitWebDriver", "Xvfb"],
  packages: ["webkit2gtk-driver", "xvfb"],

  /** @param {Record<string, string>} paths @returns {Promise<import("../../e2e/engines/browser.js").Browser>} */
  async open(paths) {
    const browser = miniBrowser();
    if (browser === undefined) throw new Error("MiniBrowser was not found in the folder of WebKitGTK");
    const children = [];
    const close = async () => {
      for (const child of children.toReversed()) await ended(child);
    };
    try {
      const screen = spawn(
        paths["Xvfb"] ?? "",
        ["-displayfd", "1", "-nolisten", "tcp", "-screen", "0", "1100x900x24"],
        {
          stdio: ["ignore", "pipe", "ignore"],
        },
      );
      children.push(screen);
      const display = await firstLine(screen.stdout, /^(\d+)$/);
      const port = await freePort();
      const env = { ...process.env, DISPLAY: `:${display}`, WEBKIT_DISABLE_COMPOSITING_MODE: "1", NO_AT_BRIDGE: "1" };
      children.push(spawn(paths["WebKitWebDriver"] ?? "", [`--port=${port}`], { stdio: "ignore", env }));
      const session = await Session.open(`http://127.0.0.1:${port}`, browser);
      return {
        version: session.version,
        openTab: () => session.openTab(),
        async close() {
          await session.close();
          await close();
        },
      };
    } catch (error) {
      await close();
      throw error;
    }
  },
};

/** Finds MiniBrowser, which Debian installs outside PATH. */
function miniBrowser() {
  const folders = existsSync("/usr/lib") ? readdirSync("/usr/lib").map((folder) => path.join("/usr/lib", folder)) : [];
  return folders
    .flatMap((folder) => ["4.1", "4.0"].map((version) => path.join(folder, `webkit2gtk-${version}`, "MiniBrowser")))
    .find((file) => existsSync(file));
}

class Session {
  /** @readonly */
  #address;
  /** The tab that the browser begins with. It stays open. @readonly */
  #first;
  version;
  /** The last command. @type {Promise<unknown>} */
  #last = Promise.resolve();

  /** @param {string} address @param {string} first @param {string} version */
  constructor(address, first, version) {
    this.#address = address;
    this.#first = first;
    this.version = version;
  }

  /** @param {string} driver @param {string} binary */
  static async open(driver, binary) {
    await answering(driver);
    const browserOptions = { binary, args: ["--automation"] };
    const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": browserOptions } };
    const { sessionId, capabilities: given } = await send(`${driver}/session`, { capabilities });
    const address = `${driver}/session/${sessionId}`;
    return new Session(address, await send(`${address}/window`, undefined, "GET"), given.browserVersion);
  }

  /** Opens a window: a tab beside another one is hidden, and its timers fire late. */
  async openTab() {
    const { handle } = await this.send(this.#first, "POST", "window/new", { type: "window" });
    return new WebKitTab(this, handle);
  }

  /**
   * Sends a command to a tab. Commands run one at a time, because each goes to the tab that was selected last.
   *
   * @param {string} handle
   * @param {"POST" | "DELETE"} method
   * @param {string} command
   * @param {object} [body]
   */
  send(handle, method, command, body) {
    const sent = this.#last.then(async () => {
      await send(`${this.#address}/window`, { handle });
      return send(`${this.#address}/${command}`, body, method);
    });
    this.#last = sent.catch(() => undefined);
    return sent;
  }

  async close() {
    await fetch(this.#address, { method: "DELETE" }).catch(() => undefined);
  }
}

/** @implements {import("../../e2e/engines/browser.js").Tab} */
class WebKitTab {
  /** @readonly */
  #session;
  /** @readonly */
  #handle;
  #asked = 0;
  crash = null;

  /** @param {Session} session @param {string} handle */
  constructor(session, handle) {
    this.#session = session;
    this.#handle = handle;
  }

  /** @param {string} url */
  open(url) {
    return this.#session.send(this.#handle, "POST", "url", { url });
  }

  /**
   * Polls for the answer: WebKitWebDriver now and then loses the result of a script ("Could not parse script result").
   * The script starts the work only once, so it is safe to run it again.
   *
   * @param {string} expression an expression whose promise resolves with a string
   */
  async ask(expression) {
    const script = startsOnce(`answer${(this.#asked += 1)}`, expression);
    const until = performance.now() + ANSWER_LIMIT_MS;
    let failures = 0;
    while (performance.now() < until) {
      try {
        const answer = await this.#session.send(this.#handle, "POST", "execute/sync", { script, args: [] });
        if (typeof answer === "string") return answer;
        failures = 0;
      } catch (error) {
        if ((failures += 1) === FAILURES) throw error;
      }
      await sleep(POLL_MS);
    }
    throw new Error(`no answer within ${ANSWER_LIMIT_MS / 1000} s`);
  }

  async close() {
    await this.#session.send(this.#handle, "DELETE", "window");
  }
}

/**
 * A script that returns the answer of an expression, or null until it is known.
 *
 * @param {string} key
 * @param {string} expression
 */
function startsOnce(key, expression) {
  return `const answers = (globalThis.answers ??= {});
    if (!("${key}" in answers)) {
      answers.${key} = null;
      const done = (answer) => (answers.${key} = answer);
      Promise.resolve(${expression}).then(done, (error) => done("failed: " + error));
    }
    return answers.${key};`;
}

/** @param {string} driver */
async function answering(driver) {
  const until = performance.now() + START_LIMIT_MS;
  while (performance.now() < until) {
    const response = await fetch(`${driver}/status`).catch(() => undefined);
    if (response?.ok) return;
    await sleep(100);
  }
  throw new Error(`WebKitWebDriver did not respond within ${START_LIMIT_MS / 1000} s`);
}

/** @param {string} url @param {object} [body] @param {"GET" | "POST" | "DELETE"} [method] */
async function send(url, body, method = "POST") {
  const response = await fetch(url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}
