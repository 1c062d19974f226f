import { readFile } from 'node:fs/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import { syncFile, writeFileAtomically } from '@nodewright/files';

/** Where a node keeps its machine configuration. */
export interface ConfigurationFile {
  /** Undefined when there is none. */
  read(): Promise<string | undefined>;
  /**
   * Resolves when the file has this text and will have it after a crash of the machine. A crash meanwhile leaves the old
   * or the new text, whole. One at a time. @throws Fault with the path
   */
  store(text: string): Promise<void>;
}

/** Source: Talos v1.14: configuration, storing. */
const temporarySuffix = '-tmp';

/** The file at `path`; only this user may read it. */
export function createConfigurationFile(path: string): ConfigurationFile {
  /** What this process knows to be on disk. */
  let durable: string | undefined;
  const read = async () => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      const { kind, message } = faultFrom(error);
      if (kind === 'not-found') return undefined;
      throw new Fault(kind, `cannot read "${path}": ${message}`, { cause: error });
    }
  };
  return {
    read,
    async store(text) {
      const isThere = (await read()) === text;
      if (isThere && text === durable) return;
      durable = undefined;
      // It may have been written by a process that was killed before the disk had it.
      if (isThere) await syncFile(path);
      else await writeFileAtomically(path, text, { temporarySuffix });
      durable = text;
    },
  };
}
