import { trustedTypes, type ScriptPolicy, type TrustedAddress } from "./host.js";

export function isTrustedAddress(value: unknown): value is TrustedAddress {
  return trustedTypes()?.isScriptURL(value) === true;
}

/**
 * Makes addresses into what `new Worker` takes on a page that demands Trusted Types. Its policy, "framebatch#worker", lets
 * through what is being admitted here and nothing else. It is made once: a page need not allow two of that name.
 */
export class ScriptTrust {
  #policy: ScriptPolicy | null | undefined;
  #admitted: string | null = null;

  admit(address: string): string | TrustedAddress {
    if (this.#policy === undefined) this.#policy = this.#createPolicy();
    this.#admitted = address;
    const trusted = this.#policy?.createScriptURL(address);
    this.#admitted = null;
    return trusted ?? address;
  }

  /** A page may name the policies that it allows; without ours, the plain address is what is left to try. */
  #createPolicy(): ScriptPolicy | null {
    const createScriptURL = (url: string) => (url === this.#admitted ? url : null);
    try {
      return trustedTypes()?.createPolicy("framebatch#worker", { createScriptURL }) ?? null;
    } catch {
      return null;
    }
  }
}
