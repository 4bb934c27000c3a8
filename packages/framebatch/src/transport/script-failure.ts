/** Why a browser did not run a script, and the remedy. */
export interface ScriptFailure {
  readonly got: string;
  readonly fix: string;
}

/** The remedy for a script that a policy of the page forbids. */
export const ALLOW_IN_POLICY =
  "check that the page's Content-Security-Policy allows it (worker-src and script-src; Trusted Types want a TrustedScriptURL)";

const REVOKED: ScriptFailure = {
  got: "an address that was revoked",
  fix: "revoke it after the last model that uses it was disposed of: a lost worker is started from it again",
};

/**
 * Finds out why a browser did not run a script: browsers do not say. Fetches the script again.
 * @param fix the remedy if the script is not at its address
 */
export async function explainScript(script: string, fix: string): Promise<ScriptFailure> {
  const isForeign = new URL(script, location.href).origin !== self.origin;
  const response = await fetch(script).catch(() => null);
  if (response === null) {
    if (script.startsWith("file:")) return { got: "the address of a file", fix: "serve it over HTTP" };
    if (script.startsWith("blob:")) return REVOKED;
    return isForeign
      ? { got: "no permission to read it (CORS)", fix: "send it with Access-Control-Allow-Origin" }
      : { got: "no response", fix: "check the network, and connect-src in the page's Content-Security-Policy" };
  }
  void response.body?.cancel();
  const type = response.headers.get("Content-Type") ?? "unknown";
  if (!response.ok) return { got: `status ${response.status}`, fix };
  if (!/javascript|ecmascript/i.test(type)) return { got: `a file of type ${type}`, fix };
  if (!isForeign && crossOriginIsolated && !response.headers.has("Cross-Origin-Embedder-Policy")) {
    return {
      got: "a script without Cross-Origin-Embedder-Policy on an isolated page",
      fix: "send that header with it",
    };
  }
  return { got: "a script that cannot be run", fix: ALLOW_IN_POLICY };
}
