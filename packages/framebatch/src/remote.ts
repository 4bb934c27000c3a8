/**
 * The entry for pages whose models all run on servers: `createRemoteModel` of `framebatch`, without the code that runs
 * models on the device. Importing it touches no global, so a server may import it too.
 * @module framebatch/remote
 */
export { createRemoteModel } from "./client/api/packaged-remote.js";
export { FramebatchError } from "@framebatch/batcher/errors/errors.js";
export { toPrometheusText } from "@framebatch/batcher/stats/prometheus-text.js";
export type { ErrorCode } from "@framebatch/batcher/errors/error-codes.js";
export type { ErrorDetails } from "@framebatch/batcher/errors/errors.js";
export type { BatchingOptions, ModelPredictOptions } from "@framebatch/batcher/options/options.js";
export type { CompletedBatch, Priority } from "@framebatch/batcher/queue/request.js";
export type { PrometheusOptions } from "@framebatch/batcher/stats/prometheus-text.js";
export type {
  DetailedResult,
  Item,
  ModelEvents,
  Outputs,
  RemoteModel,
  RemoteModelStats,
  InputTensor,
  ItemOf,
  ModelTypes,
  NamedArrays,
  OutputsOf,
} from "./client/options/model.js";
export type { PaddingOptions } from "./client/options/options.js";
export type { RemoteModelOptions } from "./servers/page/remote-model-options.js";
export type { RemoteOptions } from "@framebatch/remote/server/remote-options.js";
export type { Tensor, TensorData, TensorInfo, TensorLike, TensorType } from "@framebatch/rows/tensor/tensor.js";
