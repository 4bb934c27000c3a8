import { createHash } from "node:crypto";
import { realmNow, worldNow } from "../kernel/stage.js";

/** The part of `crypto` that framebatch uses. Digests are right, and take their time. */
export const simCrypto = {
  randomUUID(): string {
    const world = worldNow();
    const part = () =>
      Math.floor(world.draw() * 2 ** 32)
        .toString(16)
        .padStart(8, "0");
    return `${part()}-${part()}`;
  },
  /** Draws nothing: the keys of a hash decide nothing that a scenario sees. */
  getRandomValues: (array: Int32Array): Int32Array => array.fill(1),
  subtle: {
    digest(algorithm: string, data: ArrayBuffer | ArrayBufferView): Promise<ArrayBuffer> {
      const bytes = ArrayBuffer.isView(data)
        ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
        : new Uint8Array(data);
      const digest = new Uint8Array(createHash(algorithm.replace("-", "").toLowerCase()).update(bytes).digest());
      const realm = realmNow();
      return new Promise((resolve) => {
        void realm.world.reply(realm, realm.world.latency(0.05), "digest", () => resolve(digest.buffer));
      });
    },
  },
};
