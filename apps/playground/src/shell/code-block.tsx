/** Comments, strings and the words of the language that snippets use, in one expression, so that none is found in another. */
const TOKENS =
  /(?<comment>\/\/.*)|(?<string>"[^"\n]*")|(?<word>(?<![.\w])(?:import|from|const|await|new|true|false)\b)/g;

interface CodeBlockProps {
  readonly code: string;
  readonly label: string;
  readonly testId: string;
}

/** Shows JavaScript in colours. It scrolls by keyboard. */
export function CodeBlock({ code, label, testId }: CodeBlockProps) {
  return (
    <pre class="snippet" tabIndex={0} aria-label={label}>
      <code data-testid={testId}>
        {tokensOf(code).map(({ kind, text }, index) =>
          kind === null ? (
            text
          ) : (
            <span key={index} class={`token-${kind}`}>
              {text}
            </span>
          ),
        )}
      </code>
    </pre>
  );
}

interface Token {
  /** The name of a group of `TOKENS`; `null` for plain text. */
  readonly kind: string | null;
  readonly text: string;
}

function tokensOf(code: string): Token[] {
  let end = 0;
  const tokens: Token[] = [];
  for (const { 0: text, index, groups = {} } of code.matchAll(TOKENS)) {
    tokens.push({ kind: null, text: code.slice(end, index) });
    tokens.push({ kind: Object.keys(groups).find((kind) => groups[kind] !== undefined) ?? null, text });
    end = index + text.length;
  }
  return [...tokens, { kind: null, text: code.slice(end) }];
}
