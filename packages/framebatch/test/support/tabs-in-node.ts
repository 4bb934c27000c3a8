import { vi } from "vitest";
import { createModelAt } from "../../src/client/model/create-batched-model.js";
import { keepSource } from "../../src/client/options/model-source.js";
import type { BatchedModel } from "../../src/client/options/model.js";
import type { ModelOptions } from "../../src/client/options/options.js";
import type { BuiltInSite } from "../../src/client/workers/worker-site.js";
import { shareSessions } from "../../src/shared-tabs/page/share-sessions.js";
import { startShared } from "../../src/shared-tabs/worker/shared-session.js";
import { hostSite } from "./channel-worker.js";
import { stubBrowser } from "./model-in-node.js";
import { WebLocks } from "./web-locks.js";

const ORIGIN = "https://app.example";

/** The address of the model of all tabs. */
const MODEL = `${ORIGIN}/model.onnx`;

/** A shared worker of the test. */
interface SharedWorkerInNode {
  readonly name: string;
  readonly connections: Set<object>;
  /** Receives a page that connects. */
  readonly connect: (port: MessagePort) => void;
}

/** What a shared worker does with a page that connects. */
type Script = (name: string) => SharedWorkerInNode["connect"];

/**
 * A browser with one origin: its shared workers, Web Locks and server, with any number of tabs, all in this thread. The
 * workers have the real worker half, ONNX Runtime included.
 */
export class TabsInNode {
  readonly locks = new WebLocks();
  /** The names of the shared workers that were started, in order. */
  readonly started: string[] = [];
  /** Returns the body of the server's next answer to a request for the model. */
  serve: () => ReadableStream<Uint8Array> | ArrayBuffer = () => new ArrayBuffer(0);
  /** Number of connections that tabs have made to shared workers. */
  connections = 0;
  /** Number of requests for the model. */
  requests = 0;
  readonly #running = new Map<string, SharedWorkerInNode>();
  readonly #script: Script;

  constructor(script: Script = realScript) {
    this.#script = script;
    stubBrowser();
    vi.stubGlobal("self", { origin: ORIGIN, name: "" });
    Object.assign(navigator, { locks: this.locks });
    vi.stubGlobal("SharedWorker", EventTarget);
    const createElement = () => this.#frame();
    Object.assign(document, { createElement, documentElement: { append: () => undefined } });
    vi.stubGlobal("fetch", (address: string) => this.#fetch(address));
  }

  /** Creates the model of a tab. @param query of the worker's address @param own where a worker of its own comes from */
  open(options: ModelOptions = {}, query = "", own: BuiltInSite = hostSite()): Promise<BatchedModel> {
    const script = `${ORIGIN}/framebatch.worker.js${query}`;
    const sites = { site: { ...own, script, address: () => script }, share: shareSessions };
    const settings = { executionProviders: ["wasm"], verify: false, warmup: false, cache: false } as const;
    return createModelAt(sites, keepSource(MODEL), { ...settings, shared: true, ...options });
  }

  /** Ends every shared worker, as when the process that runs them crashes. */
  crash(): void {
    for (const [key, { name }] of this.#running) this.#end(key, name);
  }

  async #fetch(address: string): Promise<Response> {
    // ONNX Runtime runs from Node's own files here.
    if (address !== MODEL) return new Response(null, { status: 404 });
    this.requests += 1;
    return new Response(this.serve());
  }

  /** A hidden frame, which connects to a shared worker. */
  #frame(): object {
    const connect = this.#connect.bind(this);
    const disconnects: (() => void)[] = [];
    class SharedWorker extends EventTarget {
      readonly port: MessagePort;

      constructor(address: string, { name }: { readonly name: string }) {
        super();
        const { port1, port2 } = new MessageChannel();
        this.port = port1;
        disconnects.push(connect(address, name, port2));
      }
    }
    const remove = () => {
      for (const disconnect of disconnects) disconnect();
    };
    return { contentWindow: { SharedWorker }, remove };
  }

  #connect(address: string, name: string, port: MessagePort): () => void {
    const key = `${address} ${name}`;
    const worker = this.#running.get(key) ?? this.#start(key, name);
    worker.connections.add(port);
    this.connections += 1;
    worker.connect(port);
    return () => {
      worker.connections.delete(port);
      if (worker.connections.size === 0 && this.#running.get(key) === worker) this.#end(key, name);
    };
  }

  #start(key: string, name: string): SharedWorkerInNode {
    this.started.push(name);
    const worker = { name, connections: new Set<object>(), connect: this.#script(name) };
    this.#running.set(key, worker);
    return worker;
  }

  #end(key: string, name: string): void {
    this.#running.delete(key);
    this.locks.drop(`${name} alive`);
  }
}

/** Runs the entry of the real worker half, with the global scope that it reads while it starts. */
function realScript(name: string): SharedWorkerInNode["connect"] {
  const scope = new EventTarget();
  const [{ addEventListener }, { origin }] = [globalThis, self];
  vi.stubGlobal("addEventListener", scope.addEventListener.bind(scope));
  vi.stubGlobal("self", { origin, name });
  startShared(() => 0);
  vi.stubGlobal("addEventListener", addEventListener);
  vi.stubGlobal("self", { origin, name: "" });
  return (port) => void scope.dispatchEvent(new MessageEvent("connect", { ports: [port] }));
}
