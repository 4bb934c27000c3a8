import { batched, FramebatchError } from "framebatch/batched";
import { expect, test } from "vitest";
import { sortPhotos, type Labeler } from "./sort-photos.js";

/** Answers as a model does, in batches, without a model, a worker or a browser. */
function labelerFrom(label: (photo: Blob) => string): Labeler & { batchSizes: number[] } {
  const batchSizes: number[] = [];
  const predict = batched((photos: readonly Blob[]) => {
    batchSizes.push(photos.length);
    return photos.map((photo) => attempt(() => label(photo)));
  });
  return { predict, batchSizes };
}

/** An `Error` in the list of results rejects its own item only. */
function attempt(action: () => string): string | Error {
  try {
    return action();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const cat = new Blob(["meow"]);
const dog = new Blob(["woof!"]);
const broken = new Blob([]);

test("photos with the same label are one group", async () => {
  const labeler = labelerFrom((photo) => (photo.size === 4 ? "cat" : "dog"));
  expect(await sortPhotos([cat, dog, cat], labeler)).toEqual(
    new Map([
      ["cat", [cat, cat]],
      ["dog", [dog]],
    ]),
  );
  expect(labeler.batchSizes).toEqual([3]); // asked together, not one after the other
});

test("a photo that cannot be read does not stop the others", async () => {
  const labeler = labelerFrom((photo) => {
    if (photo.size === 0) throw new FramebatchError("HANDLER_FAILED", "preprocess threw");
    return "cat";
  });
  expect(await sortPhotos([broken, cat], labeler)).toEqual(
    new Map([
      ["unreadable", [broken]],
      ["cat", [cat]],
    ]),
  );
});

test("a photo for which there is no room in the queue is not called unreadable", async () => {
  const labeler = labelerFrom(() => {
    throw new FramebatchError("OVERLOADED", "the queue is full");
  });
  await expect(sortPhotos([cat], labeler)).rejects.toMatchObject({ code: "OVERLOADED" });
});
