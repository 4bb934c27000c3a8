// What tests put in place of ONNX Runtime for WebGPU.
import * as runtime from "onnxruntime-web/webgpu";
import { handOver } from "../../src/worker/ort/runtime-handover.js";
import { readOwnFiles } from "./own-files.js";

readOwnFiles();
handOver(runtime);
