#!/usr/bin/env bash
# Guess: an input that has a default in the file (an initializer of the same name, since IR 4) can be left out or given, in
#   onnxruntime-web as in onnxruntime for Python.
# What is so: onnxruntime-web lists only inputs without a default, and rejects the others: "invalid input 'g'". The default can
#   be used and never changed. Python's get_inputs() does not list it either, and its run() takes it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# x float32 [N, 4] and g float32 [1], by default 2, to y = x * g; IR 8, opset 17, as onnx.helper writes it.
export FILE=CAg6XwoOCgF4CgFnEgF5IgNNdWwSAWcqDQgBEAFCAWdKBAAAAEBaFAoBeBIPCg0IARIJCgMSAU4KAggEWg8KAWcSCgoICAESBAoCCAFiFAoBeRIPCg0IARIJCgMSAU4KAggEQgQKABARQg4KCmFpLm9ubngubWwQAw==
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund onnxruntime-web@1.30.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check --prefer-binary onnxruntime==1.32.0
cat >finding.mjs <<'JAVASCRIPT'
import * as ort from "onnxruntime-web/wasm";
ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(Buffer.from(process.env.FILE, "base64"));
const x = new ort.Tensor("float32", Float32Array.of(1, 2, 3, 4), [1, 4]);
const g = new ort.Tensor("float32", Float32Array.of(5), [1]);
const byDefault = String((await session.run({ x })).y.data);
const given = await session.run({ x, g }).then(({ y }) => String(y.data), (error) => error.message);
console.log(`onnxruntime-web ${ort.env.versions.web}: inputs ${session.inputNames}; left out: ${byDefault}; given: ${given}`);
process.exit(byDefault === "2,4,6,8" && given === "invalid input 'g'" ? 0 : 1);
JAVASCRIPT
node finding.mjs
venv/bin/python - <<'PYTHON'
import base64, os, sys
import numpy as np, onnxruntime

options = onnxruntime.SessionOptions()
options.log_severity_level = 4
session = onnxruntime.InferenceSession(base64.b64decode(os.environ["FILE"]), options, providers=["CPUExecutionProvider"])
x, g = np.array([[1, 2, 3, 4]], dtype=np.float32), np.array([5], dtype=np.float32)
left_out, given = session.run(None, {"x": x})[0].tolist(), session.run(None, {"x": x, "g": g})[0].tolist()
names = [known.name for known in session.get_inputs()]
print(f"onnxruntime {onnxruntime.__version__} for Python: inputs {names}; left out: {left_out}; given: {given}")
sys.exit(0 if names == ["x"] and left_out == [[2, 4, 6, 8]] and given == [[5, 10, 15, 20]] else 1)
PYTHON
