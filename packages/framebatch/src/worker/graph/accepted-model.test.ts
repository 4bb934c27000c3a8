import * as ort from "onnxruntime-web/wasm";
import { describe, expect, it } from "vitest";
import { exportedAt, exportedClassifier, exportedMod } from "@framebatch/models/exported";
import { generateModel } from "@framebatch/models/generate";
import { modelWithExternalWeights, WEIGHTS_PATH } from "@framebatch/models/external-weights";
import { CONTENTS_OF, NEWEST_IR, NEWEST_OPSETS, acceptModel, readDeclaration } from "./accepted-model.js";

ort.env.wasm.numThreads = 1;
ort.env.logLevel = "fatal";

const OPSET = NEWEST_OPSETS[""]!;

async function runs(bytes: Uint8Array): Promise<unknown> {
  const session = await ort.InferenceSession.create(bytes, { logSeverityLevel: 4 });
  const { y } = await session.run({ x: new ort.Tensor("float32", [1, 2], [1, 2]) });
  await session.release();
  return y?.data;
}

describe("a file in newer versions than ONNX Runtime takes", () => {
  it("the tables are those of the packaged ONNX Runtime", () => {
    expect(ort.env.versions.common).toBe(CONTENTS_OF);
  });

  it.each([
    [{ ir: 14, opset: 17 }, "read as IR version 13"],
    [{ ir: 8, opset: 27 }, "read as opset 26"],
    [{ ir: 14, opset: 28 }, "read as IR version 13 and opset 26"],
  ])("runs if nothing in it has changed: %o", async (versions, lowered) => {
    await expect(runs(exportedAt(versions))).rejects.toThrow();
    const bytes = exportedAt(versions);
    expect(acceptModel(bytes)).toMatchObject({ lowered, plainOperator: null, externalPaths: [] });
    expect(await runs(bytes)).toEqual(Float32Array.of(2, 4));
  });

  it("keeps its bytes in the newest versions that ONNX Runtime takes", async () => {
    const bytes = exportedAt({ ir: NEWEST_IR, opset: OPSET });
    expect(acceptModel(bytes).lowered).toBeNull();
    expect(bytes).toEqual(exportedAt({ ir: NEWEST_IR, opset: OPSET }));
    expect(await runs(bytes)).toEqual(Float32Array.of(2, 4));
  });

  it("may be written with more bytes than a number needs", async () => {
    const [tag, version, ...rest] = exportedAt({ ir: 14, opset: 17 });
    const bytes = Uint8Array.of(tag!, version! | 0x80, 0x80, 0, ...rest);
    expect(acceptModel(bytes).lowered).toBe("read as IR version 13");
    expect(await runs(bytes)).toEqual(Float32Array.of(2, 4));
  });

  it.each([
    ["a later format", exportedAt({ ir: 15, opset: 17 }), /IR version 13 or less, got 15; .*model\.ir_version = 13/],
    ["a later opset", exportedAt({ ir: 14, opset: 29 }), /opset 26 or less, got 29; .*convert_version\(.*, 26\)/],
    ["an opset of two bytes", exportedAt({ ir: 300, opset: 300 }), /IR version 13 or less, got 300/],
    ["an operator that has changed", exportedMod({ ir: 14, opset: 28 }), /opset 26 or less, got Mod of opset 28; /],
  ])("is refused with the line of Python that helps: %s", (_what, bytes, message) => {
    expect(() => acceptModel(bytes)).toThrow(
      expect.objectContaining({ code: "MODEL_INVALID", message: expect.stringMatching(message) }),
    );
  });

  it("may have the changed operator in an older opset", () => {
    expect(acceptModel(exportedMod({ ir: 14, opset: 26 })).lowered).toBe("read as IR version 13");
  });
});

describe("what a file needs", () => {
  it("an operator that only the build without a GPU has", () => {
    expect(acceptModel(exportedClassifier()).plainOperator).toBe("ai.onnx.ml.LinearClassifier");
    expect(acceptModel(generateModel("text-encoder").bytes).plainOperator).toBeNull();
  });

  it("operators of a graph inside the graph", () => {
    const declared = readDeclaration(generateModel("mixing-inside-a-loop").bytes);
    expect([...(declared?.operators ?? [])]).toEqual(expect.arrayContaining(["Loop", "Sub", "ReduceMean"]));
  });

  it("files with weights", () => {
    const model = modelWithExternalWeights({ matrices: 2, width: 16 });
    expect(acceptModel(model).externalPaths).toEqual([WEIGHTS_PATH]);
  });

  it.each(["", "<!doctype html>", "\u0018\u0000\u0000\u0000ORTM\u0000\u0000"])(
    "nothing that bytes tell which are no model: %j",
    (text) => {
      const nothing = { lowered: null, plainOperator: null, externalPaths: [] };
      expect(acceptModel(new TextEncoder().encode(text))).toMatchObject(nothing);
    },
  );
});
