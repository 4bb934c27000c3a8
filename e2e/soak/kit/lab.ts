import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "@playwright/test";
import { ISOLATION_HEADERS } from "../../../apps/bench/isolation-headers.mjs";
import { serve } from "../../../scripts/static-server.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

const QUIET = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-quic",
];
const SANDBOX = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
/** WebGPU in software, so that results are the same on every machine. */
export const SWIFTSHADER = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

export interface LabOptions {
  readonly executablePath: string | undefined;
}

export interface BrowserWish {
  readonly flags?: readonly string[];
  /** Default flags of Playwright to omit. */
  readonly without?: readonly string[];
}

export const MODEL_URLS = {
  "mlp-tiny": "/models/mlp-tiny.onnx",
  "numbered-rows": "/models/numbered-rows.onnx",
  "cnn-28": "/models/cnn-28.onnx",
} as const;

export interface SiteWish {
  /** Default: the headers that make a page cross-origin isolated. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called first for each request. Returns `true` if it handles the response. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

const FOLDERS = {
  "/sdk/": path.join(ROOT, "packages/framebatch/dist"),
  "/models/": path.join(ROOT, "models/dist"),
  "/": path.join(ROOT, "e2e/dist/site"),
};

/** The environment of the soak tests: servers of the soak page and the models, and browsers. */
export class Lab {
  readonly executablePath: string | undefined;
  /** The address of the default site, without a trailing slash. */
  readonly url: string;
  readonly #servers: (() => Promise<void>)[] = [];
  readonly #browsers = new Set<Browser>();

  private constructor(executablePath: string | undefined, { url, close }: Awaited<ReturnType<typeof serve>>) {
    this.executablePath = executablePath;
    this.url = url;
    this.#servers.push(close);
  }

  static async open({ executablePath }: LabOptions): Promise<Lab> {
    return new Lab(executablePath, await serve({ folders: FOLDERS, headers: ISOLATION_HEADERS }));
  }

  /** Serves the same files on another origin. Returns its address, without a trailing slash. */
  async serve({ headers = ISOLATION_HEADERS, intercept }: SiteWish): Promise<string> {
    const { url, close } = await serve({ folders: FOLDERS, headers, ...(intercept !== undefined && { intercept }) });
    this.#servers.push(close);
    return url;
  }

  /** Launches a new browser, because some faults affect a browser permanently. */
  async launch({ flags = [], without = [] }: BrowserWish = {}): Promise<Browser> {
    const browser = await chromium.launch({
      ...(this.executablePath !== undefined && { executablePath: this.executablePath }),
      args: [...QUIET, ...SANDBOX, ...flags],
      ignoreDefaultArgs: [...without],
    });
    this.#browsers.add(browser);
    browser.on("disconnected", () => this.#browsers.delete(browser));
    return browser;
  }

  /** Opens the soak page in a new browser. Calls `prepare` with the page before it loads. */
  async openPage(
    wish: BrowserWish = {},
    prepare?: (blank: Page) => Promise<void>,
    url: string = this.url,
  ): Promise<Page> {
    const browser = await this.launch(wish);
    const page = await browser.newPage();
    await prepare?.(page);
    await this.enter(page, url);
    return page;
  }

  async enter(page: Page, url = this.url): Promise<void> {
    await page.goto(`${url}/soak.html`);
    await page.waitForFunction(() => "soak" in window);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#browsers].map((browser) => browser.close()));
    await Promise.all(this.#servers.map((close) => close()));
  }
}
