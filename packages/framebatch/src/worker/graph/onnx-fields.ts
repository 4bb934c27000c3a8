import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** One field of a protobuf message. Both arrays are views of the message. */
export interface Field {
  readonly number: number;
  readonly wireType: WireType;
  /** The value as it lies there; of text, bytes and messages without their length. */
  readonly value: Uint8Array;
  /** The same with its tag. */
  readonly whole: Uint8Array;
}

/** The fields of a message, one level deep, in their order. @throws where the bytes are no message. */
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

/** The message with each field of this number changed: none, where `change` gives `null`. All else stays, to the byte. */
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
  return joined(parts);
}

/** A field of text, bytes or a message that consists of `parts`, none of which is copied. */
export function delimited(number: number, parts: readonly Uint8Array[]): Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
  return [new BinaryWriter().tag(number, WireType.LengthDelimited).uint32(length).finish(), ...parts];
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}

export function textOf(value: Uint8Array): string {
  return new TextDecoder().decode(value);
}

/** Whole numbers of a repeated field, packed or not. Those beyond 2^53 are rounded. */
export function integersOf({ wireType, value }: Field): number[] {
  const reader = new BinaryReader(value);
  if (wireType === WireType.Varint) return [Number(reader.int64())];
  const integers: number[] = [];
  while (reader.pos < reader.len) integers.push(Number(reader.int64()));
  return integers;
}
