/** The files that ONNX Runtime reads now, and the stream of the part of each that it reads. */
const reading = new Map<Blob, ReadableStream | null>();

/**
 * Gives files to ONNX Runtime, which reads them part by part until `use` ends.
 *
 * Chromium frees the stream of a Blob although a read of it is pending, if only what waits for that read refers to the
 * stream. The read then never ends. ONNX Runtime refers to its stream from nowhere else, so without this reference, a
 * garbage collection at the wrong moment makes a load wait forever.
 */
export async function withHeldFiles<Result>(
  files: readonly Blob[],
  use: (held: readonly Blob[]) => Promise<Result>,
): Promise<Result> {
  const held = files.map((file) => new HeldFile([file]));
  for (const file of held) reading.set(file, null);
  try {
    return await use(held);
  } finally {
    for (const file of held) reading.delete(file);
  }
}

/** Refers to the stream that was opened last while it is in use: ONNX Runtime reads one part at a time. */
class HeldFile extends Blob {
  override slice(start?: number, end?: number, type?: string): Blob {
    const part = super.slice(start, end, type);
    const open = part.stream.bind(part);
    part.stream = () => {
      const stream = open();
      if (reading.has(this)) reading.set(this, stream);
      return stream;
    };
    return part;
  }
}
