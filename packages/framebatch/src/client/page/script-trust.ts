import { trustedTypes, type ScriptPolicy, type TrustedAddress } from "@framebatch/host/page.js";

/**
 * Converts addresses for `new Worker` on pages that require Trusted Types. Its policy, "framebatch#worker", accepts
 * only the address that `admit` is converting. The policy is created once, because a page may forbid a second one of
 * that name.
 */
export class ScriptTrust {
  #policy: ScriptPolicy | null | undefined;
  #admitted: string | null = null;

  /** Returns the trusted form of an address, or the address itself where there is no policy. */
  admit(address: string): string | TrustedAddress {
    if (this.#policy === undefined) this.#policy = this.#createPolicy();
    this.#admitted = address;
    const trusted = this.#policy?.createScriptURL(address);
    this.#admitted = null;
    return trusted ?? address;
  }

  /** Returns `null` if the page does not allow this policy; the plain address is then the only one to try. */
  #createPolicy(): ScriptPolicy | null {
    const createScriptURL = (url: string) => (url === this.#admitted ? url : null);
    try {
      return trustedTypes()?.createPolicy("framebatch#worker", { createScriptURL }) ?? null;
    } catch {
      return null;
    }
  }
}
