import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";
import type { CallFrame } from "./trace.js";

/** Where the built page and the built package are. */
export interface Folders {
  /** The page's scripts, with their source maps. */
  readonly assets: string;
  /** The package's `dist`, with its source maps. */
  readonly dist: string;
}

/** The worker's script in the package. A bundler copies it under a name with a hash, without its map. */
const WORKER = "framebatch.worker";

/** The account of what a thread does outside of scripts: messages, timers, tasks. */
export const BROWSER = "browser: messages and tasks";
const GARBAGE = "garbage collection";
const RUNTIME = "ONNX Runtime";

/** Tells to which account the time in a function belongs: a room of framebatch, a library, the lane and its caller. */
export class Accounts {
  readonly #folders: Folders;
  readonly #maps = new Map<string, SourceMap | null>();

  constructor(folders: Folders) {
    this.#folders = folders;
  }

  /** Returns `null` for time outside of scripts: a sample does not tell whether the thread then works or waits. */
  of(frame: CallFrame): string | null {
    if (frame.functionName === "(garbage collector)") return GARBAGE;
    if (frame.url === undefined || frame.url === "") return null;
    if (frame.url.startsWith("wasm:") || frame.url.includes("ort")) return RUNTIME;
    return roomOf(this.#sourceOf(frame) ?? path.basename(frame.url));
  }

  /** Follows a place in a page's script to the file that it was written in. */
  #sourceOf({ url = "", lineNumber = 0, columnNumber = 0 }: CallFrame): string | undefined {
    const name = path.basename(new URL(url).pathname);
    if (name.startsWith(WORKER))
      return this.#lookUp(path.join(this.#folders.dist, `${WORKER}.js.map`), lineNumber, columnNumber)?.originalSource;
    const built = this.#lookUp(path.join(this.#folders.assets, `${name}.map`), lineNumber, columnNumber);
    if (built === undefined) return undefined;
    const file = path.basename(built.originalSource);
    const map = path.join(this.#folders.dist, `${file}.map`);
    if (!built.originalSource.includes("framebatch/dist/")) return built.originalSource;
    return this.#lookUp(map, built.originalLine, built.originalColumn)?.originalSource ?? built.originalSource;
  }

  #lookUp(file: string, line: number, column: number): Origin | undefined {
    const known = this.#maps.get(file);
    const map = known === undefined ? readMap(file) : known;
    this.#maps.set(file, map);
    const entry = map?.findEntry(line, column);
    return entry !== undefined && "originalSource" in entry ? entry : undefined;
  }
}

interface Origin {
  readonly originalSource: string;
  readonly originalLine: number;
  readonly originalColumn: number;
}

function readMap(file: string): SourceMap | null {
  return existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, "utf8"))) : null;
}

/** Returns the account of a source file: its room, if it is one of framebatch. */
function roomOf(source: string): string {
  const [, library] = /.*node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(source) ?? [];
  if (library !== undefined) return library.includes("onnxruntime") ? RUNTIME : library;
  // The maps of the package name its own sources from `dist`, and those of other packages from the repository.
  if (source.startsWith("../../src/")) return "lane and caller";
  const room = /(?:([^/.]+)\/)?src\/(?:(.*)\/)?[^/]+$/.exec(source);
  return room === null ? source : path.posix.join(room[1] ?? "framebatch", room[2] ?? "");
}
