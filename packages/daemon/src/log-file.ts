import { closeSync, fstatSync, lstatSync, openSync, renameSync, writeSync } from 'node:fs';

export interface LogFileOptions {
  /** Size at which a regular file is renamed to `<path>.1` and a new one is started. Default: 1 MiB. */
  readonly rotateBytes?: number;
}

/** Takes log lines. */
export interface LogFile extends Disposable {
  write(line: string): void;
}

/** The group may read the file, because the log is displayed by a process of another user. */
const fileMode = 0o640;

/**
 * Appends log lines to `path`. Each line is written before `write` returns, so that the last lines before a
 * crash are in the file. A line that cannot be written (a full disk) is dropped; standard output still has
 * it.
 *
 * @throws the error of the file system when the file cannot be opened
 */
export function openLogFile(path: string, { rotateBytes = 1024 * 1024 }: LogFileOptions = {}): LogFile {
  let descriptor = openSync(path, 'a', fileMode);
  let sizeBytes = fstatSync(descriptor).size;
  // A device, a pipe or a link such as /dev/stdout must stay where it is: other programs use it, too.
  const rotates = lstatSync(path).isFile();
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
        if (rotates && sizeBytes >= rotateBytes) rotate();
      } catch {
        // The next line may fit again.
      }
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}
