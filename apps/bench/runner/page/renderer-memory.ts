import { readFile } from "node:fs/promises";
import type { CDPSession, Page } from "@playwright/test";

/** Memory that belongs to a process, without the files that it shares with others. */
const OWN = /^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm;

/** The trace category whose first event names the process of each frame. No other call of the protocol does. */
const FRAMES = "disabled-by-default-devtools.timeline";

/**
 * Reads the memory of the page's process, in bytes: the page, its workers, their code and WebAssembly memory, and what
 * is garbage at the time. Returns `NaN` where the system does not tell (only Linux does).
 */
export class RendererMemory {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /**
   * A browser has several renderers, some of them in reserve, and none of their sizes says whose it is.
   * @param page a page that is where it is measured: another address may have another process
   */
  static async open(page: Page): Promise<RendererMemory> {
    const session = await page.context().newCDPSession(page);
    const processId = await processOf(session);
    await session.detach();
    return new RendererMemory(`/proc/${processId}/status`);
  }

  async bytes(): Promise<number> {
    const status = await readFile(this.#file, "utf8").catch(() => "");
    const parts = [...status.matchAll(OWN)].map(([, kilobytes]) => Number(kilobytes) * 1024);
    return parts.length === 0 ? Number.NaN : parts.reduce((sum, bytes) => sum + bytes);
  }
}

/** Returns the process of the main frame. */
async function processOf(session: CDPSession): Promise<number> {
  const { frameTree } = await session.send("Page.getFrameTree");
  const frames = (await traceOf(session)).flatMap(framesIn);
  const own = frames.find(({ frame }) => frame === frameTree.frame.id);
  if (own === undefined) throw new Error("Expected a trace with the process of the page.");
  return own.processId;
}

/** Records a trace of no time. */
async function traceOf(session: CDPSession): Promise<object[]> {
  const events: object[] = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const complete = new Promise<unknown>((resolve) => session.once("Tracing.tracingComplete", resolve));
  const traceConfig = { includedCategories: [FRAMES], excludedCategories: ["*"] };
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig });
  await session.send("Tracing.end");
  await complete;
  return events;
}

interface TracedFrame {
  readonly frame: string;
  readonly processId: number;
}

function framesIn(event: object): readonly TracedFrame[] {
  if (!("name" in event && "args" in event) || event.name !== "TracingStartedInBrowser") return [];
  const { data }: { readonly data?: { readonly frames?: readonly TracedFrame[] } } = Object(event.args);
  return data?.frames ?? [];
}
