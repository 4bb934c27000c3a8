import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ErrorCode } from "@framebatch/batcher/errors/error-codes.js";
import type { LoadReply, LoadRequest } from "../../transport/protocol.js";
import type { ChannelWorker } from "../../../test/support/channel-worker.js";
import { errorData, failed, planAt, ready, scriptedSite, silence } from "../../../test/support/scripted-plan.js";
import { openSession } from "./model-session.js";

beforeEach(() => vi.stubGlobal("crossOriginIsolated", true));
afterEach(() => void vi.unstubAllGlobals());

/**
 * Opens a session of which `fail` ends the first load. Returns the threads that each load asked for, and the outcome.
 */
async function open(
  fail: (worker: ChannelWorker) => LoadReply | Promise<LoadReply>,
  changes: Partial<LoadRequest> = { isAutomatic: true, numThreads: null },
) {
  const asked: (number | null)[] = [];
  const noting = (load: (worker: ChannelWorker) => LoadReply | Promise<LoadReply>) => {
    return ({ numThreads }: LoadRequest, worker: ChannelWorker) => {
      asked.push(numThreads);
      return load(worker);
    };
  };
  const plan = planAt(scriptedSite({ loads: [noting(fail), noting(() => ready("wasm"))] }, []));
  const request = { ...plan.request, ...changes };
  const listener = { onChecked: () => undefined, onCompared: () => undefined, onDeath: () => undefined };
  const opened = openSession({ ...plan, request }, ["wasm"], new AbortController().signal, listener);
  const outcome = await opened.then(
    ({ client, model }) => {
      client.terminate(null);
      return model.provider;
    },
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return { asked, outcome };
}

function dies(worker: ChannelWorker): Promise<LoadReply> {
  worker.say({ notice: "progress", provider: "wasm", phase: "compile", loadedBytes: 1, totalBytes: 1 });
  worker.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
  return silence();
}

const failsWith = (code: ErrorCode) => () => failed("wasm", code);

it.each([
  ["fails", failsWith("OUT_OF_MEMORY")],
  ["ends its worker", dies],
])("a load that %s on threads that nobody asked for is repeated with one", async (_how, fail) => {
  expect(await open(fail)).toEqual({ asked: [null, 1], outcome: "wasm" });
});

it("a load that fails with the threads that the user asked for is not repeated", async () => {
  expect(await open(failsWith("OUT_OF_MEMORY"), { isAutomatic: true, numThreads: 2 })).toMatchObject({ asked: [2] });
  expect(await open(failsWith("OUT_OF_MEMORY"), { isAutomatic: false, numThreads: null })).toMatchObject({
    asked: [null],
  });
});

it("a load that fails without threads is not repeated", async () => {
  vi.stubGlobal("crossOriginIsolated", false);
  expect(await open(failsWith("OUT_OF_MEMORY"))).toMatchObject({ asked: [null] });
});

it("a model that fails in every way is not loaded twice", async () => {
  expect(await open(failsWith("MODEL_INVALID"))).toEqual({ asked: [null], outcome: "MODEL_INVALID" });
});
