/** Writes small ONNX files: the part of the format that the simulated models need. Field numbers are those of onnx.proto. */

type Field = readonly [number, number | string | Uint8Array];

export interface ValueInfo {
  readonly name: string;
  /** A number, or the name of a dynamic dimension. */
  readonly dims: readonly (number | string)[];
  /** @default "float32" */
  readonly type?: "int64";
}

export interface Graph {
  readonly name: string;
  readonly nodes: readonly { readonly type: string; readonly inputs: readonly string[]; readonly output: string }[];
  readonly constants: Readonly<Record<string, number>>;
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
}

const FLOAT = 1;
const INT64 = 7;

export function encodeOnnx({ name, nodes, constants, inputs, outputs }: Graph): Uint8Array {
  const graph = message([
    ...nodes.map(({ type, inputs: from, output }): Field => [
      1,
      message([...from.map((input): Field => [1, input]), [2, output], [4, type]]),
    ]),
    [2, name],
    ...Object.entries(constants).map(([constant, value]): Field => [
      5,
      message([
        [2, FLOAT],
        [8, constant],
        [9, new Uint8Array(Float32Array.of(value).buffer)],
      ]),
    ]),
    ...inputs.map((value): Field => [11, valueInfo(value)]),
    ...outputs.map((value): Field => [12, valueInfo(value)]),
  ]);
  return message([
    [1, 8],
    [7, graph],
    [8, message([[2, 17]])],
  ]);
}

/** Returns a file with a text of so many bytes, which says nothing. */
export function withNote(file: Uint8Array, bytes: number): Uint8Array {
  return Uint8Array.from(
    Buffer.concat([file, Uint8Array.of((6 << 3) | 2), Uint8Array.from(varint(bytes)), Buffer.alloc(bytes, " ")]),
  );
}

function valueInfo({ name, dims, type }: ValueInfo): Uint8Array {
  const shape = message(dims.map((dim): Field => [1, message([typeof dim === "number" ? [1, dim] : [2, dim]])]));
  const tensor = message([
    [1, type === undefined ? FLOAT : INT64],
    [2, shape],
  ]);
  return message([
    [1, name],
    [2, message([[1, tensor]])],
  ]);
}

function message(fields: readonly Field[]): Uint8Array {
  const bytes: number[] = [];
  for (const [id, value] of fields) {
    if (typeof value === "number") {
      bytes.push(...varint(id << 3), ...varint(value));
      continue;
    }
    const content = typeof value === "string" ? new TextEncoder().encode(value) : value;
    bytes.push(...varint((id << 3) | 2), ...varint(content.byteLength), ...content);
  }
  return Uint8Array.from(bytes);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}
