import { readFile } from "node:fs/promises";
import type { Browser } from "@playwright/test";

/** Memory that belongs to a process, without the files that it shares with others. */
const OWN = /^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm;

/**
 * Reads the memory of the page's process, in bytes: the page, its workers, their code and WebAssembly memory, and what
 * is garbage at the time. Returns `NaN` where the system does not tell (only Linux does).
 */
export class RendererMemory {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /** @param browser with one page. If the browser keeps an empty process in reserve, the largest one is the page's. */
  static async open(browser: Browser): Promise<RendererMemory> {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    const files = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => `/proc/${id}/status`);
    const sizes = await Promise.all(files.map(async (file) => [file, await bytesOf(file)] as const));
    const [largest = ["", 0] as const] = sizes.toSorted(([, a], [, b]) => b - a);
    return new RendererMemory(largest[0]);
  }

  bytes(): Promise<number> {
    return bytesOf(this.#file);
  }
}

async function bytesOf(file: string): Promise<number> {
  const status = await readFile(file, "utf8").catch(() => "");
  const parts = [...status.matchAll(OWN)].map(([, kilobytes]) => Number(kilobytes) * 1024);
  return parts.length === 0 ? Number.NaN : parts.reduce((sum, bytes) => sum + bytes);
}
