import type { OutputsOf } from "framebatch";
import { imageToTensor, softmax, topK, type RankedScore } from "framebatch/handlers";
import { serve } from "framebatch/worker";

interface Digits {
  inputs: { image: Float32Array };
  outputs: { logits: Float32Array };
}

serve<Blob, RankedScore>({
  async preprocess(photo) {
    const bitmap = await createImageBitmap(photo); // decoded here, not on the page
    const tensor = imageToTensor(bitmap, { width: 28, height: 28, fit: "cover", channels: "GRAY", mean: 1, std: -1 });
    bitmap.close();
    return tensor;
  },
  postprocess: ({ logits }: OutputsOf<Digits>) => topK(softmax(logits), 1)[0],
});
