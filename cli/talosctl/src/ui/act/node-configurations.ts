import { createHash } from 'node:crypto';
import type { NodeClient } from '@nodewright/client';
import { Fault } from '@nodewright/fault';
import { type Configuration, encodeConfiguration, loadConfiguration } from '@nodewright/machine-config';
import { type EncodedSpec, pointerTo, type Resource } from '@nodewright/state';
import { parse } from 'yaml';
import { activeId, configurationKind } from '../../configuration/configuration-kind.ts';
import { encodedStateOf } from '../../get/get-resources.ts';
import type { HiddenValues } from '../domain/hidden-values.ts';
import type { ShownConfiguration } from '../protocol/calls.ts';

/** The active configuration of a node. */
export interface ActiveConfiguration {
  readonly text: string;
  readonly documents: Configuration;
}

/** The active configurations of nodes, as they were read last, with their secrets. */
export class NodeConfigurations {
  readonly hidden: HiddenValues;
  readonly #last = new Map<string, ActiveConfiguration>();

  constructor(hidden: HiddenValues) {
    this.hidden = hidden;
  }

  /** Reads the configuration from the node. */
  async read(node: NodeClient, signal: AbortSignal): Promise<ActiveConfiguration> {
    const pointer = pointerTo(configurationKind, activeId);
    return this.take(node.name, await encodedStateOf(node).get(pointer, { signal }));
  }

  /** The configuration as it was read last, or else from the node. */
  async last(node: NodeClient, signal: AbortSignal): Promise<ActiveConfiguration> {
    return this.#last.get(node.name) ?? this.read(node, signal);
  }

  /** Takes the configuration from a resource of the node. */
  take(node: string, { metadata, spec }: Resource<EncodedSpec>): ActiveConfiguration {
    // Old nodes set no annotations and send the text of the configuration as it is.
    const text: unknown = Object.keys(metadata.annotations).length === 0 ? spec.yaml : parse(spec.yaml);
    if (typeof text !== 'string') throw new Fault('internal', 'the machine configuration is not a text');
    const active = { text, documents: loadConfiguration(text, { isStored: true }) };
    this.#last.set(node, active);
    return active;
  }

  /** What a page shows and edits: the configuration without secrets. A secret that changes changes the version, too. */
  shown(documents: Configuration): ShownConfiguration {
    const text = encodeConfiguration(this.hidden.hide(documents));
    return { text, version: createHash('sha256').update(text).digest('hex') };
  }
}
