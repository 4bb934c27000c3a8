/**
 * Returns the base for relative addresses: the page's base URL, or in a worker the address of its script. If the
 * worker's script is a blob, the base is its origin.
 */
export function baseUrl(): string {
  if (typeof document !== "undefined") return document.baseURI;
  return location.protocol === "blob:" ? `${location.origin}/` : location.href;
}

/** Returns false where there is nothing to which an address can be relative, as on a server. */
export function hasBaseUrl(): boolean {
  return typeof document !== "undefined" || typeof location !== "undefined";
}

/**
 * Returns the address of the running classic script. Browsers report it only on a page and only during the script's
 * first run; otherwise returns `baseUrl()`.
 */
export function currentScriptUrl(): string {
  const script = typeof document === "undefined" ? null : document.currentScript;
  return script !== null && "src" in script && script.src !== "" ? script.src : baseUrl();
}
