import { runtimeScript } from "../ort/runtime-handover.js";

/** Takes the place of `import.meta.url` in the scripts of ONNX Runtime, which only a module may contain. */
export const runtimeScriptUrl = runtimeScript();
