import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type LoaderVariableFiles,
  loaderVariableBytes,
  loaderVariableFile,
  loaderVariables,
} from '@nodewright/boot';
import { Fault } from '@nodewright/fault';
import { cString, type NativeCalls } from '@nodewright/linux';

export interface LoaderVariableFilesInit {
  readonly calls: Pick<NativeCalls, 'mount' | 'control'>;
  /** Where efivarfs is mounted, read-only. */
  readonly folder: string;
}

// <sys/mount.h>: MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_RELATIME
const readOnly = 1;
const asMounted = 2 | 4 | 8 | (1 << 21);
const remount = 32;
// <linux/fs.h>
const getFlags = 0x8008_6601;
const setFlags = 0x4008_6602;
const immutable = 0x10;

/**
 * The variables of systemd-boot in efivarfs. The kernel makes variables immutable that it does not know, so that nobody removes one by accident.
 * efivarfs can be written to during a change only.
 */
export function createLoaderVariableFiles({ calls, folder }: LoaderVariableFilesInit): LoaderVariableFiles {
  let last: Promise<unknown> = Promise.resolve();
  const mount = (flags: number) =>
    calls.mount(
      cString('efivarfs'),
      cString(folder),
      cString('efivarfs'),
      remount | asMounted | flags,
      cString(''),
    );

  function change(work: () => Promise<void>): Promise<void> {
    const result = last.then(async () => {
      mount(0);
      try {
        await work();
      } finally {
        mount(readOnly);
      }
    });
    last = result.catch(() => {});
    return result;
  }

  /** @returns whether there is such a variable */
  async function makeMutable(path: string): Promise<boolean> {
    try {
      await using file = await open(path);
      const flags = Buffer.alloc(8);
      calls.control(file.fd, getFlags, flags);
      const found = flags.readUInt32LE();
      if ((found & immutable) === 0) return true;
      flags.writeUInt32LE((found & ~immutable) >>> 0);
      calls.control(file.fd, setFlags, flags);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  const pathOf = (variable: Parameters<typeof loaderVariableFile>[0]) =>
    join(folder, loaderVariableFile(variable));
  return {
    async read(variable) {
      try {
        const content = await readFile(pathOf(variable));
        // A longer one was not written by this node, and is not interpreted.
        return content.subarray(0, loaderVariableBytes + 1);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    write: (variable, content) =>
      change(async () => {
        const path = pathOf(variable);
        // Without O_TRUNC: the firmware replaces a variable with one call.
        await using file = await open(path, (await makeMutable(path)) ? 'r+' : 'wx');
        const { bytesWritten } = await file
          .write(content, 0, content.length)
          .catch((error: unknown) => Promise.reject(asFull(error, loaderVariables[variable])));
        if (bytesWritten !== content.length)
          throw new Fault('data-loss', `the firmware has taken a part of the variable ${variable} only`);
      }),
    remove: (variable) =>
      change(async () => {
        const path = pathOf(variable);
        if (await makeMutable(path)) await rm(path, { force: true });
      }),
  };
}

/** Most firmware gives the room of variables that were removed or replaced back at a restart only. */
function asFull(error: unknown, name: string): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') return error;
  return new Fault(
    'resource-exhausted',
    `the firmware has no room for its variable ${name}: a restart may give back that of removed ones`,
    { cause: error },
  );
}
