import * as ort from "onnxruntime-web/wasm";
import { generateModel } from "@framebatch/models/generate";

/** What a stream gives if nothing else runs. */
export interface StreamAlone {
  /** Runs the next step. Returns `y`. */
  step(x: Float32Array): Promise<Float32Array>;
  /** Puts the state back to zeros. */
  reset(): void;
  readonly state: Float32Array;
}

/**
 * Opens a session of ONNX Runtime for streams that run one by one, each with a state of its own.
 * @param dims of the state of one row, with its batch axis
 */
export async function streamsAlone(
  name: string,
  dims: readonly number[],
): Promise<{ stream(): StreamAlone; release(): Promise<void> }> {
  const session = await ort.InferenceSession.create(generateModel(name).bytes);
  const stream = (): StreamAlone => {
    const length = dims.reduce((product, size) => product * size, 1);
    let state: Float32Array = new Float32Array(length);
    return {
      get state() {
        return state;
      },
      reset: () => (state = new Float32Array(length)),
      async step(x) {
        const feeds = { x: new ort.Tensor("float32", x, [1, x.length]), state: new ort.Tensor("float32", state, dims) };
        const { y, stateN } = await session.run(feeds);
        state = numbersOf(stateN);
        return numbersOf(y);
      },
    };
  };
  return { stream, release: () => session.release() };
}

function numbersOf(tensor: ort.Tensor | undefined): Float32Array {
  if (!(tensor?.data instanceof Float32Array)) throw new TypeError("expected a tensor of float32, got another");
  return tensor.data;
}
