import { Fault, faultFrom } from '@nodewright/fault';
import { type DecodedConfiguration, isComplete } from '../../base/domain/machine-configuration.ts';

/** A place that may hold a machine configuration. */
export interface ConfigurationSource {
  /** The name in messages, such as `STATE` or `the platform`. */
  readonly name: string;
  /** Whether the source is the disk of this node. The search ends after a configuration from it. */
  readonly isStored: boolean;
  /**
   * Returns `undefined` when the source has no configuration.
   *
   * @throws when the source is unavailable or its data is damaged
   */
  load(signal: AbortSignal): Promise<string | undefined>;
}

/** The result of a search. `source` is the last source that had a configuration. */
export type FoundConfiguration =
  | {
      readonly kind: 'complete';
      readonly source: ConfigurationSource;
      readonly configuration: DecodedConfiguration;
    }
  /** No source had a complete configuration. */
  | { readonly kind: 'incomplete' }
  /** The stored configuration cannot be used. */
  | { readonly kind: 'damaged'; readonly fault: Fault };

export interface SearchInit {
  /** The sources in search order. */
  readonly sources: readonly ConfigurationSource[];
  /**
   * Decodes and validates the text from a source.
   *
   * @throws Fault when the text is invalid or the node must refuse it
   */
  readonly read: (text: string, source: ConfigurationSource) => Promise<DecodedConfiguration>;
  /** Applies a configuration that was found. A later one replaces it; configurations are not merged. */
  readonly take: (configuration: DecodedConfiguration, source: ConfigurationSource) => Promise<void>;
}

/**
 * Searches the sources in order and ends at the first complete configuration. A partial one is taken too,
 * because it may help to reach a later source. A stored partial configuration ends the search: a user is
 * applying the parts by calls.
 *
 * A damaged stored configuration is returned as `damaged`: using another source would undo what a user has
 * applied. Any other failure is thrown, because the next search may succeed. Source: Talos v1.14:
 * configuration, sources and precedence.
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
