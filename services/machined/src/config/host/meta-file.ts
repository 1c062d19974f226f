import { readFile, rename } from 'node:fs/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import { writeFileAtomically } from '@nodewright/files';
import { type MetaValues, metaKeyId } from '../domain/meta-values.ts';

/** Where META is kept on a node without a partition for it. */
export interface MetaFile {
  /** Nothing where there is no file. @throws Fault `data-loss` when it is damaged; others when it cannot be read */
  read(): Promise<MetaValues>;
  /** Resolves when the values are on disk; a crash meanwhile leaves the old or the new ones. One at a time. */
  write(values: MetaValues): Promise<void>;
  /** Keeps a damaged file under another name, so that the next write does not take its place. */
  putAside(): Promise<void>;
}

/** A file of JSON: keys as resources name them, values in base64. Only this user may read it. */
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
        throw new Fault('data-loss', `"${path}" is damaged: it holds no values of META`);
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
