// Preloaded into a program: kills it right before step number KILL_AT_STEP. Steps are writes, renames and
// other changes to files whose path begins with KILL_AT_PATH, and to their folder. Each half of a write is a
// step of its own.
import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';

const lastStep = Number(process.env.KILL_AT_STEP);
const watchedPath = process.env.KILL_AT_PATH ?? '';
let steps = 0;

function step(): void {
  steps += 1;
  if (steps < lastStep) return;
  process.kill(process.pid, 'SIGKILL');
  // Do nothing more until the signal arrives.
  for (;;);
}

const isWatched = (path: unknown) =>
  typeof path === 'string' && (path.startsWith(watchedPath) || path === dirname(watchedPath));

/** Only operations that change files are steps: reads are not. */
const { open, rename, rm } = promises;

promises.open = async (path, flags, mode) => {
  if (!isWatched(path)) return open(path, flags, mode);
  step();
  return watched(await open(path, flags, mode));
};
promises.rename = async (from, to) => {
  if (isWatched(to)) step();
  return rename(from, to);
};
promises.rm = async (path, options) => {
  if (isWatched(path)) step();
  return rm(path, options);
};
syncBuiltinESMExports();

function watched(file: FileHandle): FileHandle {
  const { sync, writeFile, chmod, chown, close } = file;
  file.writeFile = async (text) => {
    step();
    const all = String(text);
    const half = Math.ceil(all.length / 2);
    await writeFile.call(file, all.slice(0, half));
    step();
    await writeFile.call(file, all.slice(half));
  };
  file.sync = () => {
    step();
    return sync.call(file);
  };
  file.chmod = (mode) => {
    step();
    return chmod.call(file, mode);
  };
  file.chown = (uid, gid) => {
    step();
    return chown.call(file, uid, gid);
  };
  file[Symbol.asyncDispose] = () => {
    step();
    return close.call(file);
  };
  return file;
}
