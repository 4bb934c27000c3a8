import { afterEach, describe, expect, it } from "vitest";
import type { ServedApi } from "../../../src/transport/transport.js";
import { Member } from "../../../src/worker/share/member.js";
import { scripted, silence } from "../../support/scripted-plan.js";

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
  const member = new Member({ session: session.port2, port: port.port2, api, onShutDown });
  members.push(member);
  return { member, page: session.port1, port: port.port1, heard, left };
}

/** Resolves after every message that was sent has arrived. */
async function delivered(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const FOREIGN = { notice: "turn", rows: 1 };
const OWN = { notice: "turn", rows: 0 };

describe("a page in a shared session", () => {
  it("learns whose the first run is, and each change", async () => {
    const { member, heard } = open();
    member.tellTurn(1, false, 0);
    member.tellTurn(1, false, 10_000);
    member.tellTurn(0, false, 0);
    member.tellTurn(0, true, 10_000);
    member.tellTurn(3, false, 0);
    member.tellTurn(0, false, 0);
    await delivered();
    expect(heard).toEqual([FOREIGN, OWN, { notice: "turn", rows: 3 }, OWN]);
  });

  it("learns of larger runs, and once a second of others, only while its own wait", async () => {
    const { member, heard } = open();
    member.tellTurn(1, true, 0);
    member.tellTurn(1, true, 900);
    member.tellTurn(8, true, 950);
    member.tellTurn(2, true, 1900);
    member.tellTurn(2, true, 1950);
    member.tellTurn(9, false, 5000);
    await delivered();
    const rows = heard.flatMap((notice) => (notice === null ? [] : [Reflect.get(Object(notice), "rows")]));
    expect(rows).toEqual([1, 8, 2]);
  });

  it("says whether its tab is hidden, and waits for the answer before it leaves", async () => {
    const { member, page, port, heard, left } = open();
    port.postMessage({ isHidden: true });
    page.postMessage({ shutDown: true });
    await delivered();
    expect(member.isHidden).toBe(true);
    expect(left).toEqual([member]);
    expect(heard.at(-1)).toEqual({ notice: "shutDown" });
  });
});
