export interface Table {
  /** A column's head may have several lines. The first column is flush left, the others are flush right. */
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const gap = '   ';

/** A table for a terminal: columns as wide as what is in them, without trailing blanks. */
export function renderTable({ heads, rows }: Table): string {
  const headLines = heads.map((head) => head.split('\n'));
  const height = Math.max(...headLines.map((lines) => lines.length));
  // Heads stand on the rows: a shorter one begins lower.
  const headRows = Array.from({ length: height }, (_, line) =>
    headLines.map((lines) => lines[line - (height - lines.length)] ?? ''),
  );
  const all = [...headRows, ...rows];
  const widths = heads.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
  const render = (cells: readonly string[]) =>
    widths
      .map((width, column) => {
        const cell = cells[column] ?? '';
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join(gap)
      .trimEnd();
  const rule = '-'.repeat(widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)));
  return [...headRows.map(render), rule, ...rows.map(render)].map((line) => `${line}\n`).join('');
}
