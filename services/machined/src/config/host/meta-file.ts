import { readFile, rename } from 'node:fs/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import { writeFileAtomically } from '@nodewright/files';
import { type MetaValues, metaKeyId } from '../domain/meta-values.ts';

/** The file that holds META on a node without a META partition. */
export interface MetaFile {
  /**
   * Returns an empty map when the file does not exist.
   *
   * @throws Fault `data-loss` when it is damaged, another kind when it is unreadable
   */
  read(): Promise<MetaValues>;
  /**
   * Resolves when the values are on disk. A crash during the write leaves either the old or the new values.
   * Call it again only after it has settled.
   */
  write(values: MetaValues): Promise<void>;
  /** Renames a damaged file, so that the next write does not overwrite it. */
  putAside(): Promise<void>;
}

/** A JSON file: keys as in resource ids, values in base64. Only the current user may read it. */
export function createMetaFile(path: string): MetaFile {
  return {
    async read() {
      let text: string;
      try {
        text = await readFile(path, 'utf8');
      } catch (error) {
        const { kind, message } = faultFrom(error);
        if (kind === 'not-found') return new Map();
        throw new Fault(kind, `cannot read "${path}": ${message}`, { cause: error });
      }
      const values = valuesFrom(text);
      if (values === undefined)
        throw new Fault('data-loss', `"${path}" is damaged: it is not a valid META file`);
      return values;
    },
    async write(values) {
      const entries = [...values].sort(([a], [b]) => a - b);
      const content = entries.map(([key, value]) => [metaKeyId(key), Buffer.from(value).toString('base64')]);
      await writeFileAtomically(path, `${JSON.stringify(Object.fromEntries(content), undefined, 2)}\n`);
    },
    putAside: () => rename(path, `${path}.damaged`),
  };
}

const keyForm = /^0x[0-9a-f]{2}$/;

function valuesFrom(text: string): MetaValues | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return undefined;
  const entries = Object.entries(content);
  if (!entries.every(([key, value]) => keyForm.test(key) && typeof value === 'string')) return undefined;
  return new Map(entries.map(([key, value]) => [Number(key), Buffer.from(value, 'base64')]));
}
