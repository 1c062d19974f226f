// The output of a process that runs for months fills the disk. The process writes to the file itself and cannot switch
// to another one, so its end is copied to `<path>.1` and it is emptied: who appends to it goes on at its new end. What is
// written between the end of the copy and the emptying is lost.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';

/** Twice this size is on the disk for each file, and what is written until the next look. */
const keepBytes = 16 * 1024 * 1024;
const everyMs = 30_000;
const pieceBytes = 64 * 1024;

export interface OutputLimits {
  readonly keepBytes: number;
  readonly everyMs: number;
}

/**
 * Empties the file if it is longer than the limit, after its last `limitBytes` were copied to `<path>.1`. It is emptied also
 * when the copy fails: on a full disk nothing else would free space. A missing file is short.
 */
export function shortenOutput(path: string, limitBytes = keepBytes): void {
  const sizeBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeBytes <= limitBytes) return;
  const from = openSync(path, 'r+');
  try {
    copyFrom(from, sizeBytes - limitBytes, `${path}.1`);
  } finally {
    ftruncateSync(from);
    closeSync(from);
  }
}

/** Copies also what is written meanwhile, so that the moment in which output is lost is short. */
function copyFrom(from: number, startBytes: number, path: string): void {
  const to = openSync(path, 'w', 0o600);
  const piece = Buffer.alloc(pieceBytes);
  try {
    for (let position = startBytes; ; ) {
      const bytes = readSync(from, piece, 0, piece.length, position);
      if (bytes === 0) return;
      writeSync(to, piece, 0, bytes);
      position += bytes;
    }
  } finally {
    closeSync(to);
  }
}

/** Shortens these files again and again, until it is disposed of. It does not keep the process alive. */
export function keepOutputBounded(
  paths: readonly string[],
  limits: OutputLimits = { keepBytes, everyMs },
): Disposable {
  const look = () => {
    for (const path of paths) {
      try {
        shortenOutput(path, limits.keepBytes);
      } catch {
        // The disk may be full, or the folder was removed; the next look may succeed.
      }
    }
  };
  const timer = setInterval(look, limits.everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** The same for a process without a supervisor. A shell needs a fiftieth of the memory of another Node.js. */
const consoleScript = `umask 077
while kill -0 "$1" 2>/dev/null && [ -e "$2" ]; do
  if [ "$(wc -c < "$2")" -gt "$3" ]; then tail -c "$3" "$2" > "$2.1"; : > "$2"; fi
  sleep "$4"
done`;

/** Keeps the console of an emulator short while the emulator runs, also after this process has ended. */
export function keepConsoleBounded(
  emulatorPid: number,
  path: string,
  environment: NodeJS.ProcessEnv,
  limits = { keepBytes, everySeconds: everyMs / 1000 },
): ChildProcess {
  const args = [`${emulatorPid}`, resolve(path), `${limits.keepBytes}`, `${limits.everySeconds}`];
  const child = spawn('/bin/sh', ['-c', consoleScript, 'console', ...args], {
    ...{ detached: true, stdio: 'ignore', env: environment },
    // The folder from which the machine was started can be removed or unmounted.
    cwd: '/',
  });
  // Without a shell the console grows, and the machine runs.
  child.on('error', () => {});
  child.unref();
  return child;
}
