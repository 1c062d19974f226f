import type { LogStore } from '@nodewright/services/logs';
import type { Logger } from '@nodewright/telemetry';

export interface LinesToConsoleInit {
  /** The log of machined, which is the console of a machine. */
  readonly log: Logger;
  /** Asked for each line. */
  readonly isWanted: () => boolean;
}

const chunkBytes = 64 * 1024;
/** A longer line comes in parts. */
const lineBytes = 4096;

/** Repeats the output of a service on the console, from now until the result is disposed. */
export function linesToConsole(
  logs: LogStore,
  id: string,
  { log, isWanted }: LinesToConsoleInit,
): Disposable {
  logs.open(id);
  const stop = new AbortController();
  const follow = async () => {
    let rest = '';
    for await (const chunk of logs.read(
      { id, follow: true, tailLines: 0, signal: stop.signal },
      chunkBytes,
    )) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > lineBytes) {
        lines.push(rest);
        rest = '';
      }
      for (const line of lines)
        if (isWanted()) log.info({ service: id, line: line.slice(0, lineBytes) }, 'output');
    }
  };
  follow().catch(() => {});
  return { [Symbol.dispose]: () => stop.abort() };
}
