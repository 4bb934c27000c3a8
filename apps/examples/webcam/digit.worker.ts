// Next to the model: a picture of the camera becomes 28 by 28 numbers, and the scores become a digit.
import type { OutputsOf } from "framebatch";
import { imageToTensor, softmax, topK, type RankedScore } from "framebatch/handlers";
import { serve } from "framebatch/worker";

interface Digits {
  inputs: { image: Float32Array };
  outputs: { logits: Float32Array };
}

serve<ImageBitmap, RankedScore>({
  preprocess: (picture) =>
    imageToTensor(picture, {
      width: 28,
      height: 28,
      fit: "cover",
      channels: "GRAY",
      mean: 1, // 1 - value: the model takes 1 for ink and 0 for paper
      std: -1,
    }),
  postprocess: ({ logits }: OutputsOf<Digits>) => topK(softmax(logits), 1)[0],
});
