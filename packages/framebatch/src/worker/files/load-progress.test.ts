import { afterEach, expect, it, vi } from "vitest";
import { createModelAt } from "../../client/model/create-batched-model.js";
import type { LoadProgress } from "../../client/options/options.js";
import { ready, scriptedSite } from "../../../test/support/scripted-plan.js";

afterEach(() => void vi.unstubAllGlobals());

const LOADING = { notice: "progress", phase: "compile", provider: null, loadedBytes: 1, totalBytes: 1 } as const;

/** Node has no `reportError`. */
function reported(): unknown[] {
  const errors: unknown[] = [];
  vi.stubGlobal("reportError", (error: unknown) => errors.push(error));
  return errors;
}

it("reports an onProgress that throws, and continues loading", async () => {
  const errors = reported();
  const phases: string[] = [];
  const site = scriptedSite(
    {
      loads: [
        (_request, worker) => {
          worker.say(LOADING);
          return ready("wasm");
        },
      ],
    },
    [],
  );
  const onProgress = ({ phase }: LoadProgress) => {
    phases.push(phase);
    throw new Error(`no more of ${phase}`);
  };
  const model = await createModelAt(
    { site, share: null },
    { url: "https://example.com/model.onnx" },
    { onProgress, cache: false },
  );
  expect(phases).toEqual(["compile", "ready"]);
  expect(errors.map(String)).toEqual(["Error: no more of compile", "Error: no more of ready"]);
  expect(model.state).toBe("ready");
  expect(site.started.map(({ isTerminated }) => isTerminated)).toEqual([false]);
  await model.dispose();
});
