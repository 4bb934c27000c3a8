/** Returns a heading and its content; nothing if there is no content. */
export function section(title: string, content: string | null): string[] {
  return content === null ? [] : [`## ${title}`, content];
}

/** Returns a Markdown table; `null` if there are no rows. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string | null {
  if (rows.length === 0) return null;
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}
