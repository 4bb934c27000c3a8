import type { BlobReader } from "./blob-reader.js";

/** Maximum length of a varint, in bytes. */
const VARINT_BYTES = 10;

const FIXED_BYTES: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

/** A field of a protocol buffer message. https://protobuf.dev/programming-guides/encoding */
export interface Field {
  readonly number: number;
  /** The value of a varint; otherwise 0. */
  readonly value: number;
  /** Where the content of a field with a length begins and ends; both are the same for other fields. */
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the fields of a message without their content, which may be large.
 * @throws Error when the bytes are no message
 */
export async function* fieldsIn(reader: BlobReader, start: number, end: number): AsyncGenerator<Field> {
  let at = start;
  while (at < end) {
    const tag = await readVarint(reader, at);
    const [number, wireType] = [Math.floor(tag.value / 8), tag.value % 8];
    const field = await readField(reader, number, wireType, tag.next);
    if (field.end > end) throw new Error("A field is longer than its message.");
    yield field;
    at = field.end;
  }
}

/** Reads a list of varints that stand one after the other. */
export async function readVarints(reader: BlobReader, start: number, end: number): Promise<number[]> {
  const values: number[] = [];
  for (let at = start; at < end;) {
    const { value, next } = await readVarint(reader, at);
    values.push(value);
    at = next;
  }
  return values;
}

async function readField(reader: BlobReader, number: number, wireType: number, at: number): Promise<Field> {
  if (wireType === 0) {
    const { value, next } = await readVarint(reader, at);
    return { number, value, start: next, end: next };
  }
  if (wireType === 2) {
    const { value, next } = await readVarint(reader, at);
    return { number, value: 0, start: next, end: next + value };
  }
  const length = FIXED_BYTES[wireType];
  if (length === undefined) throw new Error(`Unknown wire type ${wireType}.`);
  return { number, value: 0, start: at + length, end: at + length };
}

async function readVarint(reader: BlobReader, at: number): Promise<{ readonly value: number; readonly next: number }> {
  const bytes = await reader.bytes(at, VARINT_BYTES);
  let value = 0;
  for (const [index, byte] of bytes.entries()) {
    value += (byte % 128) * 128 ** index;
    if (byte < 128) return { value, next: at + index + 1 };
  }
  throw new Error("A number has no end.");
}
