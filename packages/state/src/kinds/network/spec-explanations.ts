import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, list, message, text, uint32, type ValueOf } from '../../spec/field-types.ts';
import { configLayer } from './enumerations.ts';

const explanationSource = message({
  layer: field(1, configLayer),
  /** A document such as `VLANConfig eth0.5`, or who asked for it, such as `DHCP on eth0`. */
  source: field(2, text),
});
export type ExplanationSource = ValueOf<typeof explanationSource>;

const specExplanation = message({
  /** Of the merged specification. */
  id: field(1, text),
  /** The highest one that names it. */
  layer: field(2, configLayer),
  /** The highest layer first. */
  sources: field(3, list(explanationSource)),
  /** The id of what the kernel has; empty when it has none. */
  statusId: field(4, text),
  /** Why it is not as specified; empty when nothing is known to be wrong. */
  reason: field(5, text),
});
export type SpecExplanation = ValueOf<typeof specExplanation>;

/**
 * Where the specifications of links, addresses and routes come from, and why they are not applied. The IDs are `links`, `addresses` and
 * `routes`. Our own: Talos shows the specifications alone, and those of links only to administrators.
 */
export const specExplanations = defineKind({
  type: 'SpecExplanations.network.nodewright.dev',
  defaultNamespace: 'network',
  printColumns: {
    Unmanaged: '{.unmanaged}',
    Omitted: '{.omitted}',
  },
  spec: {
    /** Why this node applies no specification; empty on a node that does. */
    unmanaged: field(1, text),
    specs: field(2, list(specExplanation)),
    /** How many specifications are left out, because there are too many. */
    omitted: field(3, uint32),
    /** What is wrong besides single specifications, in one line each. */
    problems: field(4, list(text)),
  },
});
export type SpecExplanationSpec = SpecOf<typeof specExplanations>;
