import { createServer, type Server, type ServerResponse } from "node:http";
import { expect, vi } from "vitest";
import { until } from "@framebatch/host/test/settling.js";
import { pieceDigestOf } from "../../src/store/digest.js";
import { manifestKey } from "../../src/store/model-database.js";
import type { Manifest } from "../../src/store/model-cache.js";
import type { LoadRequest } from "../../src/transport/protocol.js";
import { type Stores, stubIdb } from "./fake-idb.js";
import { close, listen } from "./local-server.js";
import { LOAD_REQUEST } from "./scripted-plan.js";
import { WebLocks } from "./web-locks.js";

/** A request that the server has got. */
export interface Asked {
  readonly path: string;
  readonly response: ServerResponse;
}

/** A server of files that answers when a test tells it to, and the browser of its origin: locks, and a cache. */
export class FileServer {
  readonly asked: Asked[] = [];
  /** Whatever is not here is answered with 404. */
  readonly bodies: Record<string, Buffer>;
  readonly #stores: Stores;
  readonly #locks = new WebLocks();
  readonly #server: Server;
  #origin = "";
  #seen = 0;

  private constructor(bodies: Record<string, Buffer>) {
    this.bodies = bodies;
    this.#server = createServer(({ url = "" }, response) => this.asked.push({ path: url, response }));
    this.#stores = stubIdb();
    vi.stubGlobal("isSecureContext", true);
    vi.stubGlobal("navigator", { onLine: true, locks: this.#locks });
  }

  /** Until `close`, this is the origin of the test. */
  static async start(bodies: Record<string, Buffer>): Promise<FileServer> {
    const server = new FileServer(bodies);
    server.#origin = await listen(server.#server);
    return server;
  }

  async close(): Promise<void> {
    await close(this.#server);
    vi.unstubAllGlobals();
  }

  /** Returns a request for a model and its external files. */
  request(...paths: readonly string[]): LoadRequest {
    const location = (path: string) => ({ url: `${this.#origin}${path}`, pinned: null });
    const [model = "", ...others] = paths;
    return {
      ...LOAD_REQUEST,
      cache: true,
      providers: ["wasm"],
      location: location(model),
      externalData: others.map((path) => ({ path, location: location(path), integrity: null })),
      variants: [],
    };
  }

  /** Puts a file of an earlier version into the cache. */
  async store(path: string): Promise<void> {
    const blob = new Blob([`an earlier ${path}`]);
    const url = `${this.#origin}${path}`;
    const version = { validator: '"v1"||9', storedAtMs: 1, lastUsedAtMs: 1 };
    const manifest: Manifest = { version: 2, bytes: blob.size, sha256: await pieceDigestOf(blob), ...version };
    this.#stores["manifests"]?.set(manifestKey(url), manifest);
    this.#stores["bytes"]?.set(url, blob);
  }

  /** Resolves with the next requests, for these files, once all are here. */
  async gets(...paths: readonly string[]): Promise<Asked[]> {
    const from = this.#seen;
    this.#seen += paths.length;
    await until(() => this.asked.length >= this.#seen);
    const next = this.asked.slice(from, this.#seen);
    return paths.flatMap((path) => next.filter((asked) => asked.path === path));
  }

  /** Answers with the head, and with the first bytes of the file. */
  begin({ path, response }: Asked): void {
    const body = this.bodies[path];
    const head = { ETag: '"v2"', "Content-Length": body?.length ?? 0 };
    response.writeHead(body === undefined ? 404 : 200, head);
    response.write(body?.subarray(0, 1) ?? "");
  }

  /** Answers with what is left of the file. */
  end({ path, response }: Asked): void {
    response.end(this.bodies[path]?.subarray(1));
  }

  answer(asked: Asked): void {
    this.begin(asked);
    this.end(asked);
  }

  /** The paths of all files whose download locks are held. */
  async held(): Promise<readonly string[]> {
    const { held } = await this.#locks.query();
    return held.flatMap(({ name }) => (name.includes("download") ? [new URL(name.split(" ").at(-1)!).pathname] : []));
  }

  /** Resolves when the locks of just these files are held. */
  async holds(...paths: readonly string[]): Promise<void> {
    await vi.waitFor(async () => expect([...(await this.held())].sort()).toEqual(paths), { timeout: 60_000 });
  }
}
