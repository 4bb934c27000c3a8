/** A wall's shape: about twice as wide as high. */
export interface WallGrid {
  readonly columns: number;
  readonly rows: number;
}

/** How far from twice as wide as high a wall may be to be full to its last row. */
const WIDEST = 4;
const NARROWEST = 1.2;

/** Columns and rows for so many tiles; without an empty place where a wall can be. */
export function wallGrid(tiles: number): WallGrid {
  const usual = Math.ceil(Math.sqrt(2 * tiles));
  const columns = fullColumns(tiles, usual) ?? usual;
  return { columns, rows: Math.ceil(tiles / columns) };
}

/** Of the numbers of columns that leave no place empty, the one closest to the usual; `undefined` where none will do. */
function fullColumns(tiles: number, usual: number): number | undefined {
  const candidates = Array.from({ length: tiles }, (_, index) => index + 1).filter(
    (columns) => tiles % columns === 0 && columns ** 2 >= NARROWEST * tiles && columns ** 2 <= WIDEST * tiles,
  );
  return candidates.toSorted((a, b) => Math.abs(a - usual) - Math.abs(b - usual))[0];
}
