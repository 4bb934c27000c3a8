import * as runtime from "onnxruntime-web/wasm";
import { handOver } from "../../src/worker/ort/runtime-handover.js";
import { readOwnFiles } from "./own-files.js";

readOwnFiles();
handOver(runtime);
