/** Downloads an object as a JSON file. */
export function saveFile(name: string, content: object): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download keeps the blob alive, so the URL can be revoked.
  setTimeout(() => URL.revokeObjectURL(url));
}
