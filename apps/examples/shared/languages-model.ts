/** The model of the language classifier, as `npx framebatch types languages.onnx` writes it. `padding` fills the mask. */
export interface Languages {
  inputs: { ids: Int32Array; mask?: Int32Array };
  outputs: { logits: Float32Array };
}
