import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { once } from "node:events";
import { ended, firstLine } from "./process.mjs";

/** Most stop a new Firefox profile from connecting to Mozilla's servers: the network may be closed. */
const PREFERENCES = {
  "app.normandy.enabled": false,
  "app.update.disabledForTesting": true,
  "browser.safebrowsing.downloads.enabled": false,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.homepage_override.mstone": "ignore",
  "datareporting.policy.dataSubmissionEnabled": false,
  // Each tab has a process of its own, so that a crash ends one tab.
  "dom.ipc.processCount.webIsolated": 100,
  "extensions.systemAddon.update.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,#remote-settings-dummy/v1",
  "toolkit.telemetry.server": "data:,",
};

/** The last one lets the driver ask for the process of a tab. */
const FLAGS = ["--headless", "--no-remote", "--remote-debugging-port=0", "--remote-allow-system-access"];

/** Firefox, driven over WebDriver BiDi: https://w3c.github.io/webdriver-bidi/ */
export const firefox = {
  name: "Firefox",
  programs: ["firefox-esr|firefox"],
  packages: ["firefox-esr"],

  /** @param {Readonly<Record<string, string>>} paths @returns {Promise<import("../../e2e/engines/browser.js").Browser>} */
  async open(paths) {
    const profile = mkdtempSync(path.join(os.tmpdir(), "framebatch-firefox-"));
    writeFileSync(path.join(profile, "user.js"), userJs());
    const program = paths["firefox-esr|firefox"] ?? "";
    const child = spawn(program, [...FLAGS, "--profile", profile], { stdio: ["ignore", "ignore", "pipe"] });
    const close = async () => {
      await ended(child);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    };
    try {
      const address = await firstLine(child.stderr, /WebDriver BiDi listening on (ws:\S+)/);
      const session = await Session.open(`${address}/session`);
      return { version: session.version, openTab: () => session.openTab(), close };
    } catch (error) {
      await close();
      throw error;
    }
  },
};

function userJs() {
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  return lines.join("\n");
}

/**
 * @typedef {object} Result The result of a command: the fields that this file reads, of all commands.
 * @property {{ browserVersion: string }} capabilities
 * @property {readonly { context: string }[]} contexts
 * @property {string} context
 * @property {"success" | "exception"} type
 * @property {{ value: string }} result
 * @property {{ text: string }} exceptionDetails
 */

class Session {
  /** @readonly */
  #socket;
  #lastId = 0;
  /** @readonly @type {Map<number, { resolve: (result: Result) => void, reject: (error: Error) => void }>} */
  #open = new Map();
  version = "";

  /** @param {import("ws").WebSocket} socket */
  constructor(socket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#hear(JSON.parse(String(data))));
    socket.on("close", () => {
      for (const { reject } of this.#open.values()) reject(new Error("Firefox closed the connection"));
    });
  }

  /** @param {string} address */
  static async open(address) {
    // A dynamic import, because this file loads before the dependencies are installed.
    const { WebSocket } = await import("ws");
    const socket = new WebSocket(address);
    await once(socket, "open");
    const session = new Session(socket);
    const { capabilities } = await session.send("session.new", { capabilities: {} });
    session.version = capabilities.browserVersion;
    return session;
  }

  async openTab() {
    const { context } = await this.send("browsingContext.create", { type: "tab" });
    return new FirefoxTab(this, context);
  }

  /** @param {string} context @param {string} expression an expression whose promise resolves with a string */
  async ask(context, expression) {
    const reply = await this.send("script.evaluate", { expression, target: { context }, awaitPromise: true });
    if (reply.type === "exception") throw new Error(reply.exceptionDetails.text);
    return reply.result.value;
  }

  /** @param {string} method @param {object} params @returns {Promise<Result>} */
  send(method, params) {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** @param {{ id: number, type: string, result: Result, message: string, error: string }} message */
  #hear({ id, type, result, message, error }) {
    const call = this.#open.get(id);
    this.#open.delete(id);
    if (type === "success") call?.resolve(result);
    else if (type === "error") call?.reject(new Error(`${error}: ${message}`));
  }
}

/** @implements {import("../../e2e/engines/browser.js").Tab} */
class FirefoxTab {
  /** @readonly */
  #session;
  /** @readonly */
  #context;

  /** @param {Session} session @param {string} context */
  constructor(session, context) {
    this.#session = session;
    this.#context = context;
  }

  /** @param {string} url */
  async open(url) {
    await this.#session.send("browsingContext.navigate", { context: this.#context, url, wait: "complete" });
  }

  /** @param {string} expression an expression whose promise resolves with a string */
  ask(expression) {
    return this.#session.ask(this.#context, expression);
  }

  async close() {
    await this.#session.send("browsingContext.close", { context: this.#context });
  }

  async crash() {
    process.kill(await this.#processId(), "SIGKILL");
    await this.close();
  }

  /** Asks Firefox's own window, which knows the process of each tab, and learns its title a little later. */
  async #processId() {
    const title = await this.ask("(document.title = crypto.randomUUID())");
    const { contexts } = await this.#session.send("browsingContext.getTree", { "moz:scope": "chrome" });
    const id = `new Promise((resolve) => {
      const look = () => {
        const browser = gBrowser.browsers.find(({ contentTitle }) => contentTitle === ${JSON.stringify(title)});
        if (browser === undefined) setTimeout(look, 20);
        else resolve(String(browser.browsingContext.currentWindowGlobal.osPid));
      };
      look();
    })`;
    return Number(await this.#session.ask(contexts[0]?.context ?? "", id));
  }
}
