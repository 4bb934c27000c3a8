import { SANDBOX_FLAGS } from "../chromium.mjs";
import { CDN_HOST } from "./cdn.mjs";

const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
/** WebGPU in software, as in the other browser tests. */
const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

/** @typedef {import("./visit.mjs").Visit["provider"]} Provider */

/** A browser for each execution provider, which is launched when it is first needed, and again after it has crashed. */
export class Browsers {
  /** @readonly */
  #executablePath;
  /** @readonly */
  #flags;
  /**
   * @type {Map<Provider, Promise<import("@playwright/test").Browser>>}
   * @readonly
   */
  #launched = new Map();

  /**
   * @param {string} executablePath of Chromium
   * @param {number} cdnPort the port on localhost to which the address of the CDN leads
   */
  constructor(executablePath, cdnPort) {
    this.#executablePath = executablePath;
    this.#flags = [...QUIET, ...SANDBOX_FLAGS, `--host-resolver-rules=MAP ${CDN_HOST} localhost:${cdnPort}`];
  }

  /** @param {Provider} provider what the browser offers */
  get(provider) {
    const known = this.#launched.get(provider);
    const browser =
      known === undefined
        ? this.#launch(provider)
        : known.then((opened) => (opened.isConnected() ? opened : this.#launch(provider)));
    this.#launched.set(provider, browser);
    return browser;
  }

  /** @param {Provider} provider */
  async #launch(provider) {
    // A dynamic import, because it needs the installed dependencies.
    const { chromium } = await import("@playwright/test");
    const args = [...this.#flags, ...(provider === "webgpu" ? WEBGPU : [])];
    return chromium.launch({ executablePath: this.#executablePath, args });
  }

  async close() {
    await Promise.all([...this.#launched.values()].map(async (browser) => (await browser).close()));
  }
}
