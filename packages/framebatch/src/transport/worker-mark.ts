/**
 * The global variable through which a script of ONNX Runtime and the worker that imports it find each other. Every
 * worker's script of framebatch holds this text, also when minified, and no other script needs it.
 */
export const WORKER_MARK = "framebatchRuntime";
