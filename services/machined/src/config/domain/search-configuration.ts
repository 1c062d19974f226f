import { Fault, faultFrom } from '@nodewright/fault';
import { type DecodedConfiguration, isComplete } from '../../base/domain/machine-configuration.ts';

/** Where a machine configuration may come from. */
export interface ConfigurationSource {
  /** Said in messages: `STATE`, `platform`. */
  readonly name: string;
  /** What it gives is stored on this node already, and so nothing is asked after it. */
  readonly isStored: boolean;
  /** Undefined when it has none. @throws when it cannot tell, or when what it has is damaged */
  load(signal: AbortSignal): Promise<string | undefined>;
}

/** What a configuration is found to be. `source` is the last one that gave anything. */
export type FoundConfiguration =
  | {
      readonly kind: 'complete';
      readonly source: ConfigurationSource;
      readonly configuration: DecodedConfiguration;
    }
  /** The node needs more than it has found. */
  | { readonly kind: 'incomplete' }
  /** What is stored cannot be used. */
  | { readonly kind: 'damaged'; readonly fault: Fault };

export interface SearchInit {
  /** In the order in which they are asked. */
  readonly sources: readonly ConfigurationSource[];
  /** Reads what a source gave. @throws Fault when that cannot be read, or the node must not use it */
  readonly read: (text: string, source: ConfigurationSource) => Promise<DecodedConfiguration>;
  /** Takes what a source gave: a later one takes its place, nothing is merged. */
  readonly take: (configuration: DecodedConfiguration, source: ConfigurationSource) => Promise<void>;
}

/**
 * Asks the sources for a configuration that a node can boot with. The first complete one ends the search. A part of one
 * is taken too, as it may lead to the rest; but a stored part says that somebody is at it: the rest comes by a call.
 *
 * A stored configuration that is damaged is told as such: asking other sources would undo what a user has applied. Any
 * other failure is thrown: it may be gone at the next search. Source: Talos v1.14: configuration, sources and precedence.
 */
export async function searchConfiguration(
  { sources, read, take }: SearchInit,
  signal: AbortSignal,
): Promise<FoundConfiguration> {
  for (const source of sources) {
    const text = await loadFrom(source, signal);
    if (text === undefined) continue;
    let configuration: DecodedConfiguration;
    try {
      configuration = await read(text, source);
    } catch (error) {
      const fault = withSource(source, error);
      if (source.isStored) return { kind: 'damaged', fault };
      throw fault;
    }
    await take(configuration, source);
    if (isComplete(configuration)) return { kind: 'complete', source, configuration };
    if (source.isStored) break;
  }
  return { kind: 'incomplete' };
}

async function loadFrom(source: ConfigurationSource, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await source.load(signal);
  } catch (error) {
    throw withSource(source, error);
  }
}

function withSource({ name }: ConfigurationSource, error: unknown): Fault {
  const { kind, message } = faultFrom(error);
  return new Fault(kind, `machine configuration of ${name}: ${message}`, { cause: error });
}
