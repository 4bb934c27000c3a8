// What tests put in place of ONNX Runtime for WebGPU, on top of the one for Node.
import "./runtime-in-node.js";
import * as runtime from "onnxruntime-web/webgpu";
import { handOver } from "../../src/worker/ort/runtime-handover.js";

handOver(runtime);
