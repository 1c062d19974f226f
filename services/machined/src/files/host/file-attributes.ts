import { faultFrom } from '@nodewright/fault';
import { loadNativeCalls, type NativeCalls } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import { type HostPath, hostPathBytes } from './host-path.ts';

/** An extended attribute of a file. */
export interface FileAttribute {
  readonly name: string;
  readonly data: Buffer;
}

/**
 * Returns the attributes of the file at a path of this machine, without following links. Empty when they
 * cannot be read.
 */
export type FileAttributes = (hostPath: HostPath) => Promise<FileAttribute[]>;

/** Prepares for reading attributes. The native module is loaded at the first call. */
export type OpenAttributes = () => Promise<FileAttributes>;

/** Some file systems support this attribute but do not list it. Source: Talos v1.14: List. */
const labelName = 'security.selinux';

/** If the native module cannot be loaded, files have no attributes, and the reason is logged. */
export function createFileAttributes(log: Logger): OpenAttributes {
  const load = async (): Promise<FileAttributes> => {
    try {
      const calls = await loadNativeCalls();
      return (hostPath) => readAttributes(calls, hostPath);
    } catch (error) {
      log.warn({ error: faultFrom(error).message }, 'attributes of files cannot be read');
      return async () => [];
    }
  };
  let loading: Promise<FileAttributes> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}

async function readAttributes(calls: NativeCalls, hostPath: HostPath): Promise<FileAttribute[]> {
  const path = Buffer.concat([hostPathBytes(hostPath), Buffer.alloc(1)]);
  const get = async (name: string): Promise<FileAttribute[]> => {
    const data = await optional(calls.getAttribute(path, Buffer.from(`${name}\0`)));
    return data === undefined ? [] : [{ name, data }];
  };
  // One after the other: a file system that hangs must occupy one thread.
  const list = await optional(calls.listAttributes(path));
  const label = await get(labelName);
  const attributes: FileAttribute[] = [];
  for (const name of list?.toString('utf8').split('\0') ?? []) {
    if (name !== '' && name !== labelName) attributes.push(...(await get(name)));
  }
  return [...attributes, ...label];
}

/** `undefined` when the file system has no attributes, or when the file does not exist. */
function optional<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch(() => undefined);
}
