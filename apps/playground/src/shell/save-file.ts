/** Saves data as a file of the visitor. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download keeps the blob alive, so the URL can be revoked.
  setTimeout(() => URL.revokeObjectURL(url));
}

export function toJson(content: object): Blob {
  return new Blob([JSON.stringify(content, null, 2)], { type: "application/json" });
}
