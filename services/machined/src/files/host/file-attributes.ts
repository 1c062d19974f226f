import { faultFrom } from '@nodewright/fault';
import { loadNativeCalls, type NativeCalls } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import { type HostPath, hostPathBytes } from './host-path.ts';

/** An extended attribute of a file. */
export interface FileAttribute {
  readonly name: string;
  readonly data: Buffer;
}

/** The attributes of what is at a path of this machine, links not followed; none of what cannot be asked. */
export type FileAttributes = (hostPath: HostPath) => Promise<FileAttribute[]>;

/** Gets ready to read attributes: what that needs is loaded only when somebody asks for them. */
export type OpenAttributes = () => Promise<FileAttributes>;

/** Some file systems have it and do not list it. Source: Talos v1.14: List. */
const labelName = 'security.selinux';

/** Where system calls past Node.js cannot be made, files have no attributes, and the log says why. */
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
  const [list, label] = await Promise.all([optional(calls.listAttributes(path)), get(labelName)]);
  const attributes: FileAttribute[] = [];
  for (const name of list?.toString('utf8').split('\0') ?? []) {
    if (name !== '' && name !== labelName) attributes.push(...(await get(name)));
  }
  return [...attributes, ...label];
}

/** Undefined where a file system has no attributes, or the file is gone. */
function optional<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch(() => undefined);
}
