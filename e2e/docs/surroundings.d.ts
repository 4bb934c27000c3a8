// The names that the snippets of the documentation do not declare themselves. First those of the guides.
type Surroundings = import("../fixtures/snippets.js").Surroundings;

declare const FramebatchError: Surroundings["FramebatchError"];
declare const askUser: Surroundings["askUser"];
declare const batched: Surroundings["batched"];
declare const controller: Surroundings["controller"];
declare const createBatchedModel: Surroundings["createBatchedModel"];
declare const createBatchedWorker: Surroundings["createBatchedWorker"];
declare const createPipeline: Surroundings["createPipeline"];
declare const crops: Surroundings["crops"];
declare const decode: Surroundings["decode"];
declare const extractor: Surroundings["extractor"];
declare const file: Surroundings["file"];
declare const image: Surroundings["image"];
declare const images: Surroundings["images"];
declare const item: Surroundings["item"];
declare const items: Surroundings["items"];
declare const model: Surroundings["model"];
declare const ocr: import("framebatch").Pipeline<ImageData, string>;
declare const pixels: Surroundings["pixels"];
declare const score: Surroundings["score"];
declare const show: Surroundings["show"];
declare const source: Surroundings["source"];
declare const toTensor: Surroundings["toTensor"];

// Those of the examples in docstrings, which do not run.
interface Box {
  readonly left: number;
}
type ImageTensorOptions = import("framebatch/handlers").ImageTensorOptions;
interface Label {
  readonly name: string;
}
declare const bitmap: ImageBitmap;
declare const boxes: import("framebatch").Pipeline<ImageBitmap, Box[]>;
declare const clearModelCache: Surroundings["clearModelCache"];
declare const createModelGroup: typeof import("framebatch").createModelGroup;
declare const group: import("framebatch").ModelGroup;
declare const audio: Float32Array;
declare const mel: import("framebatch").GroupedModel;
declare const embedding: import("framebatch").GroupedModel;
declare const words: import("framebatch").GroupedModel;
declare const speakers: import("framebatch").GroupedModel;
declare const cut: (box: Box) => ImageBitmap;
declare const detector: import("framebatch").BatchedModel<ImageBitmap, Box[]>;
declare const createRemoteModel: Surroundings["createRemoteModel"];
declare const token: string;
declare const createModelHub: Surroundings["createModelHub"];
declare const digest: string;
declare const embed: import("framebatch").BatchedFunction<string, Float32Array>;
declare const hub: ReturnType<Surroundings["createModelHub"]>;
declare const boxesToImage: typeof import("framebatch/handlers").boxesToImage;
declare const imageGeometry: typeof import("framebatch/handlers").imageGeometry;
declare const imageToTensor: typeof import("framebatch/handlers").imageToTensor;
declare const frame: Float32Array;
declare const input_ids: readonly number[];
declare const line: ImageBitmap;
declare const decoder: import("framebatch").GeneratingModel;
declare const encoder: import("framebatch").GroupedModel;
declare const lm: import("framebatch").GeneratingModel;
declare const mic: import("framebatch").Sequence;
declare const other: import("framebatch").Sequence;
declare const vad: import("framebatch").BatchedModel;
declare const listCachedModels: Surroundings["listCachedModels"];
declare const pipeline: typeof import("@huggingface/transformers").pipeline;
declare let pipe: import("@huggingface/transformers").FeatureExtractionPipeline;
declare const photos: readonly ImageBitmap[];
declare const outputs: import("framebatch").OutputsOf<import("../fixtures/snippets.js").Digits>;
declare const reader: import("framebatch").BatchedModel<ImageBitmap, string>;
declare const signal: AbortSignal;
declare const softmax: typeof import("framebatch/handlers").softmax;
declare const speech: Float32Array;
declare const startWorker: () => Worker;
declare const tagPhotos: (photos: readonly { readonly id: string }[]) => Promise<string[]>;
declare const toPrometheusText: Surroundings["toPrometheusText"];
declare const topK: typeof import("framebatch/handlers").topK;
declare const url: string;
