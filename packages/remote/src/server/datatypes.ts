import type { TensorType } from "@framebatch/rows/tensor/tensor.js";

/** The protocol's name of each tensor type. */
export const DATATYPES: Readonly<Record<TensorType, string>> = {
  float16: "FP16",
  float32: "FP32",
  float64: "FP64",
  int8: "INT8",
  int16: "INT16",
  int32: "INT32",
  int64: "INT64",
  uint8: "UINT8",
  uint16: "UINT16",
  uint32: "UINT32",
  uint64: "UINT64",
  bool: "BOOL",
  string: "BYTES",
};

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(DATATYPES).map(([type, datatype]) => [datatype, type]),
);

/** Returns the tensor type of a datatype of the protocol, or the datatype itself if JavaScript has no array for it. */
export function typeOf(datatype: string): string {
  return TYPES.get(datatype) ?? datatype;
}
