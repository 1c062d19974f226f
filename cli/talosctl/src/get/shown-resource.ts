import { Fault } from '@nodewright/fault';
import type { EncodedSpec, Metadata, Resource } from '@nodewright/state';
import { parse } from 'yaml';

/** The event of a watch. */
export type ShownEvent = 'created' | 'updated' | 'destroyed';

/** A resource to print. */
export interface ShownResource {
  readonly node: string;
  readonly event?: ShownEvent;
  readonly metadata: Metadata;
  /** The parsed spec, with integers as bigints. */
  readonly spec: unknown;
  /** The YAML text of the spec from the node; `undefined` when it is not YAML of the spec. */
  readonly yaml?: string;
}

const configurationType = 'MachineConfigs.config.talos.dev';

/** @throws Fault `internal` when the node's spec cannot be read */
export function shownResource(
  node: string,
  { metadata, spec }: Resource<EncodedSpec>,
  event?: ShownEvent,
): ShownResource {
  // Old nodes set no annotations and send the text of the configuration as it is.
  if (metadata.type === configurationType && Object.keys(metadata.annotations).length === 0) {
    return { node, event, metadata, spec: spec.yaml };
  }
  // Some nodes send a destroyed resource without its spec.
  if (spec.yaml === '' && event === 'destroyed') return { node, event, metadata, spec: null };
  if (spec.yaml === '') {
    throw new Fault(
      'internal',
      `resource ${metadata.type}(${metadata.namespace}/${metadata.id}) has no YAML spec`,
    );
  }
  try {
    return { node, event, metadata, spec: parse(spec.yaml, { intAsBigInt: true }), yaml: spec.yaml };
  } catch (error) {
    const what = `the YAML spec of ${metadata.type}(${metadata.namespace}/${metadata.id}) cannot be read`;
    throw new Fault('internal', what, { cause: error });
  }
}

/** Formats a time like `2026-01-10T09:00:01Z`. */
export function timeText(unixMs: number): string {
  return new Date(unixMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

export const versionText = (version: number) => (version === 0 ? 'undefined' : String(version));
