import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

export interface LogFileOptions {
  /** The file is put aside as `<path>.1` once it is this large; default 1 MiB. */
  readonly rotateBytes?: number;
}

/** Takes log lines. */
export interface LogFile extends Disposable {
  write(line: string): void;
}

/** Its group may read it: whoever shows the log runs as another user. */
const fileMode = 0o640;

/**
 * Appends log lines to `path`, each before `write` returns, so that the last words of a crash are there. A line that
 * cannot be written (a full disk) is left out: it still goes to standard output.
 *
 * @throws the error of the file system when the file cannot be opened.
 */
export function openLogFile(path: string, { rotateBytes = 1024 * 1024 }: LogFileOptions = {}): LogFile {
  let descriptor = openSync(path, 'a', fileMode);
  let sizeBytes = fstatSync(descriptor).size;
  const rotate = () => {
    renameSync(path, `${path}.1`);
    const next = openSync(path, 'a', fileMode);
    closeSync(descriptor);
    descriptor = next;
    sizeBytes = 0;
  };
  return {
    write(line) {
      try {
        sizeBytes += writeSync(descriptor, line);
        if (sizeBytes >= rotateBytes) rotate();
      } catch {
        // The next line may fit again.
      }
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}
