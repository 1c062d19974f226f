// Makes the table of every key of machine configurations from the reference it was taken from:
// `node tools/config-facts.ts <machine-config.keys.json> > tests/contract/facts/config-keys.txt`
import { readFileSync } from 'node:fs';

interface Key {
  readonly path: string;
  readonly type: string;
  readonly format?: string;
  readonly required?: boolean;
  readonly enum?: readonly string[];
}

interface Reference {
  readonly documents: Readonly<Record<string, readonly Key[]>>;
  /** Keys that the published schema does not have. */
  readonly supplement: Readonly<Record<string, readonly Key[]>>;
  /** Keys for which the decoder accepts another type than the schema says. */
  readonly schemaVsDecoder: readonly {
    readonly kind: string;
    readonly path: string;
    readonly decoderType?: string;
    readonly decoderEnum?: readonly string[];
  }[];
  readonly mergeReplace: Readonly<Record<string, readonly string[]>>;
  readonly alwaysEncoded: Readonly<Record<string, readonly string[]>>;
}

/** The reference describes a pair of certificate and key as one object with a format. */
const partsOfPairs: Readonly<Record<string, readonly string[]>> = {
  'base64-pem {crt,key}': ['crt', 'key'],
  'base64-pem {key}': ['key'],
};

/** The table: a heading per kind, then one line per key with its type and its marks. */
export function configFacts(reference: Reference): string {
  const kinds = [...new Set([...Object.keys(reference.documents), ...Object.keys(reference.supplement)])];
  return kinds
    .sort()
    .map((kind) => `${kind}\n${keysOf(reference, kind).map(lineOf).join('')}`)
    .join('');

  function lineOf({ path, type, marks }: { path: string; type: string; marks: readonly string[] }): string {
    return `  ${[path, type.replaceAll(' ', ''), ...marks].join(' ')}\n`;
  }
}

function keysOf(reference: Reference, kind: string) {
  const differences = reference.schemaVsDecoder.filter((difference) => difference.kind === kind);
  const listsThatWereObjects = differences
    .filter(({ decoderType }) => decoderType === 'array<object>')
    .map(({ path }) => path);
  const lists = (path: string) =>
    listsThatWereObjects.reduce(
      (fixed, list) => (fixed.startsWith(`${list}.`) ? `${list}[]${fixed.slice(list.length)}` : fixed),
      path,
    );
  const given = [...(reference.documents[kind] ?? []), ...(reference.supplement[kind] ?? [])];
  const keys = given.flatMap((key) => [
    { ...key, path: lists(key.path) },
    ...(partsOfPairs[key.format ?? ''] ?? []).map(
      (part): Key => ({ path: `${key.path}.${part}`, type: 'string' }),
    ),
  ]);
  const always = new Set(reference.alwaysEncoded[kind] ?? []);
  const replaced = new Set(reference.mergeReplace[kind] ?? []);
  const byPath = new Map(keys.map((key) => [key.path, key]));
  return [...byPath.values()].map((key) => {
    const difference = differences.find(({ path }) => path === key.path);
    const words = difference?.decoderEnum ?? key.enum;
    return {
      path: key.path,
      type: (difference?.decoderType ?? key.type).replace(' (uri)', ''),
      marks: [
        ...(key.required ? ['required'] : []),
        ...(always.has(key.path) ? ['always'] : []),
        ...(replaced.has(key.path) ? ['replaced'] : []),
        ...(words ? [`enum=${words.join('|')}`] : []),
      ],
    };
  });
}

if (import.meta.main) {
  const [path] = process.argv.slice(2);
  if (path === undefined) {
    process.stderr.write('usage: node tools/config-facts.ts <machine-config.keys.json>\n');
    process.exitCode = 2;
  } else {
    process.stdout.write(configFacts(JSON.parse(readFileSync(path, 'utf8')) as Reference));
  }
}
