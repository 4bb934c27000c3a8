import { integerAttribute, type OnnxNode, readOnnx } from "./onnx-graph.js";

/** What the reader knows of an operator. `docs/checking-batches.md` describes each class. */
export type OperatorClass = keyof typeof OPERATORS;

/**
 * The operators of ai.onnx, ai.onnx.ml and com.microsoft, by class. One that is in no class proves nothing: what it
 * returns is unknown.
 */
export const OPERATORS = {
  /** Works on single elements, with broadcasting. */
  elementwise: words(`Abs Acos Acosh Add And Asin Asinh Atan Atanh BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr
    BitwiseXor Cast CastLike Ceil Celu Clip Cos Cosh DequantizeLinear Div Dropout Elu Equal Erf Exp Floor Gelu Greater
    GreaterOrEqual HardSigmoid HardSwish Identity IsInf IsNaN LeakyRelu Less LessOrEqual Log Max Mean Min Mish Mod Mul
    Neg Not Or PRelu Pow QuantizeLinear Reciprocal RegexFullMatch Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus
    Softsign Sqrt StringConcat Sub Sum Swish Tan Tanh ThresholdedRelu Where Xor com.microsoft.BiasAdd
    com.microsoft.BiasDropout com.microsoft.BiasGelu com.microsoft.DequantizeLinear com.microsoft.FastGelu
    com.microsoft.Gelu com.microsoft.MulInteger com.microsoft.QLinearAdd com.microsoft.QLinearLeakyRelu
    com.microsoft.QLinearMul com.microsoft.QLinearSigmoid com.microsoft.QLinearWhere com.microsoft.QuantizeLinear
    com.microsoft.QuickGelu`),
  /** Works on each item of the first axis alone. */
  items: words(`AffineGrid Attention Col2Im DeformConv DepthToSpace Det GridSample GroupNormalization
    RotaryEmbedding STFT SpaceToDepth TensorScatter TfIdfVectorizer ai.onnx.ml.ArrayFeatureExtractor
    ai.onnx.ml.Binarizer ai.onnx.ml.CategoryMapper ai.onnx.ml.FeatureVectorizer ai.onnx.ml.Imputer
    ai.onnx.ml.LabelEncoder ai.onnx.ml.LinearClassifier ai.onnx.ml.LinearRegressor ai.onnx.ml.Normalizer
    ai.onnx.ml.OneHotEncoder ai.onnx.ml.SVMClassifier ai.onnx.ml.SVMRegressor ai.onnx.ml.Scaler
    ai.onnx.ml.TreeEnsemble ai.onnx.ml.TreeEnsembleClassifier ai.onnx.ml.TreeEnsembleRegressor com.microsoft.Attention
    com.microsoft.BiasSplitGelu com.microsoft.DecoderMaskedMultiHeadAttention
    com.microsoft.DecoderMaskedSelfAttention com.microsoft.EmbedLayerNormalization com.microsoft.GridSample
    com.microsoft.GroupNorm com.microsoft.GroupQueryAttention com.microsoft.Inverse com.microsoft.LongformerAttention
    com.microsoft.MultiHeadAttention com.microsoft.NhwcConv com.microsoft.NhwcFusedConv com.microsoft.NhwcMaxPool
    com.microsoft.QAttention com.microsoft.RotaryEmbedding com.microsoft.SkipGroupNorm
    com.microsoft.SkipLayerNormalization com.microsoft.SkipSimplifiedLayerNormalization`),
  /** Works on [items, channels, ...], each item alone. */
  pictures: words(`AveragePool BatchNormalization Conv ConvInteger ConvTranspose GlobalAveragePool GlobalLpPool
    GlobalMaxPool InstanceNormalization LRN LpPool MaxPool QLinearConv Resize Upsample com.microsoft.FusedConv
    com.microsoft.MaxpoolWithMask com.microsoft.QLinearAveragePool com.microsoft.QLinearConv
    com.microsoft.QLinearGlobalAveragePool`),
  /** Works along one axis. */
  along: words(`ArgMax ArgMin CumProd CumSum DFT Hardmax LogSoftmax LpNormalization ReverseSequence Softmax TopK
    com.microsoft.BiasSoftmax com.microsoft.QLinearSoftmax`),
  /** Normalizes over an axis and all later ones, or over the axes that it names. */
  normalizing: words(`LayerNormalization MeanVarianceNormalization RMSNormalization SimplifiedLayerNormalization
    com.microsoft.QOrderedLayerNormalization`),
  reducing: words(`ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum
    ReduceSumSquare com.microsoft.QLinearReduceMean com.microsoft.ReduceSumInteger`),
  /** Works on all elements of a value together. */
  whole: words(`DynamicQuantizeLinear com.microsoft.DynamicQuantizeMatMul com.microsoft.IsAllFinite`),
  /** Sums over the axis that its operands share. */
  products: words(`Einsum Gemm MatMul MatMulInteger QLinearMatMul com.microsoft.FusedGemm com.microsoft.FusedMatMul
    com.microsoft.FusedMatMulActivation com.microsoft.GemmFastGelu com.microsoft.MatMulBnb4 com.microsoft.MatMulFpQ4
    com.microsoft.MatMulInteger16 com.microsoft.MatMulIntegerToFloat com.microsoft.MatMulNBits com.microsoft.QGemm
    com.microsoft.TransposeMatMul`),
  recurrent: words(`GRU LSTM RNN`),
  /** Moves elements and keeps all of them. */
  layout: words(`Concat Expand Flatten Pad Reshape Split Squeeze Tile Transpose Unsqueeze com.microsoft.Pad`),
  /** Chooses elements by position. */
  selecting: words(`Gather GatherElements GatherND OneHot Scatter ScatterElements ScatterND Slice com.microsoft.GatherND
    com.microsoft.TorchEmbedding`),
  /** Depends on the size of its input, not on its contents. */
  sizes: words(`EyeLike Shape Size`),
  /** Returns as many elements as its items together decide. */
  counting: words(`Compress NonMaxSuppression NonZero StringSplit Unique com.microsoft.Tokenizer com.microsoft.Unique`),
  /** Makes a value of a size that its inputs give. */
  making: words(`BlackmanWindow ConstantOfShape HammingWindow HannWindow MelWeightMatrix Range com.microsoft.Range
    com.microsoft.RelativePositionBias`),
  /** Contains graphs. */
  branching: words(`If Loop Scan`),
  /** Known, but what it returns is not followed: it is random, or it is no tensor. */
  opaque:
    words(`Bernoulli CausalConvWithState CenterCropPad ConcatFromSequence Constant ImageDecoder LinearAttention MaxRoiPool MaxUnpool
    Multinomial NegativeLogLikelihoodLoss Optional OptionalGetElement OptionalHasElement
    RandomNormal RandomNormalLike RandomUniform RandomUniformLike RoiAlign SequenceAt SequenceConstruct SequenceEmpty
    SequenceErase SequenceInsert SequenceLength SequenceMap SoftmaxCrossEntropyLoss SplitToSequence StringNormalizer
    SwiGLU Trilu ai.onnx.ml.CastMap ai.onnx.ml.DictVectorizer ai.onnx.ml.ZipMap
    ai.onnx.preview.training.Adagrad ai.onnx.preview.training.Adam ai.onnx.preview.training.Gradient
    ai.onnx.preview.training.Momentum com.microsoft.AttnLSTM
    com.microsoft.BeamSearch com.microsoft.BifurcationDetector com.microsoft.BitmaskBiasDropout
    com.microsoft.BitmaskDropout com.microsoft.CDist com.microsoft.CausalConvWithState com.microsoft.ComplexMul
    com.microsoft.ComplexMulConj com.microsoft.ConvTransposeWithDynamicPads com.microsoft.CropAndResize
    com.microsoft.DecoderAttention com.microsoft.DequantizeBFP com.microsoft.DequantizeWithOrder
    com.microsoft.DynamicQuantizeLSTM com.microsoft.DynamicTimeWarping com.microsoft.EPContext com.microsoft.EngramGate
    com.microsoft.ExpandDims com.microsoft.GatedAdd com.microsoft.GatedDeltaNet com.microsoft.GatedRMSNorm
    com.microsoft.GatedRelativePositionBias com.microsoft.GatherBlockQuantized com.microsoft.GemmFloat8
    com.microsoft.GemmaRotaryEmbedding com.microsoft.GreedySearch com.microsoft.Irfft com.microsoft.LinearAttention
    com.microsoft.LinearAttentionGate com.microsoft.MRotaryEmbedding com.microsoft.MatMulBlockQuantizedFp4Weight
    com.microsoft.MatMulBlockQuantizedFp8Weight com.microsoft.MatMulNBitsMlp com.microsoft.MatMulNBitsQkv
    com.microsoft.MoE com.microsoft.MurmurHash3 com.microsoft.NGramHashMapping com.microsoft.NGramRepeatBlock
    com.microsoft.PackedAttention com.microsoft.PackedMultiHeadAttention com.microsoft.PagedAttention
    com.microsoft.QEmbedLayerNormalization com.microsoft.QLinearConcat com.microsoft.QMoE
    com.microsoft.QOrderedAttention com.microsoft.QOrderedGelu com.microsoft.QOrderedLongformerAttention
    com.microsoft.QOrderedMatMul com.microsoft.QuantizeBFP com.microsoft.QuantizeWithOrder com.microsoft.RemovePadding
    com.microsoft.RestorePadding com.microsoft.Rfft com.microsoft.SampleOp com.microsoft.Sampling com.microsoft.Snpe com.microsoft.SparseAttention
    com.microsoft.SparseToDenseMatMul com.microsoft.Trilu com.microsoft.UnfoldTensor
    com.microsoft.VarlenCausalConvWithState com.microsoft.VarlenNGramHashMapping
    com.microsoft.WhisperBeamSearch com.microsoft.WordConvEmbedding`),
} as const;

const CLASSES: ReadonlyMap<string, OperatorClass> = new Map(
  entriesOf(OPERATORS).flatMap(([name, operators]) => operators.map((op): [string, OperatorClass] => [op, name])),
);

/** Returns the class of an operator; `null` if it is unknown. */
export function classOf(op: string): OperatorClass | null {
  return CLASSES.get(op) ?? null;
}

/** Inputs that give the size of the output, by operator. */
const SIZING_INPUTS: Readonly<Record<string, readonly number[]>> = {
  AffineGrid: [1],
  CenterCropPad: [1],
  Col2Im: [1],
  Compress: [1],
  DFT: [1],
  Expand: [1],
  MaxUnpool: [2],
  OneHot: [1],
  Pad: [1],
  Reshape: [1],
  Resize: [1, 2, 3],
  STFT: [1, 3],
  Slice: [1, 2, 3, 4],
  Split: [1],
  SplitToSequence: [1],
  Tile: [1],
  TopK: [1],
  Upsample: [1],
  "com.microsoft.ConvTransposeWithDynamicPads": [2],
  "com.microsoft.CropAndResize": [3],
  "com.microsoft.Pad": [1],
};
/** Returns true if the size of the output depends on what the input at `place` holds. */
export function isSizedBy(op: string, place: number): boolean {
  const sizing = SIZING_INPUTS[op];
  if (sizing !== undefined) return sizing.includes(place);
  const kind = classOf(op);
  return kind === "making" || kind === "counting" || op === "com.microsoft.RemovePadding";
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

function entriesOf<Key extends string, Value>(record: Readonly<Record<Key, Value>>): [Key, Value][] {
  const keys = Object.keys(record).filter((key): key is Key => key in record);
  return keys.map((key) => [key, record[key]]);
}

/** Operators that compute with integers in place of floating-point numbers. */
const QUANTIZED = /Quantize|QLinear|Integer|NBits|Bnb4/;
/** ONNX's number of the type float16. */
const FLOAT16 = 10;

/**
 * Returns whether the model rounds its numbers to half precision or to integers on the way, whatever the type of its
 * outputs. Kernels round such numbers at other places, so that right answers differ by percents.
 */
export function roundsCoarsely(model: Uint8Array): boolean {
  try {
    return readOnnx(model).nodes.some((node) => QUANTIZED.test(node.op) || isCastToHalf(node));
  } catch {
    // ONNX Runtime also has a format of its own.
    return false;
  }
}

function isCastToHalf(node: OnnxNode): boolean {
  return node.op === "Cast" && (integerAttribute(node, "to") ?? []).includes(FLOAT16);
}
