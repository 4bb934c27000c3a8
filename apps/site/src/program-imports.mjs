import path from "node:path";

const MODELS = "@framebatch/models";
const MODELS_NOTE = `<code>${MODELS}</code> has the models and data of framebatch’s repository: in your project, put the address of your own model there.`;

/**
 * Says after a program where the reader finds what it imports and the page does not show: files beside it, and the models
 * of the repository, which no reader can install.
 *
 * @param {import("markdown-it").Token[]} tokens a page
 * @param {(target: string) => string | undefined} resolve returns the address of a file, whose path begins with a slash
 * @returns {(token: import("markdown-it").Token) => string} the sentences as HTML; empty if none is needed
 */
export function importNotes(tokens, resolve) {
  const shown = new Set(tokens.flatMap((token) => programOf(token)?.file ?? []));
  return (token) => {
    const program = programOf(token);
    if (program === undefined) return "";
    const links = program.besides.filter((file) => !shown.has(file)).flatMap((file) => linkTo(file, resolve));
    const sentences = [
      ...(links.length > 0 ? [`Beside it: ${links.join(", ")}.`] : []),
      ...(program.usesModels ? [MODELS_NOTE] : []),
    ];
    return sentences.length === 0 ? "" : `<p class="imports">${sentences.join(" ")}</p>\n`;
  };
}

/**
 * A block of code that is a file (`ts file=PATH`).
 *
 * @param {import("markdown-it").Token} token
 */
function programOf({ type, info, content }) {
  const [, file] = /\bfile=(\S+)/.exec(info) ?? [];
  if (type !== "fence" || file === undefined) return undefined;
  const names = [...content.matchAll(/^(?:import|\} from)\b[^"\n]*"([^"\n]+)"/gm)].map(([, name = ""]) => name);
  const besides = names
    .filter((name) => name.startsWith("."))
    .map((name) => path.posix.join(path.posix.dirname(file), name.replace(/\.js$/, ".ts")));
  return { file, besides, usesModels: names.some((name) => name.startsWith(`${MODELS}/`)) };
}

/**
 * @param {string} file
 * @param {(target: string) => string | undefined} resolve
 */
function linkTo(file, resolve) {
  const address = resolve(`/${file}`);
  return address === undefined ? [] : [`<a href="${address}">${path.posix.basename(file)}</a>`];
}
