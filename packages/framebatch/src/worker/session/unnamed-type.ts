import { asError, FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { shownCause } from "@framebatch/batcher/errors/description.js";
import { isTensorType } from "@framebatch/rows/tensor/element-types.js";
import type { TensorMetadata } from "@framebatch/rows/model/signature.js";
import { declaredTensors } from "../graph/declared-tensors.js";

/** The words of onnxruntime-web for an input or output of a type that it has no name for. */
const UNNAMED_TYPE = /unsupported data type: \d+/;

/**
 * Returns the error for an input or output of a type such as bfloat16, which keeps onnxruntime-web from telling of any other;
 * `null` for another error.
 *
 * @param thrown what the creation of a session threw
 * @param model the bytes of the file
 */
export function unnamedType(thrown: unknown, model: Uint8Array): FramebatchError | null {
  const { message } = asError(thrown);
  if (!UNNAMED_TYPE.test(message)) return null;
  return new FramebatchError(
    "MODEL_INVALID",
    `expected inputs and outputs of types that JavaScript has an array for, got ${unnamedIn(model).join(", ") || message}; export them as float32 or float16`,
    { cause: shownCause(thrown) },
  );
}

/** Returns such inputs and outputs, for people; none of a file in ONNX Runtime's own format. */
function unnamedIn(model: Uint8Array): string[] {
  try {
    const { inputs, outputs } = declaredTensors(model);
    return [...described("input", inputs), ...described("output", outputs)];
  } catch {
    return [];
  }
}

function described(kind: string, tensors: readonly TensorMetadata[]): string[] {
  return tensors.flatMap(({ name, type }) =>
    type === undefined || isTensorType(type) ? [] : [`${type} for the ${kind} "${name}"`],
  );
}
