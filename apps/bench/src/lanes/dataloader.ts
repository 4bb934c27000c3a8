import DataLoader from "dataloader";
import type { BenchItem, Numbers } from "../ort/tensors.js";
import type { Lane } from "./lane.js";
import { openPeer, type PeerBatcher, type RunItems } from "./peer-session.js";

/**
 * DataLoader with default options, but without its cache, in front of a worker. All calls in one turn of the event loop
 * form a batch.
 */
export const dataloader: Lane = {
  name: "dataloader",
  open: (model, backend) => openPeer(model, backend, (run) => loaderFor(run, {})),
};

const WINDOW_MS = 10;

/** DataLoader with a window of 10 ms from the first call of a batch, like the batchers of KServe and TorchServe. */
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
