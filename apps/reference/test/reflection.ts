/** The part of a declaration in TypeDoc's JSON that the test reads. */
export interface Reflection {
  readonly name: string;
  readonly variant: "project" | "declaration" | "signature" | "reference" | "document";
  readonly comment?: Comment;
  readonly children?: readonly Reflection[];
  readonly signatures?: readonly Reflection[];
  readonly type?: { readonly declaration?: Reflection };
}

interface Comment {
  readonly summary: readonly { readonly text: string }[];
  readonly blockTags?: readonly { readonly tag: string }[];
}

/** What a hover shows of an export or a member. */
export interface Hover {
  /** Its path from the entry, such as "framebatch.BatchedModel.predict". */
  readonly path: string;
  readonly text: string;
  readonly hasExample: boolean;
}

/** Returns a hover for each export and each member of a public type, and one for each overload. */
export function hoversOf({ children = [] }: Reflection, parent = ""): Hover[] {
  return children
    .filter(({ variant }) => variant === "declaration")
    .flatMap((reflection) => {
      const path = parent === "" ? reflection.name : `${parent}.${reflection.name}`;
      return [...ownHovers(reflection, path), ...hoversOf(reflection, path), ...literalHovers(reflection, path)];
    });
}

/** A function or method has the comments of its overloads; an interface that can be called has both. */
function ownHovers(reflection: Reflection, path: string): Hover[] {
  const { signatures = [] } = reflection;
  const overloads = signatures.map((signature) => hover(signature, path));
  return signatures.length > 0 && reflection.children === undefined
    ? overloads
    : [hover(reflection, path), ...overloads];
}

/** Members of a type without a name need no text of their own if that of the type names them. */
function literalHovers(reflection: Reflection, path: string): Hover[] {
  const { declaration } = reflection.type ?? {};
  const text = textOf(reflection);
  return declaration === undefined
    ? []
    : hoversOf(declaration, path).map((inner) =>
        text.includes(`\`${inner.path.split(".").at(-1)}\``) ? { ...inner, text } : inner,
      );
}

function hover(reflection: Reflection, path: string): Hover {
  const tags = reflection.comment?.blockTags ?? [];
  return { path, text: textOf(reflection), hasExample: tags.some(({ tag }) => tag === "@example") };
}

function textOf({ comment }: Reflection): string {
  return (comment?.summary ?? []).map(({ text }) => text).join("");
}
