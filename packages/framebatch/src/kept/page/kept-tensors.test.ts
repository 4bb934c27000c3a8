import { describe, expect, it } from "vitest";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import { Handles } from "./handles.js";
import { KeptRow } from "./kept-row.js";
import { type KeptTensor, KeptTensors } from "./kept-tensors.js";

const FOUR: Tensor = { type: "float32", dims: [4], data: new Float32Array(0) };
const ITEM = { shape: { group: "", extents: [] }, data: [null], sizes: [] };

function worker() {
  const released: (readonly number[])[] = [];
  return {
    hasEnded: false,
    released,
    notify: (notice: object) => {
      if ("released" in notice && Array.isArray(notice.released)) released.push([...notice.released]);
    },
  };
}

async function settled(): Promise<void> {
  await Promise.resolve();
  await Promise.resolve();
}

describe("tensors that are kept", () => {
  it("are counted in bytes, and have room until the bound is reached", () => {
    const tensors = new KeptTensors(32);
    const client = worker();
    const first = tensors.add(tensors.nextId(), FOUR, client);
    expect([tensors.bytes, tensors.hasRoom]).toEqual([16, true]);
    tensors.add(tensors.nextId(), FOUR, client);
    expect([tensors.bytes, tensors.hasRoom]).toEqual([32, false]);
    first.release();
    expect([tensors.bytes, tensors.hasRoom]).toEqual([16, true]);
  });

  it("are released in the worker together, once nobody holds them", async () => {
    const tensors = new KeptTensors(1e6);
    const client = worker();
    const [first, second] = [tensors.add(1, FOUR, client), tensors.add(2, FOUR, client)];
    first.hold();
    first.release();
    second.release();
    await settled();
    expect(client.released).toEqual([[2]]);
    first.release();
    await settled();
    expect(client.released).toEqual([[2], [1]]);
  });

  it("count no more when their worker has ended, which hears nothing", async () => {
    const tensors = new KeptTensors(16);
    const client = worker();
    const tensor = tensors.add(1, FOUR, client);
    client.hasEnded = true;
    expect([tensor.isLost, tensors.bytes, tensors.hasRoom]).toEqual([true, 0, true]);
    tensor.release();
    await settled();
    expect(client.released).toEqual([]);
  });
});

describe("a row that reads or keeps tensors", () => {
  it("holds what it reads until its request has settled, and during its runs", async () => {
    const tensors = new KeptTensors(1e6);
    const client = worker();
    const tensor = tensors.add(1, FOUR, client);
    const row = new KeptRow(ITEM, [{ input: "x", tensor }], null);
    tensor.release();
    let end: () => void = () => undefined;
    const run = row.during(() => new Promise<void>((resolve) => (end = resolve)));
    row.end();
    row.end();
    await settled();
    expect(client.released).toEqual([]);
    end();
    await run;
    await settled();
    expect(client.released).toEqual([[1]]);
  });

  it("gives what its run has kept to its receiver", async () => {
    const tensors = new KeptTensors(1e6);
    const client = worker();
    const row = new KeptRow(ITEM, [], { outputs: ["y"], needsOthers: false });
    row.came({ y: tensors.add(1, FOUR, client) });
    const { y } = row.takeKept();
    row.end();
    await settled();
    expect([client.released, y?.id]).toEqual([[], 1]);
  });

  it("releases what comes after its request has settled, and what nobody has taken", async () => {
    const tensors = new KeptTensors(1e6);
    const client = worker();
    const aborted = new KeptRow(ITEM, [], { outputs: ["y"], needsOthers: false });
    aborted.end();
    aborted.came({ y: tensors.add(1, FOUR, client) });
    const failed = new KeptRow(ITEM, [], { outputs: ["y"], needsOthers: false });
    failed.came({ y: tensors.add(2, FOUR, client) });
    failed.end();
    await settled();
    expect(client.released).toEqual([[1, 2]]);
  });

  it("names the input whose tensor is lost", () => {
    const client = worker();
    const row = new KeptRow(ITEM, [{ input: "x", tensor: new KeptTensors(1e6).add(1, FOUR, client) }], null);
    expect(row.lostInput).toBeNull();
    client.hasEnded = true;
    expect(row.lostInput).toBe("x");
  });
});

describe("handles", () => {
  function forgetful() {
    const reports: FramebatchError[] = [];
    let forget: (tensor: KeptTensor) => void = () => undefined;
    const watched = new Set<object>();
    const handles = new Handles(
      (error) => reports.push(error),
      (onForgotten) => {
        forget = onForgotten;
        return {
          register: (handle) => void watched.add(handle),
          unregister: (handle) => void watched.delete(handle),
        };
      },
    );
    return { handles, reports, watched, forget: (tensor: KeptTensor) => forget(tensor) };
  }

  it("release their tensor once, and have none afterwards", async () => {
    const { handles, watched, reports } = forgetful();
    const client = worker();
    const handle = handles.give(new KeptTensors(1e6).add(1, FOUR, client));
    expect([handle.type, handle.dims, watched.size]).toEqual(["float32", [4], 1]);
    handle.dispose();
    handle.dispose();
    await settled();
    expect([client.released, watched.size, reports]).toEqual([[[1]], 0, []]);
    expect(() => handle.tensor).toThrow(expect.objectContaining({ code: "DISPOSED" }));
  });

  it("that are forgotten are released, and reported once", async () => {
    const { handles, reports, forget } = forgetful();
    const client = worker();
    const tensors = new KeptTensors(1e6);
    const kept = [tensors.add(1, FOUR, client), tensors.add(2, FOUR, client)];
    for (const tensor of kept) handles.give(tensor);
    for (const tensor of kept) forget(tensor);
    await settled();
    expect(client.released).toEqual([[1, 2]]);
    expect(reports.map(({ code, details }) => [code, details["option"]])).toEqual([["INVALID_OPTION", "keepOnDevice"]]);
  });
});
