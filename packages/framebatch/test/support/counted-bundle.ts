import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type Profiler, Session } from "node:inspector/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/** What a piece of work runs, by V8's precise coverage. */
export interface CallCounts {
  /** Number of functions that ran at least once. */
  readonly functions: number;
  /** Number of their calls. */
  readonly calls: number;
  /** Number of source files that they are in. */
  readonly modules: number;
}

/** Sources that were bundled and imported as an application has them, so that nothing of a test runner counts. */
export class CountedBundle<Exports> {
  readonly exports: Exports;
  readonly #url: string;
  /** The source files in the order of the bundle, each with the offset at which it begins. */
  readonly #files: readonly number[];

  private constructor(url: string, text: string, exports: Exports) {
    this.#url = url;
    this.#files = [...text.matchAll(/^\/\/ \S+\.(?:ts|mjs|js)$/gm)].map(({ index }) => index);
    this.exports = exports;
  }

  /**
   * Bundles a module.
   * @param contents its source; addresses are relative to `packages/framebatch`
   */
  static async of<Exports>(contents: string): Promise<CountedBundle<Exports>> {
    const folder = await mkdtemp(path.join(os.tmpdir(), "framebatch-counted-"));
    try {
      // The test runner rewrites what it imports, but for what is below a folder of this name.
      const outfile = path.join(folder, "node_modules", "bundle.mjs");
      await build({
        stdin: { contents, resolveDir: path.join(import.meta.dirname, "..", ".."), loader: "ts" },
        bundle: true,
        format: "esm",
        target: "es2022",
        define: { FRAMEBATCH_VERSION: '"0.0.0-test"' },
        outfile,
      });
      const url = pathToFileURL(outfile).href;
      const exports: Exports = await import(/* @vite-ignore */ url);
      return new CountedBundle(url, await readFile(outfile, "utf8"), exports);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  /** Counts what `work` runs of this bundle. */
  async callsOf(work: () => Promise<unknown>): Promise<CallCounts> {
    const session = new Session();
    session.connect();
    try {
      await session.post("Profiler.enable");
      await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
      // What ran before does not count.
      await session.post("Profiler.takePreciseCoverage");
      await work();
      const { result } = await session.post("Profiler.takePreciseCoverage");
      return this.#countsIn(result.find(({ url }) => url === this.#url)?.functions ?? []);
    } finally {
      session.disconnect();
    }
  }

  #countsIn(functions: readonly Profiler.FunctionCoverage[]): CallCounts {
    const ran = functions.flatMap(({ ranges: [whole] }) => (whole === undefined || whole.count === 0 ? [] : [whole]));
    const fileOf = (offset: number) => this.#files.findLastIndex((start) => start <= offset);
    return {
      functions: ran.length,
      calls: ran.reduce((sum, { count }) => sum + count, 0),
      modules: new Set(ran.map(({ startOffset }) => fileOf(startOffset))).size,
    };
  }
}
