import { joinedBytes } from "@framebatch/rows/tensor/joined-bytes.js";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** One field of a protobuf message. Both arrays are views of the message. */
export interface Field {
  readonly number: number;
  readonly wireType: WireType;
  /** The encoded value; for text, bytes and messages, without the length prefix. */
  readonly value: Uint8Array;
  /** The whole field, with its tag. */
  readonly whole: Uint8Array;
}

/** Returns the fields of a message, one level deep, in order. @throws when the bytes are not a message */
export function fieldsOf(message: Uint8Array): Field[] {
  const reader = new BinaryReader(message);
  const fields: Field[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [number, wireType] = reader.tag();
    const value = wireType === WireType.LengthDelimited ? reader.bytes() : reader.skip(wireType, number);
    fields.push({ number, wireType, value, whole: message.subarray(start, reader.pos) });
  }
  return fields;
}

/**
 * Yields those of the length-delimited fields that are wanted, and skips the others. Ends at a field whose number is in
 * `ends`: a list may have millions of elements, a field for each.
 */
export function* fieldsAmong(
  message: Uint8Array,
  wanted: readonly number[],
  ends: readonly number[] = [],
): Generator<Pick<Field, "number" | "value">> {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (ends.includes(number)) return;
    if (wireType === WireType.LengthDelimited && wanted.includes(number)) yield { number, value: reader.bytes() };
    else reader.skip(wireType, number);
  }
}

/** Changes each field of this number, or removes it if `change` returns `null`. Keeps all other bytes as they are. */
export function withFields(
  message: Uint8Array,
  number: number,
  change: (value: Uint8Array, index: number) => Uint8Array | null,
): Uint8Array {
  let index = 0;
  const parts = fieldsOf(message).flatMap((field) => {
    if (field.number !== number) return [field.whole];
    const changed = change(field.value, index++);
    return changed === null ? [] : delimited(number, [changed]);
  });
  return joinedBytes(parts);
}

/** Returns a length-delimited field whose value is `parts`. Does not copy the parts. */
export function delimited(number: number, parts: readonly Uint8Array[]): Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
  return [new BinaryWriter().tag(number, WireType.LengthDelimited).uint32(length).finish(), ...parts];
}

export function decodedText(value: Uint8Array): string {
  return new TextDecoder().decode(value);
}

/** Returns the integers of a repeated field, packed or not. Integers beyond 2^53 are rounded. */
export function integersOf({ wireType, value }: Field): number[] {
  const reader = new BinaryReader(value);
  if (wireType === WireType.Varint) return [Number(reader.int64())];
  const integers: number[] = [];
  while (reader.pos < reader.len) integers.push(Number(reader.int64()));
  return integers;
}
