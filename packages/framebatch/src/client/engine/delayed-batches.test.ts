import { describe, expect, it } from "vitest";
import type { Outcome } from "@framebatch/batcher/engine/engine.js";
import { WorkerSlot } from "../workers/worker-slot.js";
import type { SlotListener } from "../workers/slot-life.js";
import { messages } from "../../../test/support/messages.js";
import { ANSWER, errorData, planAt, runOf, scriptedSite, silence } from "../../../test/support/scripted-plan.js";
import type { Script } from "../../../test/support/scripted-plan.js";
import { ModelEngine, type PrepareBatch } from "./model-engine.js";

const UNHEARD: SlotListener = {
  onState: () => undefined,
  onRetiring: () => undefined,
  onChecked: () => undefined,
  onCompared: () => undefined,
};

const BATCH = {
  id: 1,
  items: [1],
  paddedSize: 1,
  extents: [],
  isAlone: false,
  reason: "idle",
  predictedMs: 1,
} as const;

const prepare: PrepareBatch<number, number> = ({ items }) => ({
  mayRepeat: true,
  runOn: (client, run) => client.run(runOf(items), [], run),
  resultsOf: () => items,
});

/** An engine on a worker that follows a script. `ask` runs a batch, and returns whether it was delayed. */
async function scene(run: NonNullable<Script["run"]>) {
  const plan = planAt(scriptedSite({ run }, []));
  const slot = await WorkerSlot.start(plan, ["wasm"], new AbortController().signal, UNHEARD);
  const engine = new ModelEngine(
    prepare,
    slot,
    { isTrusted: true, refusal: () => null },
    { markEnded: () => undefined },
  );
  const ask = async () => {
    const outcome = await new Promise<Outcome<number>>((done) => engine.run(BATCH, done));
    return "results" in outcome && outcome.isDelayed;
  };
  return { slot, ask };
}

describe("the time of a batch", () => {
  it("is that of its run if its worker is ready", async () => {
    const { slot, ask } = await scene(() => ANSWER);
    expect([await ask(), await ask()]).toEqual([false, false]);
    slot.dispose(null);
  });

  it("is also that of another worker's start if its own has ended", async () => {
    let runs = 0;
    const { slot, ask } = await scene((_, worker) => {
      runs += 1;
      if (runs > 1) return ANSWER;
      worker.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
      return silence();
    });
    expect([await ask(), await ask()]).toEqual([true, false]);
    expect(runs).toBe(3);
    slot.dispose(null);
  });

  it("is also that of a start that it waits for", async () => {
    const { slot, ask } = await scene(() => ANSWER);
    const restarted = slot.restart();
    const first = ask();
    await messages();
    await restarted;
    expect([await first, await ask()]).toEqual([true, false]);
    slot.dispose(null);
  });
});
