/** Saves an object as a JSON file of the visitor. */
export function saveJson(name: string, content: object): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: "application/json" }));
  saveUrl(name, url);
  // The download keeps the blob alive, so the URL can be revoked.
  setTimeout(() => URL.revokeObjectURL(url));
}

/** Saves the content of a URL as a file. Call it in the event of a click: browsers may block later downloads. */
export function saveUrl(name: string, url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}
