import type { Metadata } from '@nodewright/state';
import { findByTemplate } from '../json-path/find-by-template.ts';
import type { TemplatePart } from '../json-path/parse-json-path.ts';
import { formatSortedJson } from '../render/json.ts';
import { type ShownResource, timeText } from './shown-resource.ts';

/** The object that `-o json` prints and JSONPath searches. Source: Talos v1.14: get, json. */
export function resourceObject({ node, event, metadata, spec }: ShownResource): object {
  return { ...(event !== undefined && { event }), metadata: metadataObject(metadata), node, spec };
}

function metadataObject({
  owner,
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
    // Upstream reads the object from YAML, in which an empty owner is null.
    owner: owner === '' ? null : owner,
    version: version === 0 ? 'undefined' : version,
    created: timeText(createdMs),
    updated: timeText(updatedMs),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(finalizers.length > 0 && { finalizers }),
  };
}

/** The results of a template in a resource, one per line; lists and maps as JSON. */
export function jsonPathLines(resource: ShownResource, template: readonly TemplatePart[]): string[] {
  return findByTemplate(template, resourceObject(resource)).map(resultText);
}

function resultText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? formatSortedJson(value) : String(value);
}
