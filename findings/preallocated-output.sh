#!/usr/bin/env bash
# Guess: `session.run(feeds, { z: tensor })` of onnxruntime-web writes the output into the tensor that it was given, as its types
#   say ("pre-allocated"), and as the tensor that it returns suggests: it is that very tensor.
# What is so, on WASM with a tensor on the CPU: the run copies the tensor's content to the module's memory, computes the output
#   there, and returns the caller's tensor with its old content, without an error. With `null` for it the output is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund onnxruntime-web@1.30.0
cat >finding.mjs <<'JAVASCRIPT'
import * as ort from "onnxruntime-web/wasm";
// x float32 [N, 4] to y = x and z = x * x; IR 8, opset 17, as onnx.helper writes it.
const FILE =
  "CAg6ZwoQCgF4EgF5IghJZGVudGl0eQoOCgF4CgF4EgF6IgNNdWwSAWdaFAoBeBIPCg0IARIJCgMSAU4KAggEYhQKAXkSDwoNCAESCQoDEgFOCgIIBGIUCgF6Eg8KDQgBEgkKAxIBTgoCCARCBAoAEBFCDgoKYWkub25ueC5tbBAD";
ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(Buffer.from(FILE, "base64"));
const x = new ort.Tensor("float32", Float32Array.of(1, 2, 3, 4), [1, 4]);
const data = new Float32Array(4).fill(-1);
const given = new ort.Tensor("float32", data, [1, 4]);
const own = await session.run({ x }, { z: null });
const filled = await session.run({ x }, { z: given });
console.log(`onnxruntime-web ${ort.env.versions.web}`);
console.log(`z with null: ${own.z.data}; z with a tensor of -1: ${filled.z.data}; the same tensor: ${filled.z === given}`);
const isAsFound = String(own.z.data) === "1,4,9,16" && String(filled.z.data) === "-1,-1,-1,-1" && filled.z === given;
process.exit(isAsFound ? 0 : 1);
JAVASCRIPT
node finding.mjs
