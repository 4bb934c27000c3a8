import { describe, expect, it } from "vitest";
import { createBatchedModel } from "../../../src/client/api/packaged.js";
import { createSteadyClock } from "../../../src/client/workers/steady-clock.js";
import { channelSite } from "../../support/channel-worker.js";

describe("an environment without a browser", () => {
  it("rejects a model with one error that states the requirements", async () => {
    await expect(createBatchedModel("/model.onnx")).rejects.toMatchObject({
      name: "FramebatchError",
      code: "UNSUPPORTED",
      message:
        "expected a page or a dedicated worker of a browser with Web Workers, got no browser; create the model there",
    });
  });

  it("defect 3: provides a clock without a document, and starts no worker for it", async () => {
    const site = channelSite(() => null);
    const clock = createSteadyClock(site);
    await new Promise<void>((resolve) => {
      clock.schedule(clock.now(), () => resolve());
    });
    clock.close();
    expect(site.started).toEqual([]);
  });
});
