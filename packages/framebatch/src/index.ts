export { batched } from "./client/batched.js";
export { clearModelCache, listCachedModels } from "./client/cached-model.js";
export { createBatchedModel } from "./client/packaged.js";
export { FramebatchError } from "./core/errors.js";
export { toPrometheusText } from "./core/prometheus-text.js";
export type { BatchedFunction } from "./client/batched-function.js";
export type { BatchedDecorator } from "./client/batched-method.js";
export type { CachedModel } from "./client/cached-model.js";
export type { RunBatch } from "./client/function-engine.js";
export type { TrustedAddress } from "./client/host.js";
export type { ModelSource } from "./client/model-source.js";
export type {
  BatchedModel,
  DetailedResult,
  Item,
  ModelEvents,
  ModelState,
  ModelStats,
  Outputs,
  ProviderTrial,
} from "./client/model.js";
export type {
  BatchedOptions,
  BatcherOptions,
  BatchingOptions,
  ExecutionProvider,
  ExternalDataFile,
  InputRange,
  LoadProgress,
  ModelOptions,
  ModelPredictOptions,
  PaddingOptions,
  PredictOptions,
  ReleaseMode,
} from "./client/options.js";

export type { ItemShape, ReleaseReason } from "./core/engine.js";
export type { ErrorCode, ErrorDetails } from "./core/errors.js";
export type { Priority } from "./core/priority.js";
export type { PrometheusOptions } from "./core/prometheus-text.js";
export type { BatchCheck } from "./core/protocol.js";
export type { CompletedBatch } from "./core/request.js";
export type { BatcherStats, CostPoint, Distribution } from "./core/statistics-snapshot.js";
export type { Tensor, TensorData, TensorElements, TensorInfo, TensorLike, TensorType } from "./core/tensor.js";
