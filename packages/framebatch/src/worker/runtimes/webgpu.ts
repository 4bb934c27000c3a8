import * as runtime from "onnxruntime-web/webgpu";
import { handOver } from "../ort/runtime-handover.js";

handOver(runtime);
