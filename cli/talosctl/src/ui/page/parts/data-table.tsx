import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ScrollRegion } from './scroll-region.tsx';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** The value to sort by; a column without one cannot be sorted. */
  readonly sort?: (row: Row) => number | string;
  readonly isNumber?: boolean;
  /** Takes the room that other columns leave. */
  readonly isWide?: boolean;
}

interface DataTableProps<Row> {
  /** What the rows are, for people who cannot see the table. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly nothing: string;
  readonly isSelected?: (row: Row) => boolean;
  /** Index of the column that sorts the rows at first, descending for numbers. */
  readonly order?: number;
}

interface Order {
  readonly column: number;
  readonly isDescending: boolean;
}

/** A table whose headings sort it. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, nothing, isSelected, order: first } = props;
  const [order, setOrder] = useState<Order | undefined>(
    first === undefined ? undefined : { column: first, isDescending: columns[first]?.isNumber === true },
  );
  if (rows.length === 0) return <p class="nothing">{nothing}</p>;
  const sortBy = (column: number) =>
    setOrder({
      column,
      isDescending: order?.column === column ? !order.isDescending : columns[column]?.isNumber === true,
    });
  return (
    <ScrollRegion label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th
                key={column.title}
                scope="col"
                class={classOf(column)}
                aria-sort={
                  order?.column === at ? (order.isDescending ? 'descending' : 'ascending') : undefined
                }
              >
                {column.sort === undefined ? (
                  column.title
                ) : (
                  <button type="button" onClick={() => sortBy(at)}>
                    {column.title}
                    <span aria-hidden="true">
                      {order?.column === at ? (order.isDescending ? ' ↓' : ' ↑') : ''}
                    </span>
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted(rows, order === undefined ? undefined : columns[order.column], order?.isDescending).map(
            (row) => (
              <tr key={keyOf(row)} class={isSelected?.(row) ? 'selected' : undefined}>
                {columns.map((column) => (
                  <td key={column.title} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ),
          )}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

const classOf = <Row,>({ isNumber, isWide }: Column<Row>) =>
  [isNumber && 'number', isWide && 'wide'].filter(Boolean).join(' ') || undefined;

function sorted<Row>(
  rows: readonly Row[],
  column: Column<Row> | undefined,
  isDescending = false,
): readonly Row[] {
  const value = column?.sort;
  if (value === undefined) return rows;
  const compare = (a: Row, b: Row) => {
    const [left, right] = [value(a), value(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  };
  return rows.toSorted((a, b) => (isDescending ? compare(b, a) : compare(a, b)));
}
