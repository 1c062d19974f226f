import { createHash } from 'node:crypto';
import type { NodeClient } from '@nodewright/client';
import { Fault } from '@nodewright/fault';
import {
  type Configuration,
  type ConvertedText,
  encodeConfiguration,
  encodeKeepingComments,
  loadConfiguration,
} from '@nodewright/machine-config';
import { type EncodedSpec, pointerTo, type Resource } from '@nodewright/state';
import { parse } from 'yaml';
import { activeId, configurationKind } from '../../configuration/configuration-kind.ts';
import { encodedStateOf } from '../../get/get-resources.ts';
import type { HiddenValues } from '../domain/hidden-values.ts';
import { limits } from '../domain/limits.ts';
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
  /** The last conversions of each node, with their secrets, the newest first. */
  readonly #conversions = new Map<string, readonly ActiveConfiguration[]>();

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

  /** Keeps a conversion. It has secrets in other forms than the node, such as PEM in place of base64, which `restore` then knows. */
  takeConversion(node: string, { text, after }: Pick<ConvertedText, 'text' | 'after'>): void {
    const before = this.#conversions.get(node) ?? [];
    this.#conversions.set(node, [{ text, documents: after }, ...before].slice(0, limits.conversions));
  }

  /** Puts the secrets of the node, and of conversions for it, back into an edited text. @throws Fault as `HiddenValues.restore()` */
  restore(node: string, edited: Configuration, { documents }: ActiveConfiguration): Configuration {
    const converted = this.#conversions.get(node) ?? [];
    return this.hidden.restore(edited, documents, ...converted.map((each) => each.documents));
  }

  /**
   * Encodes edited documents with the comments of the active configuration. When they are a conversion, sections have become
   * documents, and the text of the conversion has the comments where they belong.
   */
  encode(node: string, documents: Configuration, active: ActiveConfiguration): string {
    const labels = labelsOf(documents);
    const sources = [active, ...(this.#conversions.get(node) ?? [])];
    const source = sources.find((each) => labelsOf(each.documents) === labels) ?? active;
    return encodeKeepingComments(documents, source.text);
  }

  /** What a page shows and edits: the configuration without secrets. A secret that changes changes the version, too. */
  shown(documents: Configuration): ShownConfiguration {
    const text = encodeConfiguration(this.hidden.hide(documents));
    return { text, version: createHash('sha256').update(text).digest('hex') };
  }
}

/** The documents that a configuration has, by kind and name. */
const labelsOf = (documents: Configuration) =>
  documents
    .map(({ kind, value: { name } }) => `${kind}/${typeof name === 'string' ? name : ''}`)
    .toSorted()
    .join('\n');
