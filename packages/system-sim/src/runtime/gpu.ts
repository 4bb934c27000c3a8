import type { WorkerRealm } from "../browser/worker-realm.js";

/** The GPU device of a worker. Once it is lost, calls do nothing, and what is read back is zeros. */
export class Gpu {
  isLost = false;
  readonly lost: Promise<{ readonly message: string; readonly reason: string }>;
  /** Makes the worker lose it. */
  readonly lose: () => void;

  constructor(realm: WorkerRealm) {
    let tell: (info: { readonly message: string; readonly reason: string }) => void;
    this.lost = new Promise((resolve) => (tell = resolve));
    this.lose = () => {
      this.isLost = true;
      realm.world.post(realm, 0, "GPU lost", () => tell({ message: "the GPU process ended", reason: "unknown" }));
    };
  }

  addEventListener(): void {
    // Nothing else goes wrong with it.
  }
}
