import { encodeYaml, type Metadata } from '@nodewright/state';
import { findIn } from '../json-path/find-in.ts';
import type { TemplatePart } from '../json-path/parse-json-path.ts';
import { formatSortedJson } from '../render/json.ts';
import { type ShownResource, timeText, versionText } from './shown-resource.ts';

/** A YAML document with the node before the resource. Source: Talos v1.14: get, yaml. */
export function yamlDocument({ node, event, metadata, spec }: ShownResource): string {
  const { namespace, type, id, version, owner, phase, createdMs, updatedMs } = metadata;
  const { labels, annotations, finalizers } = metadata;
  const line = (key: string, value: string) => `    ${key}: ${value}`.trimEnd();
  // Times and versions stand without quotes, an owner that is none as nothing.
  const lines = [
    `node: ${encodeYaml(node).trimEnd()}`,
    ...(event === undefined ? [] : [`event: ${event}`]),
    'metadata:',
    ...Object.entries({ namespace, type, id }).map(([key, text]) => line(key, encodeYaml(text).trimEnd())),
    line('version', versionText(version)),
    line('owner', owner === '' ? '' : encodeYaml(owner).trimEnd()),
    line('phase', phase),
    line('created', timeText(createdMs)),
    line('updated', timeText(updatedMs)),
  ];
  const more = {
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(finalizers.length > 0 && { finalizers }),
  };
  const rest = Object.keys(more).length === 0 ? '' : encodeYaml(more).replace(/^(?=.)/gm, '    ');
  return `${lines.join('\n')}\n${rest}${encodeYaml({ spec })}`;
}

/** The object that JSON and JSONPath show. Source: Talos v1.14: get, json. */
export function resourceObject({ node, event, metadata, spec }: ShownResource): object {
  return { ...(event !== undefined && { event }), metadata: metadataObject(metadata), node, spec };
}

function metadataObject({
  version,
  createdMs,
  updatedMs,
  labels,
  annotations,
  finalizers,
  ...rest
}: Metadata) {
  return {
    ...rest,
    version: version === 0 ? 'undefined' : version,
    created: timeText(createdMs),
    updated: timeText(updatedMs),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(finalizers.length > 0 && { finalizers }),
  };
}

/** What a template finds in a resource, a line each; lists and maps as JSON. */
export function jsonPathLines(resource: ShownResource, template: readonly TemplatePart[]): string[] {
  const object = resourceObject(resource);
  return template.flatMap((part) =>
    part.kind === 'text' ? [part.text] : findIn(object, part.steps).map(resultText),
  );
}

function resultText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? formatSortedJson(value) : String(value);
}
