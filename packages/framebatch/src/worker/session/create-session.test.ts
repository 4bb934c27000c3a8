import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { withHeldFiles } from "./create-session.js";
import { nextTask } from "../ort/next-task.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Frees what nothing refers to. A `WeakRef` keeps its target until the task ends. */
async function freeUnreachable(): Promise<void> {
  await nextTask();
  collectGarbage();
}

/** Opens the stream of a part of a file, and keeps nothing but a weak reference to it. */
const openPart = (file: Blob) => new WeakRef(file.slice(2, 6).stream());

describe("files that ONNX Runtime reads", () => {
  const file = new Blob([Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7)]);

  it("keep the stream that is being read, until they are no longer in use", async () => {
    const whileInUse = await withHeldFiles([file], async ([held]) => {
      const stream = openPart(held!);
      await freeUnreachable();
      return { stream, isThere: stream.deref() !== undefined };
    });
    expect(whileInUse.isThere).toBe(true);
    await freeUnreachable();
    expect(whileInUse.stream.deref()).toBeUndefined();
  });

  it("would otherwise lose it", async () => {
    const stream = openPart(file);
    await freeUnreachable();
    expect(stream.deref()).toBeUndefined();
  });

  it("have the same bytes, whole and in parts", async () => {
    await withHeldFiles([file], async ([held]) => {
      expect([held?.size, held instanceof Blob]).toEqual([8, true]);
      expect(await held?.arrayBuffer()).toEqual(await file.arrayBuffer());
      const part = await new Response(held?.slice(2, 6).stream()).arrayBuffer();
      expect([...new Uint8Array(part)]).toEqual([2, 3, 4, 5]);
    });
  });

  it("are no longer held after a failure", async () => {
    const failed = new Error("no session");
    let stream: WeakRef<ReadableStream> | null = null;
    await expect(
      withHeldFiles([file], async ([held]) => {
        stream = openPart(held!);
        throw failed;
      }),
    ).rejects.toBe(failed);
    await freeUnreachable();
    expect(Object(stream).deref()).toBeUndefined();
  });
});
