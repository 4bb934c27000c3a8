import { createServer } from "node:http";
import { generateModel } from "@framebatch/models/generate";
import { afterEach, expect, it, vi } from "vitest";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { until } from "@framebatch/host/test/settling.js";
import { connect, marked } from "../../transport/transport.js";
import type { PageNotice } from "../../transport/protocol.js";
import { GroupMember } from "./group-host.js";
import { Registration } from "../../handlers/worker/registration.js";
import { RunLock } from "../../worker/host/run-lock.js";
import { SessionHost } from "../../worker/host/session-host.js";
import { KeptRows } from "../../kept/worker/kept-rows.js";
import { OneRuntime } from "../../worker/session/started-load.js";
import { close, listen } from "../../../test/support/local-server.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { LOAD_REQUEST } from "../../../test/support/scripted-plan.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const ignore = () => undefined;

/** A member of a group, and the page's end of its port. */
function join(onLeft: () => void = ignore) {
  const { port1: page, port2: port } = new MessageChannel();
  const common = {
    lock: new RunLock(hostTimer),
    runtime: new OneRuntime(ignore, ignore),
    kept: new KeptRows(Infinity),
  };
  const own = { registration: new Registration(), maxMemoryBytes: null, onLeft, memory: () => ({ bytes: 0 }) };
  return { page, member: new GroupMember({ port, ...own, ...common }) };
}

it("a model of a group hears of each item, and of each sequence and tensor that has ended", async () => {
  const { page, member } = join();
  const heard = vi.spyOn(SessionHost.prototype, "hear");
  const notices: PageNotice[] = [{ delivered: [] }, { withdrawn: 1 }, { endedSequence: 2 }, { released: [3] }];
  for (const notice of notices) page.postMessage(marked(notice));
  await expect.poll(() => heard.mock.calls.flat()).toMatchObject(notices);
  expect(member.timeoutMs).toBe(0);
  page.close();
});

it("a model of a group is released although the database never answers", async () => {
  stubBrowser();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const opened = vi.fn(() => new EventTarget());
  vi.stubGlobal("indexedDB", { open: opened });
  const { bytes } = generateModel("separate-peak-of-row");
  const server = createServer((_request, response) => void response.end(bytes));
  const url = `${await listen(server)}/model.onnx`;
  const onLeft = vi.fn();
  const { page } = join(onLeft);
  page.start();
  const endpoint = Object.assign(page, { terminate: () => page.close() });
  const transport = connect(endpoint, { onAnswer: ignore, onNotice: ignore, onError: ignore, onUnreadable: ignore });
  const files = { location: { url, pinned: null }, externalData: [], variants: [] };
  const loaded = transport.calls.load({ ...LOAD_REQUEST, ...files, providers: ["wasm"], cache: true });
  let isLoaded = false;
  void loaded.finally(() => (isLoaded = true));
  await until(() => {
    vi.advanceTimersByTime(10);
    return isLoaded;
  });
  vi.useRealTimers();
  expect(opened).toHaveBeenCalled();
  expect(await loaded).toMatchObject({ outcome: "ready" });
  transport.notify({ shutDown: true });
  await expect.poll(() => onLeft.mock.calls).not.toEqual([]);
  transport.terminate();
  await close(server);
});
