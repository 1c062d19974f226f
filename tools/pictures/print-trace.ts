// Prints the newest trace of a command as a tree, from Jaeger's query API: `node print-trace.ts <query url> <operation>`.
import { setTimeout as sleep } from 'node:timers/promises';

interface Span {
  readonly spanID: string;
  readonly processID: string;
  readonly operationName: string;
  /** Microseconds. */
  readonly startTime: number;
  readonly duration: number;
  readonly references: readonly { readonly refType: string; readonly spanID: string }[];
}

interface Trace {
  readonly spans: readonly Span[];
  readonly processes: Readonly<Record<string, { readonly serviceName: string }>>;
}

const [url = '', operation = ''] = process.argv.slice(2);
const barColumns = 36;
const attempts = 60;

const trace = await readTrace();
for (const line of treeOf(trace)) process.stdout.write(`${line}\n`);

/** Programs export their spans every few seconds: reads until the node has done so. */
async function readTrace(): Promise<Trace> {
  const query = `${url}/api/traces?service=talosctl&operation=${encodeURIComponent(operation)}&limit=1`;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { data } = (await (await fetch(query)).json()) as { data: readonly Trace[] };
    const [found] = data;
    const services = Object.values(found?.processes ?? {}).map(({ serviceName }) => serviceName);
    if (found !== undefined && services.includes('machined')) return found;
    await sleep(1000);
  }
  throw new Error(`${url} has no whole trace of ${operation}`);
}

/** One line for each span: program and name, its time, and a bar that shows when it ran. */
function treeOf({ spans, processes }: Trace): string[] {
  const known = new Set(spans.map(({ spanID }) => spanID));
  const start = Math.min(...spans.map(({ startTime }) => startTime));
  const total = Math.max(...spans.map(({ startTime, duration }) => startTime + duration)) - start;
  const rows = (parent: string | undefined, depth: number): { name: string; span: Span }[] =>
    spans
      .filter(
        ({ references }) => references.map(({ spanID }) => spanID).find((id) => known.has(id)) === parent,
      )
      .toSorted((a, b) => a.startTime - b.startTime)
      .flatMap((span) => {
        const name = `${'  '.repeat(depth)}${processes[span.processID]?.serviceName}: ${span.operationName}`;
        return [{ name, span }, ...rows(span.spanID, depth + 1)];
      });
  const all = rows(undefined, 0);
  const width = Math.max(...all.map(({ name }) => name.length));
  return all.map(({ name, span }) => {
    const before = Math.floor(((span.startTime - start) / total) * barColumns);
    const length = Math.max(
      1,
      Math.min(barColumns - before, Math.round((span.duration / total) * barColumns)),
    );
    const time = `${(span.duration / 1000).toFixed(1)} ms`.padStart(9);
    return `${name.padEnd(width)} ${time}  ${' '.repeat(before)}${'▆'.repeat(length)}`;
  });
}
