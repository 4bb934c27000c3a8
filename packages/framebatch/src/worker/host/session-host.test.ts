import { afterEach, beforeEach, expect, it } from "vitest";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { FileServer } from "../../../test/support/file-server.js";
import { Registration } from "../handlers/registration.js";
import { KeptRows } from "../kept/kept-rows.js";
import { OneRuntime } from "../session/one-runtime.js";
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
function grouped(registration: Pick<Registration, "handlers" | "engine"> = new Registration()): SessionHost {
  return new SessionHost(ignore, registration, undefined, {
    lock: new RunLock(hostTimer),
    runtime: new OneRuntime(ignore, ignore),
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
