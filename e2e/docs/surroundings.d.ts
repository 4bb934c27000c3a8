// The names that the snippets of the documentation do not declare themselves.
type Surroundings = import("../fixtures/snippets.js").Surroundings;

declare const FramebatchError: Surroundings["FramebatchError"];
declare const askUser: Surroundings["askUser"];
declare const batched: Surroundings["batched"];
declare const controller: Surroundings["controller"];
declare const createBatchedModel: Surroundings["createBatchedModel"];
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
