import { Deadline } from "@framebatch/host/deadline.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { afterEach, expect, it, vi } from "vitest";
import { stubIdb } from "../../../test/support/fake-idb.js";
import { pieceDigestOf } from "../../store/digest.js";
import { ModelCache } from "../../store/model-cache.js";
import { ModelDatabase } from "../../store/model-database.js";
import { DownloadLock } from "./download-lock.js";
import { ModelStore } from "./model-store.js";

const URL = "https://example.com/model.onnx";

afterEach(() => void vi.unstubAllGlobals());

const inTime = () => new Deadline(2000, new ManualClock());

async function fileOf(text: string) {
  const blob = new Blob([text]);
  return { blob, sha256: await pieceDigestOf(blob), validator: null };
}

function storeOf(warnings: string[]): ModelStore {
  const timer = new ManualClock();
  const ignore = () => undefined;
  const openNews = () => ({ postMessage: ignore, addEventListener: ignore, close: ignore });
  return new ModelStore({
    cache: new ModelCache(new ModelDatabase()),
    turns: new DownloadLock({ locks: null, openNews, timer, timeoutMs: 1000 }),
    timer,
    random: () => 0,
    integrity: null,
    pinned: null,
    sizeLimit: { maxBytes: 1e9, why: "" },
    stallTimeoutMs: 1000,
    progress: { downloaded: ignore, there: ignore },
    onWarning: ({ message }) => void warnings.push(message),
  });
}

it("a tab without a network uses the newer model that another tab has stored meanwhile, and calls nothing damaged", async () => {
  vi.stubGlobal("navigator", {});
  stubIdb();
  const other = new ModelCache(new ModelDatabase());
  await other.write(URL, await fileOf("first"), inTime());
  vi.stubGlobal("fetch", async () => {
    await other.write(URL, await fileOf("second"), inTime());
    throw new TypeError("offline");
  });
  const warnings: string[] = [];
  const { blob } = await storeOf(warnings).obtain(URL);
  expect(await blob.text()).toBe("second");
  expect(warnings.filter((warning) => warning.includes("damaged"))).toEqual([]);
});
