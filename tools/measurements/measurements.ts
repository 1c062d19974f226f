// The figures of a page of docs/measurements, as they are in the JSON file of its name.

/** What a figure depends on besides the code. Nothing here names a machine. */
export interface MeasuredOn {
  readonly cores: number;
  /** Undefined for figures that were written down without it. */
  readonly memoryGb?: number;
}

/** A figure that a bench has recorded. */
export interface RecordedFigure {
  readonly command: string;
  /** Such as 2026-11-26. */
  readonly date: string;
  /** The commit that was checked out, with `+` where files differed from it; `unknown` outside of git. */
  readonly commit: string;
  readonly machine: Required<MeasuredOn>;
  readonly median: number;
  readonly unit: string;
  /** The median relative to what was measured beside it. */
  readonly ratio?: number;
  /** What the median is of, in the same unit. */
  readonly runs: readonly number[];
}

/** A row of a table. */
export interface FigureRow {
  /** How the bench that can record it calls it. */
  readonly id?: string;
  /** One for each column; `null` in the column `Measured` of a row that is recorded. */
  readonly cells: readonly (string | null)[];
  /** When and by what it was measured, if not as the rest of its table was. */
  readonly date?: string;
  readonly command?: string;
  readonly recorded?: RecordedFigure;
}

export interface FigureTable {
  /** What measured its rows, unless a row says otherwise. */
  readonly command: string;
  /** The day of its rows, or the last day of a series; undefined for figures that were written down without it. */
  readonly date?: string;
  readonly machine?: MeasuredOn;
  readonly columns: readonly string[];
  readonly rows: readonly FigureRow[];
}

export interface Measurements {
  readonly tables: Readonly<Record<string, FigureTable>>;
}

/** The column that a recorded figure is shown in. */
export const measuredColumn = 'Measured';

type Fields = Readonly<Record<string, unknown>>;

/** Fails with the place of what is wrong, because people write these files, too. */
function fieldsOf(value: unknown, place: string, allowed: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${place} is no object`);
  const unknown = Object.keys(value).filter((key) => !allowed.includes(key));
  if (unknown.length > 0) throw new Error(`${place} has ${unknown.join(', ')}, which is no part of it`);
  return value as Fields;
}

function listOf<T>(value: unknown, place: string, read: (each: unknown, place: string) => T): T[] {
  if (!Array.isArray(value)) throw new Error(`${place} is no list`);
  return value.map((each, index) => read(each, `${place}[${index}]`));
}

function textOf(value: unknown, place: string): string {
  if (typeof value !== 'string' || value === '') throw new Error(`${place} is no text`);
  return value;
}

function numberOf(value: unknown, place: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error(`${place} is no number`);
  return value;
}

function dateOf(value: unknown, place: string): string {
  const text = textOf(value, place);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(Date.parse(text)))
    throw new Error(`${place} is no date such as 2026-11-26`);
  return text;
}

function machineOf(value: unknown, place: string): MeasuredOn {
  const { cores, memoryGb } = fieldsOf(value, place, ['cores', 'memoryGb']);
  return {
    cores: numberOf(cores, `${place}.cores`),
    ...(memoryGb !== undefined && { memoryGb: numberOf(memoryGb, `${place}.memoryGb`) }),
  };
}

function recordedOf(value: unknown, place: string): RecordedFigure {
  const keys = ['command', 'date', 'commit', 'machine', 'median', 'unit', 'ratio', 'runs'];
  const fields = fieldsOf(value, place, keys);
  const machine = machineOf(fields.machine, `${place}.machine`);
  const runs = listOf(fields.runs, `${place}.runs`, numberOf);
  if (runs.length === 0) throw new Error(`${place}.runs is empty`);
  return {
    command: textOf(fields.command, `${place}.command`),
    date: dateOf(fields.date, `${place}.date`),
    commit: textOf(fields.commit, `${place}.commit`),
    machine: { ...machine, memoryGb: numberOf(machine.memoryGb, `${place}.machine.memoryGb`) },
    median: numberOf(fields.median, `${place}.median`),
    unit: textOf(fields.unit, `${place}.unit`),
    ...(fields.ratio !== undefined && { ratio: numberOf(fields.ratio, `${place}.ratio`) }),
    runs,
  };
}

function rowOf(value: unknown, place: string, columns: readonly string[]): FigureRow {
  const keys = ['id', 'cells', 'date', 'command', 'recorded'];
  const { id, cells, date, command, recorded } = fieldsOf(value, place, keys);
  const row: FigureRow = {
    ...(id !== undefined && { id: textOf(id, `${place}.id`) }),
    cells: listOf(cells, `${place}.cells`, (cell, at) => {
      if (cell !== null && typeof cell !== 'string') throw new Error(`${at} is neither a text nor null`);
      return cell;
    }),
    ...(date !== undefined && { date: dateOf(date, `${place}.date`) }),
    ...(command !== undefined && { command: textOf(command, `${place}.command`) }),
    ...(recorded !== undefined && { recorded: recordedOf(recorded, `${place}.recorded`) }),
  };
  if (row.cells.length !== columns.length)
    throw new Error(`${place} has ${row.cells.length} cells for ${columns.length} columns`);
  const at = row.recorded === undefined ? -1 : columns.indexOf(measuredColumn);
  if (row.recorded !== undefined && at < 0)
    throw new Error(`${place} is recorded, and there is no column ${measuredColumn}`);
  if (row.cells.some((cell, index) => (cell === null) !== (index === at)))
    throw new Error(`${place} has null in another cell than that of a recorded figure`);
  return row;
}

function tableOf(value: unknown, place: string): FigureTable {
  const fields = fieldsOf(value, place, ['command', 'date', 'machine', 'columns', 'rows']);
  const columns = listOf(fields.columns, `${place}.columns`, (each, at) => {
    if (typeof each !== 'string') throw new Error(`${at} is no text`);
    return each;
  });
  return {
    command: textOf(fields.command, `${place}.command`),
    ...(fields.date !== undefined && { date: dateOf(fields.date, `${place}.date`) }),
    ...(fields.machine !== undefined && { machine: machineOf(fields.machine, `${place}.machine`) }),
    columns,
    rows: listOf(fields.rows, `${place}.rows`, (row, at) => rowOf(row, at, columns)),
  };
}

/** @throws Error that says what is wrong, and where */
export function parseMeasurements(text: string): Measurements {
  const { tables } = fieldsOf(JSON.parse(text), 'the file', ['tables']);
  const named = Object.entries(fieldsOf(tables, 'tables', Object.keys(tables ?? {})));
  const parsed = named.map(([name, table]) => [name, tableOf(table, `tables.${name}`)] as const);
  const ids = parsed.flatMap(([, { rows }]) => rows.flatMap(({ id }) => id ?? []));
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw new Error(`two rows are called ${repeated}`);
  return { tables: Object.fromEntries(parsed) };
}

export const measurementsText = (measurements: Measurements): string =>
  `${JSON.stringify(measurements, null, 2)}\n`;
