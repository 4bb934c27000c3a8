import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { until } from "@framebatch/host/test/settling.js";
import type { WorkerNotice } from "../../transport/protocol.js";
import { WORKER_MARK } from "../../transport/worker-mark.js";
import { FileServer } from "../../../test/support/file-server.js";
import { messages } from "../../../test/support/messages.js";
import { RUNTIMES } from "../../../test/support/runtimes.js";
import { Registration } from "../../handlers/worker/registration.js";
import { KeptRows } from "../../kept/worker/kept-rows.js";
import { OneRuntime } from "../session/started-load.js";
import { RunLock } from "./run-lock.js";
import { SessionHost } from "./session-host.js";

const MODEL = "/model.onnx";
const ignore = () => undefined;

let server: FileServer;

beforeEach(async () => {
  server = await FileServer.start({ [MODEL]: Buffer.from("no model") });
});
afterEach(() => server.close());

/** A model of a group, whose worker goes on. */
function grouped(
  registration: Pick<Registration, "handlers" | "engine"> = new Registration(),
  runtime: OneRuntime = new OneRuntime(ignore, ignore),
): SessionHost {
  return new SessionHost(ignore, registration, undefined, {
    lock: new RunLock(hostTimer),
    runtime,
    kept: new KeptRows(Infinity),
    memory: () => ({ bytes: 0 }),
  });
}

it("a model of a group that is no ONNX model leaves no lock behind", async () => {
  const host = grouped();
  const loading = host.load(server.request(MODEL));
  const [asked] = await server.gets(MODEL);
  await server.holds(MODEL);
  server.answer(asked!);
  expect((await loading).reply).toMatchObject({ outcome: "failed", error: { code: "MODEL_INVALID" } });
  await server.holds();
  await host.shutDown();
  await host.release();
});

it("a model of a group whose handlers fail while it is downloaded leaves no lock behind", async () => {
  const host = grouped({
    handlers: () => Promise.reject(new Error("no handlers")),
    engine: () => Promise.reject(new Error("no engine")),
  });
  const loading = host.load({ ...server.request(MODEL), served: "handlers" });
  const [asked] = await server.gets(MODEL);
  expect((await loading).reply).toMatchObject({ outcome: "failed", error: { message: "no handlers" } });
  await server.holds(MODEL);
  server.answer(asked!);
  await server.holds();
});

/** Requests the model in an ONNX Runtime that is compiled when the test says so. */
function compiling() {
  const begun: string[] = [];
  let finish = (): void => undefined;
  vi.stubGlobal("begun", begun);
  vi.stubGlobal("compiled", new Promise<void>((resolve) => (finish = resolve)));
  builds += 1;
  const script = `data:text/javascript,globalThis[${JSON.stringify(WORKER_MARK)}].runtime =
    { env: { wasm: {} }, InferenceSession: { create: () => (begun.push(${builds}), compiled) } }`;
  const request = { ...server.request(MODEL), runtimes: { ...RUNTIMES, wasm: { script, wasm: "data:," } } };
  return { request, begun, finish: () => finish() };
}

let builds = 0;

it("a worker that has shut down while its load began asks for no file, and starts no ONNX Runtime", async () => {
  const { request, begun } = compiling();
  const host = new SessionHost(ignore);
  const loading = host.load(request);
  await host.shutDown();
  await loading;
  expect(server.asked).toEqual([]);
  expect(begun).toEqual([]);
});

it("a worker that shuts down says that it compiles, and when that is over", async () => {
  const { request, begun, finish } = compiling();
  const said: WorkerNotice["notice"][] = [];
  const host = new SessionHost(({ notice }) => said.push(notice));
  void host.load(request);
  await until(() => begun.length > 0);
  const ended = host.shutDown().then(() => said.push("shutDown"));
  await messages();
  expect(said).toContain("compiling");
  expect(said).not.toContain("shutDown");
  finish();
  await ended;
});

it("a worker that shuts down while it compiles leaves the download to the next load", async () => {
  const { request, begun, finish } = compiling();
  const host = new SessionHost(ignore);
  const loading = host.load(request);
  const [first] = await server.gets(MODEL);
  await until(() => begun.length > 0);
  server.begin(first!);
  const ended = host.shutDown();
  expect((await loading).reply).toMatchObject({ outcome: "failed" });
  await server.holds();
  expect(server.asked).toEqual([first]);
  finish();
  await ended;
});

it("a worker that shuts down while it asks why there was no answer asks no more", async () => {
  const { request, begun } = compiling();
  const host = new SessionHost(ignore);
  const loading = host.load(request);
  const [first] = await server.gets(MODEL);
  await until(() => begun.length > 0);
  first!.response.destroy();
  await server.gets(MODEL);
  void host.shutDown();
  expect((await loading).reply).toMatchObject({ outcome: "failed" });
  expect(server.asked).toHaveLength(2);
});

it("the last model of a group waits for what another one has begun to compile", async () => {
  const { request, begun, finish } = compiling();
  const runtime = new OneRuntime(ignore, ignore);
  const [first, last] = [grouped(undefined, runtime), grouped(undefined, runtime)];
  void first.load(request);
  await until(() => begun.length > 0);
  let isOver = false;
  const ended = last.shutDown().then(() => (isOver = true));
  await messages();
  expect(isOver).toBe(false);
  finish();
  await ended;
});
