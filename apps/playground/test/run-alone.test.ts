import { signal } from "@preact/signals";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ModelLanes } from "../src/model-lanes.js";
import { loadModels } from "../src/run/load-models.js";
import { runAlone } from "../src/run/run-alone.js";

class Page extends EventTarget {
  hidden = false;
}

/** Lanes whose models never finish loading. */
function newLanes(): ModelLanes {
  const open = () => new Promise<never>(() => {});
  return new ModelLanes({ source: "/m.onnx", name: "m.onnx", address: "/m.onnx", options: {}, open }, {});
}

/** Ends only when it is told to. */
function never(stopping: AbortSignal): Promise<never> {
  return new Promise((_, reject) => stopping.addEventListener("abort", () => reject(new Error("ended by the abort"))));
}

beforeEach(() => vi.stubGlobal("document", new Page()));
afterEach(() => vi.unstubAllGlobals());

test("a measurement ends without a failure when the page replaces its models", async () => {
  const failures: unknown[] = [];
  const playground = {
    lanes: signal<ModelLanes | null>(newLanes()),
    comparing: signal(false),
    reportFailure: (error: unknown) => void failures.push(error),
  };
  const ended = runAlone(playground, new AbortController(), never);
  expect(playground.comparing.value).toBe(true);
  playground.lanes.value = newLanes();
  expect(await ended).toEqual({ message: expect.stringContaining("the model or its settings have changed") });
  expect(failures).toEqual([]);
  expect(playground.comparing.value).toBe(false);
});

test("a visitor need not wait for a download to stop a measurement", async () => {
  const stopping = new AbortController();
  const loading = loadModels(newLanes(), stopping.signal);
  stopping.abort("Stopped.");
  await expect(loading).rejects.toBe("Stopped.");
});
