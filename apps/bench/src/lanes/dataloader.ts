import DataLoader from "dataloader";
import type { BenchItem, Numbers } from "../ort/tensors.js";
import type { Lane } from "./lane.js";
import { openPeer, type PeerBatcher, type RunItems } from "./peer-session.js";

/** DataLoader as it comes, but for its cache, in front of a worker: all calls of one turn of the event loop are a batch. */
export const dataloader: Lane = {
  name: "dataloader",
  open: (model, backend) => openPeer(model, backend, (run) => loaderFor(run, {})),
};

const WINDOW_MS = 10;

/** DataLoader with a window of 10 ms from the first call of a batch, as KServe's and TorchServe's batchers have it. */
export const window10: Lane = {
  name: "window-10",
  open: (model, backend) =>
    openPeer(model, backend, (run) =>
      loaderFor(run, { batchScheduleFn: (dispatch: () => void) => void setTimeout(dispatch, WINDOW_MS) }),
    ),
};

function loaderFor(run: RunItems, options: DataLoader.Options<BenchItem, Numbers>): PeerBatcher {
  const loader = new DataLoader<BenchItem, Numbers>((items) => run(items), { ...options, cache: false });
  return { ask: (item) => loader.load(item), close: () => {} };
}
