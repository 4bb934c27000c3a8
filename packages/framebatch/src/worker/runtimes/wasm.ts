import * as runtime from "onnxruntime-web/wasm";
import { handOver } from "../ort/runtime-handover.js";

handOver(runtime);
