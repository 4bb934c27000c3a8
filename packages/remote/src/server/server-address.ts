import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { shownAddress } from "@framebatch/batcher/errors/description.js";
import { absoluteUrl } from "@framebatch/batcher/options/option-checks.js";
import { ownOrigin } from "@framebatch/host/page.js";

/** The addresses of one model on a server, as the Open Inference Protocol v2 names them. */
export interface ServerAddress {
  /** Describes the server: its name and its extensions. */
  readonly server: string;
  /** Answers as long as the server runs, whatever its models do. */
  readonly live: string;
  /** Describes the model. */
  readonly model: string;
  /** Answers with success if the model can predict. */
  readonly ready: string;
  readonly infer: string;
}

/**
 * Returns the addresses of a model.
 * @param url address of the server, without `/v2`, resolved against the page
 * @throws INVALID_OPTION when the address cannot be used; REMOTE_BLOCKED for `http:` on a secure page
 */
export function serverAddress(url: string | URL, model: string, version: string | undefined): ServerAddress {
  const base = usable(parsed(url));
  const within = (path: string) => {
    const address = new URL(base);
    address.pathname = `${base.pathname.replace(/\/$/, "")}/v2${path}`;
    return address.href;
  };
  const versionPath = version === undefined ? "" : `/versions/${encodeURIComponent(version)}`;
  const modelPath = `/models/${encodeURIComponent(model)}${versionPath}`;
  return {
    server: within(""),
    live: within("/health/live"),
    model: within(modelPath),
    ready: within(`${modelPath}/ready`),
    infer: within(`${modelPath}/infer`),
  };
}

/** Resolves an address. An absolute one needs no page. */
function parsed(url: string | URL): URL {
  try {
    return new URL(url);
  } catch {
    return new URL(absoluteUrl(url, "url"));
  }
}

function usable(url: URL): URL {
  if (!/^https?:$/.test(url.protocol)) {
    throw wrongUrl(`an address with https: or http:, got one with ${url.protocol}; give the address of the server`);
  }
  if (url.username !== "" || url.password !== "") {
    throw wrongUrl("an address without a user name and password, got one with them; pass an Authorization header");
  }
  if (url.protocol === "http:" && ownOrigin()?.startsWith("https:") === true && !isLoopback(url)) {
    throw new FramebatchError(
      "REMOTE_BLOCKED",
      `expected a server with https:, since the page is secure, got ${url.origin}; browsers block it as mixed content: serve it with TLS`,
      { details: { url: shownAddress(url.href) } },
    );
  }
  url.hash = "";
  return url;
}

function wrongUrl(sentence: string): FramebatchError {
  return new FramebatchError("INVALID_OPTION", `url: expected ${sentence}`, { details: { option: "url" } });
}

/** Returns true for addresses of this machine, which a secure page may use without TLS. */
function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
