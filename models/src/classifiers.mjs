import { GraphBuilder } from "./graph.mjs";

/**
 * Classifiers as the Hugging Face Hub has them, for the pipelines of transformers.js: their files by path. What they
 * answer is certain, so that a test knows it without the library.
 *
 * @typedef {Record<string, string | Uint8Array>} Files
 */

const SIDE = 16;

/** Tells which of red, green and blue a picture has most of. @returns {Files} */
export function colourFiles() {
  const graph = new GraphBuilder("colours-tiny");
  const pixels = graph.input("pixel_values", "float32", ["batch", 3, SIDE, SIDE]);
  graph.output(graph.node("Flatten", [graph.node("GlobalAveragePool", [pixels])]), "logits", "float32", ["batch", 3]);
  return {
    "config.json": JSON.stringify({
      model_type: "vit",
      architectures: ["ViTForImageClassification"],
      id2label: { 0: "red", 1: "green", 2: "blue" },
    }),
    "preprocessor_config.json": JSON.stringify({
      image_processor_type: "ViTImageProcessor",
      do_resize: true,
      size: { height: SIDE, width: SIDE },
      do_rescale: true,
      do_normalize: true,
      image_mean: [0.5, 0.5, 0.5],
      image_std: [0.5, 0.5, 0.5],
    }),
    "onnx/model.onnx": graph.build().bytes,
  };
}

/** The mean amplitude above which a sound is loud. */
const LOUD = 0.25;

/** Tells whether a sound is loud. @returns {Files} */
export function loudnessFiles() {
  const graph = new GraphBuilder("loudness-tiny");
  const samples = graph.input("input_values", "float32", ["batch", "samples"]);
  const amplitude = graph.node("ReduceMean", [graph.node("Abs", [samples])], { axes: [1], keepdims: 1 });
  const loud = graph.node("Sub", [amplitude, graph.scalar(LOUD)]);
  const logits = graph.node("Concat", [graph.node("Neg", [loud]), loud], { axis: 1 });
  graph.output(logits, "logits", "float32", ["batch", 2]);
  return {
    "config.json": JSON.stringify({
      model_type: "wav2vec2",
      architectures: ["Wav2Vec2ForSequenceClassification"],
      id2label: { 0: "quiet", 1: "loud" },
    }),
    "preprocessor_config.json": JSON.stringify({
      feature_extractor_type: "Wav2Vec2FeatureExtractor",
      feature_size: 1,
      sampling_rate: 16_000,
      do_normalize: false,
    }),
    "onnx/model.onnx": graph.build().bytes,
  };
}
