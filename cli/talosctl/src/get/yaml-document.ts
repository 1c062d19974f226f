import { encodeYaml } from '@nodewright/state';
import { Document, Pair, parseDocument, Scalar, stringify, YAMLMap } from 'yaml';
import { type ShownResource, timeText, versionText } from './shown-resource.ts';

/** In this schema every scalar is a string, so numbers keep their notation. */
const schema = 'failsafe';
const layout = { indent: 4, lineWidth: 0, singleQuote: true, flowCollectionPadding: false } as const;

/**
 * A scalar of metadata. It is plain wherever YAML allows, even if it looks like a number. An empty text stays empty.
 * Source: Talos v1.14: COSI metadata as YAML.
 */
function plainText(text: string): string {
  return text === '' ? '' : stringify(text, { ...layout, schema }).trimEnd();
}

/** Labels, annotations or finalizers under a key, if there are any. Texts that look like numbers are quoted. */
function block(key: string, value: Readonly<Record<string, string>> | readonly string[]): string[] {
  if (Object.keys(value).length === 0) return [];
  const sorted = Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  return [
    encodeYaml({ [key]: sorted })
      .trimEnd()
      .replace(/^/gm, '    '),
  ];
}

/**
 * A YAML document with the node's name and the resource. The spec keeps the scalars of the node's YAML unchanged.
 * Source: Talos v1.14: get, yaml.
 */
export function yamlDocument(resource: ShownResource): string {
  const { node, event, metadata } = resource;
  const { version, owner, phase, createdMs, updatedMs, labels, annotations, finalizers } = metadata;
  const fields = {
    ...{ namespace: metadata.namespace, type: metadata.type, id: metadata.id },
    ...{ version: versionText(version), owner, phase },
    ...{ created: timeText(createdMs), updated: timeText(updatedMs) },
  };
  return [
    `node: ${stringify(node, layout).trimEnd()}`,
    ...(event === undefined ? [] : [`event: ${event}`]),
    'metadata:',
    ...Object.entries(fields).map(([key, text]) => `    ${key}: ${plainText(text)}`.trimEnd()),
    ...block('labels', labels),
    ...block('annotations', annotations),
    ...block('finalizers', finalizers),
    specText(resource),
  ].join('\n');
}

function specText({ yaml, spec }: ShownResource): string {
  if (yaml === undefined) {
    // The configuration text of an old node, or an empty spec.
    return typeof spec === 'string'
      ? stringify({ spec }, { ...layout, blockQuote: 'literal' })
      : stringify({ spec });
  }
  const { contents } = parseDocument(yaml, { schema });
  const document = new Document(undefined, { schema });
  const root = new YAMLMap();
  root.items.push(new Pair(new Scalar('spec'), contents));
  document.contents = root as never;
  return document.toString(layout);
}
