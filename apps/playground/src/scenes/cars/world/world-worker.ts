import { createBatchedModel, FramebatchError } from "framebatch";
import type { DriverModel, FromWorld, ToWorld } from "./protocol.js";
import { World } from "./world.js";

let world: World | null = null;
/** The model that was asked for last. */
let wanted: DriverModel | null = null;

addEventListener("message", ({ data }: MessageEvent<ToWorld>) => {
  switch (data.type) {
    case "open":
      world = new World(data.canvas, data.settings, {
        figures: (figures) => tell({ type: "figures", figures }),
        failure: tellFailure,
      });
      break;
    case "change":
      world?.change(data.settings);
      break;
    case "drivers":
      void load(data.model);
      break;
  }
});

async function load(model: DriverModel): Promise<void> {
  wanted = model;
  try {
    const drivers = await createBatchedModel(model.url, model.options);
    if (wanted !== model) return await drivers.dispose();
    world?.useDrivers(drivers);
    tell({ type: "ready", provider: drivers.executionProvider });
  } catch (error) {
    if (wanted === model) tellFailure(error);
  }
}

function tellFailure(error: unknown): void {
  const code = error instanceof FramebatchError ? error.code : null;
  tell({ type: "failed", code, message: error instanceof Error ? error.message : String(error) });
}

function tell(message: FromWorld): void {
  postMessage(message);
}
