/** Errors in a text, and the length that they are measured against. */
export interface CharacterErrors {
  readonly errors: number;
  readonly length: number;
}

/**
 * Counts the characters to insert, remove or replace to get the true text (Levenshtein distance). Both texts are
 * normalized first: Unicode NFC, every run of white space is one space, and none at the ends. Case and punctuation
 * count. The character error rate of several texts is the sum of their errors over the sum of their lengths; it can
 * exceed 1.
 */
export function characterErrors(read: string, truth: string): CharacterErrors {
  const [from, to] = [charactersOf(read), charactersOf(truth)];
  return { errors: distance(from, to), length: to.length };
}

function charactersOf(text: string): string[] {
  return Array.from(text.normalize("NFC").replaceAll(/\s+/g, " ").trim());
}

function distance(from: readonly string[], to: readonly string[]): number {
  const row = Uint32Array.from({ length: to.length + 1 }, (_, column) => column);
  from.forEach((character, index) => {
    let diagonal = index;
    row[0] = index + 1;
    for (let column = 1; column <= to.length; column++) {
      const above = row[column] ?? 0;
      const replaced = diagonal + (character === to[column - 1] ? 0 : 1);
      row[column] = Math.min(replaced, above + 1, (row[column - 1] ?? 0) + 1);
      diagonal = above;
    }
  });
  return row[to.length] ?? 0;
}
