import { readFile } from 'node:fs/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import { syncFile, writeFileAtomically } from '@nodewright/files';
import { decodeConfigurationText } from '@nodewright/machine-config';

/** The file in which a node stores its machine configuration. */
export interface ConfigurationFile {
  /** Returns `undefined` when the file does not exist. */
  read(): Promise<string | undefined>;
  /**
   * Resolves when the text is on disk and would survive a crash of the machine. A crash during the write
   * leaves either the old or the new text, complete. Call it again only after it has settled.
   *
   * @throws Fault with the path
   */
  store(text: string): Promise<void>;
}

/** Source: Talos v1.14: configuration, storing. */
const temporarySuffix = '-tmp';

/** Reads and writes the file at `path`, which only the current user may read. */
export function createConfigurationFile(path: string): ConfigurationFile {
  /** The text that this process knows to be on disk. */
  let durable: string | undefined;
  const read = async () => {
    try {
      const bytes = await readFile(path);
      // Bytes that are no text stay readable, so that decoding reports where they are.
      return decodeConfigurationText(bytes) ?? bytes.toString('utf8');
    } catch (error) {
      const { kind, message } = faultFrom(error);
      if (kind === 'not-found') return undefined;
      throw new Fault(kind, `cannot read "${path}": ${message}`, { cause: error });
    }
  };
  return {
    read,
    async store(text) {
      const isWritten = (await read()) === text;
      if (isWritten && text === durable) return;
      durable = undefined;
      // The text may come from a process that was killed before it was synced to disk.
      if (isWritten) await syncFile(path);
      else await writeFileAtomically(path, text, { temporarySuffix });
      durable = text;
    },
  };
}
