import type { OutputsOf } from "framebatch";
import { serve, slide } from "framebatch/worker";

type Out<Name extends string> = OutputsOf<{ inputs: object; outputs: Record<Name, Float32Array> }>;

// 80 ms of sound -> 8 frames of 32 bands. A window begins 15 ms before.
serve.model("mel", {
  begin: () => ({ samples: new Float32Array(240 + 1280) }),
  preprocess: (heard: Float32Array, { sequence }) => ({ samples: slide(sequence.samples, heard) }),
  postprocess: ({ mel }: Out<"mel">) => mel.data,
});

// 8 new frames -> an embedding of the last 76, with the 15 embeddings before it
serve.model("embedding", {
  begin: () => ({ frames: new Float32Array(76 * 32), embeddings: new Float32Array(16 * 96) }),
  preprocess: (frames: Float32Array, { sequence }) => ({ mel: slide(sequence.frames, frames) }),
  postprocess: ({ embedding }: Out<"embedding">, _, { sequence }) => slide(sequence.embeddings, embedding.data),
});

// 32 ms of sound -> whether somebody speaks. The model has a state of its own beside the last 4 ms.
serve.model("voice", {
  begin: () => ({ samples: new Float32Array(64 + 512) }),
  preprocess: (heard: Float32Array, { sequence }) => ({
    input: { data: slide(sequence.samples, heard), dims: [576] },
    sr: BigInt64Array.of(16_000n),
  }),
  postprocess: ({ output }: Out<"output">) => [...output.data],
});
