import type { WorkerRealm } from "../browser/worker-realm.js";
import { GpuBuffer } from "./gpu-buffer.js";

/** Time that the GPU takes to give a buffer back, in milliseconds. */
const MAP_MS = 0.1;

/** The flags that framebatch passes. What they allow is not checked. */
export const GPU_FLAGS = {
  GPUBufferUsage: { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, STORAGE: 128 },
  GPUMapMode: { READ: 1 },
};

/** The GPU device of a worker. Once it is lost, calls do nothing, and what is read back is zeros. */
export class Gpu {
  readonly #realm: WorkerRealm;
  isLost = false;
  /** Buffers that were not destroyed. */
  buffers = 0;
  readonly lost: Promise<{ readonly message: string; readonly reason: string }>;
  /** Makes the worker lose it. */
  readonly lose: () => void;
  readonly queue = {
    submit: (commands: readonly (readonly (() => void)[])[]): void => {
      for (const command of commands.flat()) command();
    },
    writeBuffer: (target: GpuBuffer, at: number, data: ArrayBuffer, from: number, length: number): void =>
      target.range(at, length).set(new Uint8Array(data, from, length)),
    // Resolves for a lost device too.
    onSubmittedWorkDone: (): Promise<void> => this.pausing(MAP_MS),
  };

  constructor(realm: WorkerRealm) {
    let tell: (info: { readonly message: string; readonly reason: string }) => void;
    this.#realm = realm;
    this.lost = new Promise((resolve) => (tell = resolve));
    this.lose = () => {
      this.isLost = true;
      realm.world.post(realm, 0, "GPU lost", () => tell({ message: "the GPU process ended", reason: "unknown" }));
    };
  }

  addEventListener(): void {
    // Nothing else goes wrong with it.
  }

  createBuffer({ size }: { readonly size: number }): GpuBuffer {
    this.buffers += 1;
    const onMap = async () => {
      await this.pausing(MAP_MS);
      if (this.isLost) throw new Error("mapAsync: the device is lost");
    };
    return new GpuBuffer(size, onMap, () => (this.buffers -= 1));
  }

  createCommandEncoder() {
    const commands: (() => void)[] = [];
    return {
      copyBufferToBuffer(source: GpuBuffer, start: number, target: GpuBuffer, at: number, length: number): void {
        if (source === target) throw new Error("expected two buffers, got the same twice");
        commands.push(() => target.range(at, length).set(source.range(start, length)));
      },
      finish: () => commands,
    };
  }

  /** Waits, while the thread goes on. */
  pausing(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#realm.world.reply(this.#realm, ms, "computed", resolve));
  }
}
