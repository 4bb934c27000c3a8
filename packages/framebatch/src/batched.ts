/**
 * The entry for pages without a model on the device: all of `framebatch` but `createBatchedModel`, `createModelGroup`
 * and `createModelHub`, so that no bundler copies ONNX Runtime.
 * @module framebatch/batched
 */
export { batched } from "@framebatch/batcher/functions/batched.js";
export { clearModelCache, listCachedModels } from "./client/api/cached-model.js";
export { createRemoteModel } from "./client/api/packaged-remote.js";
export { createBatchedWorker } from "./client/api/packaged-worker.js";
export { createPipeline } from "@framebatch/pipelines/builder/create-pipeline.js";
export { FramebatchError } from "@framebatch/batcher/errors/errors.js";
export { toPrometheusText } from "@framebatch/batcher/stats/prometheus-text.js";
export type { BatchedFunction, RunBatch } from "@framebatch/batcher/functions/batched-function.js";
export type { BatchedDecorator } from "@framebatch/batcher/functions/batched.js";
export type { CachedModel } from "./client/api/cached-model.js";
export type { TrustedAddress } from "@framebatch/host/page.js";
export type { ProviderOptions, ProviderCheck } from "./transport/providers.js";
export type {
  GroupedModel,
  GroupHandlerModelOptions,
  ModelGroup,
  ModelGroupOptions,
  ModelGroupStats,
} from "./client/options/model-group.js";
export type { KeptItem } from "./kept/kept-item.js";
export type { ModelSource, SourceByProvider } from "./client/options/model-source.js";
export type {
  BatchedModel,
  DetailedResult,
  HybridModel,
  HybridModelStats,
  Item,
  ModelEvents,
  ProviderChange,
  ModelState,
  ModelStats,
  Outputs,
  PredictingModel,
  Predictor,
  ProviderTrial,
  RemoteMode,
  RemoteModel,
  RemoteModelStats,
  SharingStats,
  InputTensor,
  ItemOf,
  KeptOutputsOf,
  ModelTypes,
  NamedArrays,
  OutputsOf,
  UnknownModel,
} from "./client/options/model.js";
export type {
  ChoosingModelOptions,
  DecoderOptions,
  GeneratedText,
  GenerateOptions,
  GeneratingModel,
  GeneratingModelStats,
  GenerationStats,
  GroupChoosingModelOptions,
  SampleOptions,
  TextResult,
} from "./client/options/generation.js";
export type { Sequence, SequenceOptions, SequencePredictOptions, SequenceState } from "./sequences/sequence-options.js";
export type {
  AgreementOptions,
  ByProvider,
  ExecutionProvider,
  ExternalDataFile,
  HandlerModelOptions,
  InputRange,
  LoadProgress,
  ModelOptions,
  PaddingOptions,
  PaddingSide,
  KeepingPredictOptions,
} from "./client/options/options.js";
export type {
  BatchedOptions,
  BatcherOptions,
  BatchingOptions,
  ModelPredictOptions,
  PredictOptions,
  ReleaseMode,
} from "@framebatch/batcher/options/options.js";
export type {
  BatchedWorker,
  BatchedWorkerOptions,
  BatchedWorkerStats,
} from "./handlers/page/batched-worker-options.js";
export type { HybridModelOptions, RemoteSideOptions } from "./servers/page/hybrid-options.js";
export type { RemoteModelOptions } from "./servers/page/remote-model-options.js";
export type { RemoteOptions } from "@framebatch/remote/server/remote-options.js";
export type { HubHealth, HubModel, HubModelState, HubStats, ModelHub, ModelHubOptions } from "./hub/page/model-hub.js";
export type {
  ContextOptions,
  ItemOptions,
  LinkOptions,
  Pipeline,
  PipelineStage,
  ResultOptions,
  SplitPipeline,
  StageCallOptions,
  StageOptions,
  StepOptions,
} from "@framebatch/pipelines/builder/pipeline.js";
export type { ItemShape } from "@framebatch/batcher/queue/shape.js";
export type { ReleaseReason } from "@framebatch/batcher/decide/decide.js";
export type { ErrorCode } from "@framebatch/batcher/errors/error-codes.js";
export type { ErrorDetails } from "@framebatch/batcher/errors/errors.js";
export type { Priority, CompletedBatch, Origin } from "@framebatch/batcher/queue/request.js";
export type { PrometheusOptions } from "@framebatch/batcher/stats/prometheus-text.js";
export type { BatchCheck } from "./transport/protocol.js";
export type { PipelineStats, StepStats } from "@framebatch/pipelines/runs/pipeline-stats.js";
export type { BatcherStats, CostPoint, Distribution } from "@framebatch/batcher/stats/stats.js";
export type {
  DeviceTensor,
  Float16Data,
  Tensor,
  TensorData,
  TensorElements,
  TensorInfo,
  TensorLike,
  TensorType,
} from "@framebatch/rows/tensor/tensor.js";
