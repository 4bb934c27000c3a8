import { expect, it, vi } from "vitest";
import { hostTimer } from "@framebatch/host/host-timer.js";
import type { PageNotice } from "../../transport/page-notices.js";
import { GroupMember } from "./group-member.js";
import { Registration } from "../handlers/registration.js";
import { RunLock } from "../host/run-lock.js";
import { SessionHost } from "../host/session-host.js";
import { KeptRows } from "../kept/kept-rows.js";
import { OneRuntime } from "../session/one-runtime.js";

const ignore = () => undefined;

it("a model of a group hears of each item, and of each sequence and tensor that has ended", async () => {
  const { port1: page, port2: port } = new MessageChannel();
  const heard = vi.spyOn(SessionHost.prototype, "hear");
  const common = {
    lock: new RunLock(hostTimer),
    runtime: new OneRuntime(ignore, ignore),
    kept: new KeptRows(Infinity),
  };
  const own = { registration: new Registration(), maxMemoryBytes: null, onLeft: ignore, memory: () => ({ bytes: 0 }) };
  const member = new GroupMember({ port, ...own, ...common });
  const notices: PageNotice[] = [{ delivered: [] }, { withdrawn: 1 }, { endedSequence: 2 }, { released: [3] }];
  for (const notice of notices) page.postMessage(notice);
  await vi.waitFor(() => expect(heard.mock.calls.flat()).toEqual(notices));
  expect(member.timeoutMs).toBe(0);
  heard.mockRestore();
  page.close();
});
