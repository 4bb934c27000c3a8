import { afterEach, describe, expect, it } from "vitest";
import { type ServedApi, marked } from "../../transport/transport.js";
import type { Turn } from "../../transport/protocol.js";
import { Member } from "./member-runs.js";
import { scripted, silence } from "../../../test/support/scripted-plan.js";

const members: Member[] = [];
afterEach(() => {
  for (const member of members.splice(0)) member.close();
});

/** Opens a member, and the page's ends of its ports. */
function open() {
  const [session, port] = [new MessageChannel(), new MessageChannel()];
  const heard: unknown[] = [];
  session.port1.addEventListener("message", ({ data }) => heard.push(data));
  session.port1.start();
  port.port2.start();
  const api = (): ServedApi => scripted({ load: silence, run: silence });
  const left: Member[] = [];
  const onShutDown = async (member: Member) => void left.push(member);
  const member = new Member({ session: session.port2, port: port.port2, mayMerge: true, api, onShutDown });
  members.push(member);
  const turns = async () => {
    await delivered();
    const told = heard.filter(isTurn).map(({ turn }) => turn);
    return told.map(({ owner, timeoutMs }) => `${owner} ${timeoutMs}`);
  };
  return { member, page: session.port1, port: port.port1, heard, left, turns };
}

function isTurn(notice: unknown): notice is { readonly turn: Turn } {
  return typeof notice === "object" && notice !== null && "turn" in notice;
}

/** Resolves after every message that was sent has arrived. */
async function delivered(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const turnOf = (owner: Turn["owner"], timeoutMs: number): Turn => ({ owner, timeoutMs });

describe("a page in a shared session", () => {
  it("learns whose the first run is, and each change", async () => {
    const { member, turns } = open();
    member.tellTurn(turnOf("other", 10), false, 0);
    member.tellTurn(turnOf("other", 10), false, 10_000);
    member.tellTurn(turnOf("page", 10), false, 0);
    member.tellTurn(turnOf("page", 20), true, 10_000);
    member.tellTurn(turnOf("several", 10), false, 0);
    member.tellTurn(turnOf("page", 10), false, 0);
    expect(await turns()).toEqual(["other 1010", "page 10", "several 1010", "page 10"]);
  });

  it("learns of runs of others that may take longer, even if it waits for none: it may ask while one blocks the worker", async () => {
    const { member, turns } = open();
    member.tellTurn(turnOf("other", 10), false, 0);
    member.tellTurn(turnOf("other", 60), false, 10);
    member.tellTurn(turnOf("other", 50), false, 5000);
    expect(await turns()).toEqual(["other 1010", "other 1060"]);
  });

  it("learns once a second of the runs of others, only while its own wait", async () => {
    const { member, turns } = open();
    member.tellTurn(turnOf("other", 60), true, 0);
    member.tellTurn(turnOf("other", 10), true, 900);
    member.tellTurn(turnOf("other", 20), true, 1000);
    member.tellTurn(turnOf("other", 20), true, 1050);
    member.tellTurn(turnOf("other", 20), false, 5000);
    expect(await turns()).toEqual(["other 1060", "other 1020"]);
  });

  it("says whether its tab is hidden, and waits for the answer before it leaves", async () => {
    const { member, page, port, heard, left } = open();
    port.postMessage({ isHidden: true });
    page.postMessage(marked({ shutDown: true }));
    await delivered();
    expect(member.isHidden).toBe(true);
    expect(left).toEqual([member]);
    expect(heard.at(-1)).toMatchObject({ notice: "shutDown" });
  });
});
