import { realmNow } from "../kernel/stage.js";

type Part = SimBlob | ArrayBufferLike | ArrayBufferView | string;

/** A file of the user. Browsers refuse to read one that has changed since the user picked it, in whole or in part. */
export interface PickedFile {
  isChanged: boolean;
}

/** A `Blob` whose reads are replies of the world. Several Blobs share their bytes. */
export class SimBlob {
  readonly [Symbol.toStringTag] = "Blob";
  readonly size: number;
  readonly type: string;
  readonly #bytes: Uint8Array;
  readonly #file: PickedFile | null;

  /** @param file what it is or is a part of; `null` if it is in memory */
  constructor(parts: readonly Part[] = [], { type = "" }: { type?: string } = {}, file: PickedFile | null = null) {
    this.#file = file;
    this.#bytes = joined(parts);
    this.size = this.#bytes.byteLength;
    this.type = type;
  }

  get bytesNow(): Uint8Array {
    return this.#bytes;
  }

  slice(start = 0, end = this.size): SimBlob {
    return new SimBlob([this.#bytes.subarray(start, end)], {}, this.#file);
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#read(() => new Uint8Array(this.#bytes).buffer);
  }

  text(): Promise<string> {
    return this.#read(() => new TextDecoder().decode(this.#bytes));
  }

  stream(): ReadableStream<Uint8Array> {
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      controller.enqueue(new Uint8Array(await this.arrayBuffer()));
      controller.close();
    };
    return new ReadableStream({ pull }, { highWaterMark: 0 });
  }

  #read<T>(make: () => T): Promise<T> {
    const realm = realmNow();
    const { world } = realm;
    return new Promise((resolve, reject) => {
      const end = () => (this.#file?.isChanged === true ? reject(unreadable()) : resolve(make()));
      void world.reply(realm, world.latency(0.1), "blob", end);
    });
  }
}

function unreadable(): DOMException {
  return new DOMException("The file has changed.", "NotReadableError");
}

function joined(parts: readonly Part[]): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only instanceof SimBlob) return only.bytesNow;
  const pieces = parts.map(bytesOf);
  const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.byteLength;
  }
  return whole;
}

function bytesOf(part: Part): Uint8Array {
  if (part instanceof SimBlob) return part.bytesNow;
  if (typeof part === "string") return new TextEncoder().encode(part);
  return ArrayBuffer.isView(part)
    ? new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
    : new Uint8Array(part);
}
