import { readFileSync } from "node:fs";

/** What a hover shows of an export or a member. */
export interface Hover {
  /** Its path from the entry, such as "framebatch.BatchedModel.predict". */
  readonly path: string;
  readonly text: string;
  /** The code of each `@example`. */
  readonly examples: readonly string[];
}

/** The part of a declaration in TypeDoc's JSON that is read here. */
interface Reflection {
  readonly name: string;
  /** Its kind, as TypeDoc numbers them. */
  readonly kind?: number;
  readonly variant: "project" | "declaration" | "signature" | "reference" | "document";
  readonly comment?: Comment;
  readonly children?: readonly Reflection[];
  readonly signatures?: readonly Reflection[];
  readonly type?: { readonly declaration?: Reflection };
}

interface Comment {
  readonly summary: readonly Part[];
  readonly blockTags?: readonly { readonly tag: string; readonly content: readonly Part[] }[];
}

interface Part {
  readonly text: string;
}

/**
 * Returns a hover for each export and each member of a public type, and one for each overload, as TypeDoc has found them
 * in the source. `npm run build` lets it write what is read here.
 */
export function publicHovers(): Hover[] {
  const project: Reflection = JSON.parse(readFileSync(new URL("../dist/reference.json", import.meta.url), "utf8"));
  return hoversOf(project, "");
}

function hoversOf({ children = [] }: Reflection, parent: string): Hover[] {
  return (
    children
      // The methods of symbols are the language's own: what they do is said there.
      .filter(({ variant, name }) => variant === "declaration" && !name.startsWith("["))
      .flatMap((reflection) => {
        const path = parent === "" ? reflection.name : `${parent}.${reflection.name}`;
        return [...ownHovers(reflection, path), ...hoversOf(reflection, path), ...literalHovers(reflection, path)];
      })
  );
}

const FUNCTION = 64;

/** A function or method has the comments of its overloads; an interface that can be called has both. */
function ownHovers(reflection: Reflection, path: string): Hover[] {
  const { kind, signatures = [] } = reflection;
  const overloads = signatures.map((signature) => hoverOf(signature, path));
  return kind === FUNCTION || (signatures.length > 0 && reflection.children === undefined)
    ? overloads
    : [hoverOf(reflection, path), ...overloads];
}

/** Members of a type without a name need no text of their own if that of the type names them. */
function literalHovers(reflection: Reflection, path: string): Hover[] {
  const { declaration } = reflection.type ?? {};
  if (declaration === undefined) return [];
  const text = textOf(reflection.comment?.summary);
  return hoversOf(declaration, path).map((inner) =>
    text.includes(`\`${inner.path.split(".").at(-1)}\``) ? { ...inner, text } : inner,
  );
}

function hoverOf({ comment }: Reflection, path: string): Hover {
  const examples = (comment?.blockTags ?? []).filter(({ tag }) => tag === "@example");
  return { path, text: textOf(comment?.summary), examples: examples.map(({ content }) => codeOf(textOf(content))) };
}

function textOf(parts: readonly Part[] = []): string {
  return parts.map(({ text }) => text).join("");
}

function codeOf(example: string): string {
  return /^```ts\n([^]*)\n```$/.exec(example.trim())?.[1] ?? example;
}
