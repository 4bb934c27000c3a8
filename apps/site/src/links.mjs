import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { addressOf } from "./contents.mjs";

/**
 * Says where the links of a page lead: to another page, to a running example, or to a file's source, which is then put
 * into the site.
 *
 * @param {string} root the repository
 */
export function linkResolver(root) {
  /** @type {Set<string>} Files whose source the site shows. */
  const shown = new Set();

  /**
   * @param {string} source the Markdown file with the link
   * @param {string} address the address of its page under /docs/
   * @returns {(target: string) => string | undefined} takes a path from the Markdown file, or from the repository if it
   *   begins with a slash
   */
  const of = (source, address) => (target) => {
    if (/^([a-z]+:|#)/.test(target)) return target;
    const [file = "", anchor] = target.split("#");
    const found = placeOf(file.startsWith("/") ? file.slice(1) : path.posix.join(path.posix.dirname(source), file));
    if (found === undefined) return undefined;
    const relative = path.posix.relative(path.posix.dirname(address), found) || path.posix.basename(found);
    return `${relative}${found.endsWith("/") ? "/" : ""}${anchor === undefined ? "" : `#${anchor}`}`;
  };

  /** @param {string} file */
  const placeOf = (file) => {
    const page = addressOf(file);
    if (page !== undefined) return page;
    if (file === "apps/playground/index.html") return "../index.html";
    const [, example] = /^apps\/examples\/(?:public\/)?([\w-]+)\/(?:index\.html)?$/.exec(file) ?? [];
    if (example !== undefined) return `../examples/${example}/`;
    const full = path.join(root, file);
    if (!existsSync(full) || !statSync(full).isFile()) return undefined;
    shown.add(file);
    return /\.(svg|png)$/.test(file) ? `source/${file}` : `source/${file}.html`;
  };

  return { of, shown };
}
