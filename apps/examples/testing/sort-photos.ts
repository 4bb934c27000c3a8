import { FramebatchError, type BatchedModel } from "framebatch";

/** The part of a model that this application uses. A test gives it another one. */
export type Labeler = Pick<BatchedModel<Blob, string>, "predict">;

/** Groups photos by their label. A photo that cannot be read is in the group "unreadable". */
export async function sortPhotos(photos: readonly Blob[], labeler: Labeler): Promise<Map<string, Blob[]>> {
  const labelled = await Promise.all(
    photos.map(async (photo) => ({ photo, label: await labeler.predict(photo).catch(unreadable) })),
  );
  const groups = new Map<string, Blob[]>();
  for (const { photo, label } of labelled) groups.set(label, [...(groups.get(label) ?? []), photo]);
  return groups;
}

/** Only what the photo itself causes. That there are too many photos, or no model any more, is no label. */
function unreadable(error: unknown): string {
  if (error instanceof FramebatchError && error.code === "HANDLER_FAILED") return "unreadable";
  throw error;
}
