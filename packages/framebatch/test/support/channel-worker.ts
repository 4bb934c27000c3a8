import { marked, type ServedApi, type WorkerEndpoint } from "../../src/transport/transport.js";
import { serve as serveCalls } from "../../src/transport/serve.js";
import type { LoadRequest, PageNotice, RunRequest, WorkerNotice } from "../../src/transport/protocol.js";
import { VERSION } from "../../src/transport/version.js";
import type { Handlers, ServedEngine } from "../../src/handlers/worker/handlers.js";
import { Registration } from "../../src/handlers/worker/registration.js";
import { SessionHost } from "../../src/worker/host/session-host.js";
import type { WorkerListener } from "../../src/client/workers/worker-life.js";
import type { BuiltInSite } from "../../src/client/workers/worker-site.js";
import { RUNTIMES } from "./runtimes.js";

/** The worker's end of a channel. The page's end replaces a `Worker`. */
export interface ChannelWorker {
  /** Sends a notice. */
  say(notice: WorkerNotice): void;
  /** Fires the error that a browser fires if the script cannot be loaded, or throws. */
  fail(message?: string): void;
  isTerminated: boolean;
}

const ignore = () => undefined;

/** The listener of a test that needs no news of its worker. */
export const UNHEARD: WorkerListener = {
  onProgress: ignore,
  onObtained: ignore,
  onStored: ignore,
  onTimed: ignore,
  onChecked: ignore,
  onCompared: ignore,
  onWarning: ignore,
  onDeath: ignore,
};

/**
 * Runs the worker half in the same thread, so that one test covers both halves of the protocol.
 * @param answer serves the calls of the page
 */
export function channelSite(
  serve: (worker: ChannelWorker) => ServedApi | null,
  onNotice: (api: ServedApi, notice: PageNotice, worker: ChannelWorker) => void = shutDown,
  answer: typeof serveCalls = serveCalls,
): BuiltInSite & { started: ChannelWorker[] } {
  const started: ChannelWorker[] = [];
  return {
    script: null,
    fix: "fix the test",
    runtimes: RUNTIMES,
    address: () => "",
    started,
    start(): WorkerEndpoint {
      const { port1, port2 } = new MessageChannel();
      const errors = new EventTarget();
      const worker: ChannelWorker = {
        say: (notice) => port2.postMessage(marked(notice)),
        fail: (message) =>
          errors.dispatchEvent(Object.assign(new Event("error"), message === undefined ? {} : { message })),
        isTerminated: false,
      };
      started.push(worker);
      const api = serve(worker);
      if (api !== null) {
        answer(api, (notice) => onNotice(api, notice, worker), port2);
        worker.say({ notice: "ready", version: VERSION });
      }
      port1.start();
      const targetOf = (type: string) => (type === "error" ? errors : port1);
      return {
        postMessage: (message, transfer) => port1.postMessage(message, transfer ?? []),
        addEventListener: (type, listener) => targetOf(type).addEventListener(type, listener),
        removeEventListener: (type, listener) => targetOf(type).removeEventListener(type, listener),
        terminate() {
          worker.isTerminated = true;
          port1.close();
          port2.close();
        },
      };
    },
  };
}

/** Ends the work of a worker that is to end, as the script of workers does. */
function shutDown(api: ServedApi, notice: PageNotice, worker: ChannelWorker): void {
  if (!("shutDown" in notice)) return;
  const ended = api instanceof SessionHost ? api.shutDown() : Promise.resolve();
  void ended.then(() => worker.say({ notice: "shutDown" }));
}

/** Resolves when no worker loads a model. */
let loaded: Promise<unknown> = Promise.resolve();

/**
 * Creates workers with the real worker half, ONNX Runtime included. They load one after the other: all of them have one
 * global scope, through which a script of ONNX Runtime finds its worker.
 */
export function hostSite(): BuiltInSite & { started: ChannelWorker[] } {
  return hostSiteThat(oneByOne);
}

function oneByOne(load: () => Load): Load {
  const reply = loaded.then(load);
  loaded = reply.catch(ignore);
  return reply;
}

/** Creates the same workers, which load no model before `mayLoad` resolves. */
export function lateSite(mayLoad: Promise<void>): ReturnType<typeof hostSite> {
  return hostSiteThat((load) => mayLoad.then(load));
}

/** What happens to the workers of a `rowLosingSite`. A test changes it. */
export interface Fate {
  /** Whether a worker ends, and takes the rows with it, when it gets several. */
  losesRows: boolean;
  /** A worker that is started loads no model before it resolves. */
  mayLoad: Promise<void>;
}

/** Creates the same workers, with a fate of their own. */
export function rowLosingSite(fate: Fate): ReturnType<typeof hostSite> {
  const schedule = (load: () => Load) => oneByOne(() => fate.mayLoad.then(load));
  return hostSiteThat(schedule, (host, worker) => {
    const { run } = host;
    const lose = () => {
      worker.fail("it died with the rows");
      return new Promise<never>(() => undefined);
    };
    return Object.assign(host, { run: (request: RunRequest) => (fate.losesRows ? lose() : run(request)) });
  });
}

type Load = ReturnType<SessionHost["load"]>;

/**
 * @param schedule calls the load of a worker when it may begin
 * @param change replaces functions of a worker
 */
function hostSiteThat(
  schedule: (load: () => Load) => Load,
  change: (host: SessionHost, worker: ChannelWorker) => SessionHost = (host) => host,
): ReturnType<typeof hostSite> {
  return channelSite((worker) => {
    const host = change(new SessionHost((notice) => worker.say(notice)), worker);
    const load = host.load.bind(host);
    return Object.assign(host, { load: (request: LoadRequest) => schedule(() => load(request)) });
  });
}

/** Creates workers with the real worker half and handlers, or an engine. */
export function handledSite<Input, Output, Passed = undefined, Memory = undefined>(
  makeFunctions: (worker: ChannelWorker) => Handlers<Input, Output, Passed, Memory> | ServedEngine<Input, Output>,
): BuiltInSite & { started: ChannelWorker[] } {
  return channelSite(
    (worker) => {
      const registration = new Registration();
      registration.register(makeFunctions(worker));
      return new SessionHost((notice) => worker.say(notice), registration);
    },
    (host, notice, worker) => {
      shutDown(host, notice, worker);
      if (!(host instanceof SessionHost) || "shutDown" in notice) return;
      if (!("wakeInMs" in notice || "shared" in notice)) host.hear(notice);
    },
  );
}
