import { describe, expect, it } from "vitest";
import { passagesOf, processorTimeOf, selfTimesOf, threadsOf, type TraceEvent } from "../runner/ledger/trace.js";

const [PAGE, WORKER, IDLE_WORKER] = [1, 2, 3];

function event(name: string, tid: number, ts: number, rest: Partial<TraceEvent> = {}): TraceEvent {
  return { name, ph: "X", pid: 7, tid, ts, args: {}, ...rest };
}

function thread(name: string, tid: number): TraceEvent {
  return event("thread_name", tid, 0, { ph: "M", args: { name } });
}

/** A message that is sent and handled. */
function message(id: string, from: number, sentAt: number, to: number, handledAt: number): TraceEvent[] {
  const args = { data: { traceId: id } };
  return [
    event("SchedulePostMessage", from, sentAt, { ph: "I", args, tts: sentAt }),
    event("HandlePostMessage", to, handledAt, { args, tts: handledAt }),
  ];
}

describe("the trace of a page", () => {
  it("has the thread of the page, and of its workers the busiest", () => {
    const events = [
      thread("CrRendererMain", PAGE),
      thread("DedicatedWorker thread", IDLE_WORKER),
      thread("DedicatedWorker thread", WORKER),
      ...message("a", PAGE, 10, WORKER, 30),
      ...message("b", WORKER, 80, PAGE, 95),
    ];
    expect(threadsOf(events)).toEqual({ page: PAGE, worker: WORKER });
    expect(processorTimeOf(events, WORKER)).toBe(50);
    expect(() => threadsOf([thread("CrRendererMain", PAGE)])).toThrow("Expected a page with a worker");
  });

  it("shows what each call waits for, without the notices between", () => {
    const events = [
      ...message("run 1", PAGE, 100, WORKER, 120),
      ...message("answer 1", WORKER, 170, PAGE, 200),
      ...message("notice", WORKER, 180, PAGE, 210),
      ...message("run 2", PAGE, 260, WORKER, 290),
      ...message("answer 2", WORKER, 300, PAGE, 310),
    ];
    expect(passagesOf(events, { page: PAGE, worker: WORKER })).toEqual({
      out: [20, 30],
      worker: [50, 10],
      back: [30, 10],
      page: [60],
    });
  });

  it("counts what the browser does for a function as the function's", () => {
    const [own, other] = [{ functionName: "own", url: "http://a/x.js" }, { functionName: "(program)" }];
    const nodes = [
      { id: 1, callFrame: { functionName: "(root)" } },
      { id: 2, parent: 1, callFrame: own },
      { id: 3, parent: 2, callFrame: { functionName: "postMessage" } },
      { id: 4, parent: 1, callFrame: other },
    ];
    const chunk = { cpuProfile: { nodes, samples: [2, 3, 4, 3] }, timeDeltas: [5, 7, 11, 13] };
    const events = [
      event("Profile", PAGE, 0, { ph: "P", id: "0x1" }),
      event("ProfileChunk", 99, 1, { ph: "P", id: "0x1", args: { data: chunk } }),
      event("Profile", WORKER, 0, { ph: "P", id: "0x2" }),
    ];
    expect([...selfTimesOf(events, PAGE)]).toEqual([
      [own, 25],
      [other, 11],
    ]);
    expect(selfTimesOf(events, WORKER).size).toBe(0);
  });
});
