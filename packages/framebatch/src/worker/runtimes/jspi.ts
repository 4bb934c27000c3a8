import * as runtime from "onnxruntime-web/jspi";
import { handOver } from "../ort/runtime-handover.js";

handOver(runtime);
