#!/usr/bin/env bash
# Guess: `accuracy_level=4` of MatMulNBits is written in the file, so the file computes with 8-bit activations, and gives about
#   the same numbers, wherever ONNX Runtime runs it. It is the default of onnxruntime-genai's model builder.
# What is so: on x64, Python's onnxruntime obeys. onnxruntime-web on WASM ignores it: a file of level 4 gives bit for bit what the
#   same file of level 0 gives. Greedy texts of a 4-bit decoder therefore differ between Python and a page, after a few tokens.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --prefer-binary onnxruntime==1.30.0 onnx==1.23.2 onnx-ir==1.1.0
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund onnxruntime-web@1.30.0
venv/bin/python - 2>warnings <<'PYTHON'
import json
import numpy as np, onnx, onnxruntime
from onnx import TensorProto as T, helper as h, numpy_helper as nh
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

random = np.random.RandomState(0)
weights, x = random.randn(64, 32).astype(np.float32), random.randn(1, 64).astype(np.float32)
sizes = [h.make_tensor_value_info("x", T.FLOAT, ["n", 64])], [h.make_tensor_value_info("y", T.FLOAT, ["n", 32])]
found = {"x": x.ravel().tolist()}
for level in (0, 4):
    graph = h.make_graph([h.make_node("MatMul", ["x", "w"], ["y"])], "g", *sizes, [nh.from_array(weights, "w")])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)
    quantizer = MatMulNBitsQuantizer(model, block_size=32, is_symmetric=True, accuracy_level=level)
    quantizer.process()
    onnx.save(quantizer.model.model, f"level-{level}.onnx")
    session = onnxruntime.InferenceSession(f"level-{level}.onnx", providers=["CPUExecutionProvider"])
    found[level] = session.run(None, {"x": x})[0].ravel().tolist()
print(f"onnxruntime {onnxruntime.__version__}")
json.dump(found, open("found.json", "w"))
PYTHON
cat >finding.mjs <<'JAVASCRIPT'
import { readFileSync } from "node:fs";
import * as ort from "onnxruntime-web/wasm";
ort.env.wasm.numThreads = 1;
const python = JSON.parse(readFileSync("found.json", "utf8"));
const x = new ort.Tensor("float32", Float32Array.from(python.x), [1, 64]);
const run = async (level) => {
  const session = await ort.InferenceSession.create(readFileSync(`level-${level}.onnx`));
  return Array.from((await session.run({ x })).y.data);
};
const web = { 0: await run(0), 4: await run(4) };
const apart = (a, b) => Math.max(...a.map((value, index) => Math.abs(value - b[index])));
const found = {
  "Python, level 4 and 0": apart(python[4], python[0]),
  "web, level 4 and 0": apart(web[4], web[0]),
  "level 0, Python and web": apart(python[0], web[0]),
  "level 4, Python and web": apart(python[4], web[4]),
};
console.log(`onnxruntime-web ${ort.env.versions.web}; numbers of up to ${Math.max(...web[0].map(Math.abs)).toFixed(1)}`);
for (const [which, distance] of Object.entries(found)) console.log(`${which} differ by up to ${distance.toPrecision(2)}`);
const [inPython, inWeb, without, with4] = Object.values(found);
process.exit(inPython > 0.01 && inWeb === 0 && without < 1e-4 && with4 > 0.01 ? 0 : 1);
JAVASCRIPT
node finding.mjs
