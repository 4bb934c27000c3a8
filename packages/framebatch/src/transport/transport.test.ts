import type { Endpoint } from "comlink";
import { describe, expect, it } from "vitest";
import { errorData, numbersOfRun, ready, runOf, scripted } from "../../test/support/scripted-plan.js";
import { messages } from "../../test/support/messages.js";
import { connect, type WorkerEndpoint } from "./transport.js";
import type { RunAnswer } from "./protocol.js";
import { serve } from "./serve.js";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Messages of a page and its own worker that resemble those of framebatch, or of Comlink, which both may use too. */
const FOREIGN: readonly unknown[] = [
  null,
  "run",
  [1, 2],
  ...[
    "run",
    "ran",
    "request",
    "shared",
    "delivered",
    "withdrawn",
    "endedSequence",
    "released",
    "shutDown",
    "wakeInMs",
  ].map((key) => ({ [key]: "start" })),
  { run: 1, request: { rows: null } },
  { ran: 1, reply: null },
  { notice: "lost", error: errorData("WORKER_CRASHED") },
  { notice: "ready", version: "of the page" },
  { id: "1", type: "APPLY", path: ["load"], argumentList: [{ type: "RAW", value: null }] },
  { id: "2", type: "GET", path: ["start"], argumentList: "none" },
  { id: "3", type: "RELEASE" },
];

/** Both halves, and the two ends of their channel. */
function open() {
  const { port1, port2 } = new MessageChannel();
  const heard: unknown[] = [];
  const run = async (request: Parameters<typeof numbersOfRun>[0]) => {
    const data = Float32Array.from(numbersOfRun(request), (value) => 2 * value);
    heard.push("run");
    return { ok: true, outputs: { y: { type: "float32", dims: [data.length], data } }, inferenceMs: 1 } as const;
  };
  const hear = (notice: unknown) => void heard.push(notice);
  const worker: Endpoint = port2;
  serve(scripted({ load: async () => ready("wasm"), run }), hear, worker);
  port2.start();
  const page = { ...endpoint(port1), terminate: () => port1.close() };
  const answers: RunAnswer[] = [];
  const onAnswer = (answer: RunAnswer) => void answers.push(answer);
  const transport = connect(page, { onAnswer, onNotice: hear, onError: hear, onUnreadable: () => hear("unreadable") });
  port1.start();
  return { port1, port2, heard, answers, transport };
}

function endpoint(port: MessagePort) {
  return {
    postMessage: (message: unknown, moved: Transferable[] = []) => port.postMessage(message, moved),
    addEventListener: (type: string, listener: (event: Event) => void) => port.addEventListener(type, listener),
    removeEventListener: (type: string, listener: (event: Event) => void) => port.removeEventListener(type, listener),
  };
}

it("messages between a page and its own worker begin nothing, answer nothing, and are not answered", async () => {
  const { port1, port2, heard, answers, transport } = open();
  const replies: unknown[] = [];
  for (const port of [port1, port2]) port.addEventListener("message", ({ data }) => replies.push(data));
  for (const message of FOREIGN) {
    port1.postMessage(message);
    port2.postMessage(message);
  }
  await messages();
  expect(heard).toEqual([]);
  expect(replies).toEqual([...FOREIGN, ...FOREIGN]);
  const ran = transport.run(runOf([1, 2]), []);
  await messages();
  expect(answers).toMatchObject([{ ran, reply: { ok: true, outputs: { y: { data: Float32Array.of(2, 4) } } } }]);
  transport.terminate();
});

it("a page hears the first message of a worker that is too old to mark it, and so rejects its version", async () => {
  const { port2, heard, transport } = open();
  const first = { notice: "ready", version: "0.1.0" };
  port2.postMessage(first);
  await messages();
  expect(heard).toEqual([first]);
  transport.terminate();
});

const LISTENER = {
  onNotice: () => undefined,
  onAnswer: () => undefined,
  onError: () => undefined,
  onUnreadable: () => undefined,
};

/** A worker that never says anything. */
function silentWorker(): WorkerEndpoint {
  const target = new EventTarget();
  return {
    postMessage: () => undefined,
    addEventListener: target.addEventListener.bind(target),
    removeEventListener: target.removeEventListener.bind(target),
    terminate: () => undefined,
  };
}

/** Connects to a worker, asks it for something that it never answers, and ends it. Returns what is left of it. */
function ended(): WeakRef<WorkerEndpoint> {
  const worker = silentWorker();
  const transport = connect(worker, LISTENER);
  void transport.calls.recall([1]);
  transport.terminate();
  return new WeakRef(worker);
}

describe("a worker that has ended", () => {
  it("is garbage, also if a call to it was open", async () => {
    setFlagsFromString("--expose_gc");
    const collect: () => void = runInNewContext("gc");
    const left = Array.from({ length: 10 }, ended);
    // Proxies of a worker are garbage first, and what a registry holds for them after its callbacks.
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    expect(left.filter((worker) => worker.deref() !== undefined)).toHaveLength(0);
  });
});
