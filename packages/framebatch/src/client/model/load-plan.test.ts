import { expect, it, vi } from "vitest";
import { planLoad } from "./load-plan.js";
import { keepSource } from "../options/model-source.js";
import type { ProgressNotice } from "../../transport/protocol.js";
import { hostSite } from "../../../test/support/channel-worker.js";

it("a load tells when its files are there: another way needs no second download", () => {
  const onArrived = vi.fn();
  const listener = { onWarning: () => undefined, onTimed: () => undefined, onArrived };
  const sites = { site: hostSite(), served: null, share: null };
  const { onProgress, clock } = planLoad(keepSource(new Uint8Array(1)), {}, 1, sites, listener);
  const say = (phase: ProgressNotice["phase"]) =>
    onProgress({ notice: "progress", provider: "wasm", phase, loadedBytes: 1, totalBytes: 1 });
  say("download");
  say("runtime");
  expect(onArrived).not.toHaveBeenCalled();
  say("compile");
  expect(onArrived).toHaveBeenCalledOnce();
  clock.close();
});
