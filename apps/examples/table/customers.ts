/** The inputs and outputs of customers.onnx, as `npx framebatch types` has read them. */
export interface Customers {
  inputs: {
    /** string [?, 1]; axis 0 is the batch, so an item has dims [1] */
    plan: readonly string[];
    /** string [?, 1]; axis 0 is the batch, so an item has dims [1] */
    city: readonly string[];
    /** float32 [?, 1]; axis 0 is the batch, so an item has dims [1] */
    monthly: Float32Array;
    /** int64 [?, 1]; axis 0 is the batch, so an item has dims [1] */
    tickets: BigInt64Array;
  };
  outputs: {
    /** string [?]; axis 0 is the batch, so an item has dims [] */
    label: readonly string[];
    /** float32 [?, 2]; axis 0 is the batch, so an item has dims [2] */
    probabilities: Float32Array;
  };
}
