import { afterEach, expect, it, vi } from "vitest";
import { messages } from "../../../test/support/messages.js";
import { ANSWER, errorData, planAt, runBy, runOf, scriptedSite, silence } from "../../../test/support/scripted-plan.js";
import { WebLocks } from "../../../test/support/web-locks.js";
import { WorkerSlot } from "./worker-slot.js";

afterEach(() => void vi.unstubAllGlobals());

const ignore = () => undefined;

it("a worker that has ended gets no run, and a run is not blamed for its end", async () => {
  const locks = new WebLocks();
  vi.stubGlobal("navigator", { locks });
  void locks.request("lifeline", () => silence());
  const ran: number[] = [];
  const site = scriptedSite(
    {
      run: (_, worker) => {
        const place = site.started.indexOf(worker);
        ran.push(place);
        if (place !== 1) return ANSWER;
        worker.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
        return silence();
      },
    },
    [],
  );
  const listener = { onState: ignore, onRetiring: () => false, onChecked: ignore, onCompared: ignore };
  const slot = await WorkerSlot.start(planAt(site), ["wasm"], new AbortController().signal, listener);
  site.started[0]!.say({ notice: "alive", lock: "lifeline" });
  await messages();
  locks.drop("lifeline");
  await messages();
  const result = await slot.run(runBy((client, run) => client.run(runOf([1]), [], run)));
  expect([result.ok, ran]).toEqual([true, [1, 2]]);
  slot.dispose(null);
});
