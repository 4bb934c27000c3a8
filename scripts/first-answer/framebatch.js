// The first answer with framebatch, as an application that Vite builds gets it.
import { createBatchedModel } from "framebatch";

const model = await createBatchedModel("/digits.onnx");
const { logits } = await model.predict({ image: new Float32Array(784).fill(0.5) });
window.firstAnswer = { atMs: performance.now(), value: logits.data[0] };
