import { EncodedSpec, type Metadata, type Resource } from '@nodewright/state';
import { Document, isMap, isScalar, parseAllDocuments, type YAMLMap } from 'yaml';
import { recordedSpecsName } from '../support/recorded-call.ts';
import { bundleLimits } from './bundle-limits.ts';
import { jsonLines, textOf } from './json-lines.ts';
import type { NodeFiles } from './read-bundle.ts';

export interface ReadResources {
  readonly resources: readonly Resource<EncodedSpec>[];
  /** Files that cannot be read, each with the reason. */
  readonly unreadable: readonly string[];
}

const folder = 'resources/';

/** The resources of a node: metadata and YAML from its files, and the protobuf form where the archive has it. */
export function readResources(files: NodeFiles): ReadResources {
  const protos = new Map(
    jsonLines(files.get(recordedSpecsName)).map((line) => [
      keyOf(textField(line, 'namespace'), textField(line, 'type'), textField(line, 'id')),
      Buffer.from(textField(line, 'proto'), 'base64'),
    ]),
  );
  const resources: Resource<EncodedSpec>[] = [];
  const unreadable: string[] = [];
  for (const [path, bytes] of files) {
    if (!path.startsWith(folder) || !path.endsWith('.yaml')) continue;
    try {
      for (const document of parseAllDocuments(yamlOf(bytes), { schema: 'failsafe', logLevel: 'silent' })) {
        const resource = resourceOf(document as Document, protos);
        if (resource !== undefined) resources.push(resource);
        if (resources.length > bundleLimits.resources)
          throw new Error(`there are more than ${bundleLimits.resources} resources`);
      }
    } catch (error) {
      unreadable.push(`${path}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
    }
  }
  return { resources, unreadable };
}

function resourceOf(
  document: Document,
  protos: ReadonlyMap<string, Uint8Array>,
): Resource<EncodedSpec> | undefined {
  const [problem] = document.errors;
  if (problem !== undefined) throw problem;
  const root = document.contents;
  if (!isMap(root)) return undefined;
  const fields = root.get('metadata');
  if (!isMap(fields)) throw new Error('a document has no metadata');
  const metadata = metadataOf(fields);
  const spec = root.get('spec', true);
  // Scalars keep the notation that they have in the file.
  const yaml =
    spec === undefined
      ? ''
      : new Document(spec, { schema: 'failsafe' }).toString({ lineWidth: 0, indent: 4 });
  const proto = protos.get(keyOf(metadata.namespace, metadata.type, metadata.id)) ?? new Uint8Array();
  return { metadata, spec: new EncodedSpec(yaml, proto) };
}

function metadataOf(fields: YAMLMap): Metadata {
  const text = (key: string): string => {
    const value = fields.get(key);
    return typeof value === 'string' ? value : '';
  };
  const version = Number(text('version'));
  return {
    ...{ namespace: text('namespace'), type: text('type'), id: text('id'), owner: text('owner') },
    version: Number.isSafeInteger(version) && version >= 0 ? version : 0,
    phase: text('phase') === 'tearingDown' ? 'tearingDown' : 'running',
    createdMs: timeOf(text('created')),
    updatedMs: timeOf(text('updated')),
    labels: textsOf(fields.get('labels')),
    annotations: textsOf(fields.get('annotations')),
    finalizers: Object.values(textsOf(fields.get('finalizers'))),
  };
}

/** Unix ms; 0 for a text that is no time. */
const timeOf = (text: string) => Math.max(0, Date.parse(text) || 0);

/** The scalars of a mapping or a sequence. */
function textsOf(value: unknown): Record<string, string> {
  const items = (value as { items?: readonly unknown[] } | undefined)?.items ?? [];
  const entries = items.map((item, index): [string, string] => {
    if (isScalar(item)) return [String(index), String(item.value)];
    const { key, value: inner } = item as { key?: unknown; value?: unknown };
    return [isScalar(key) ? String(key.value) : '', isScalar(inner) ? String(inner.value) : ''];
  });
  return Object.fromEntries(entries);
}

/** @throws Error for a text whose parsing would take too long: a reader of brackets calls itself for each of them */
function yamlOf(bytes: Uint8Array): string {
  if (bytes.length > bundleLimits.yamlBytes)
    throw new Error(`it is larger than ${bundleLimits.yamlBytes} bytes`);
  let depth = 0;
  for (const byte of bytes) {
    if (byte === 0x5b || byte === 0x7b) depth += 1;
    else if (byte === 0x5d || byte === 0x7d) depth = Math.max(0, depth - 1);
    if (depth > bundleLimits.yamlDepth)
      throw new Error(`it has more than ${bundleLimits.yamlDepth} open brackets`);
  }
  return textOf(bytes);
}

const keyOf = (namespace: string, type: string, id: string) => `${namespace} ${type} ${id}`;

const textField = (line: Readonly<Record<string, unknown>>, key: string) => {
  const value = line[key];
  return typeof value === 'string' ? value : '';
};
