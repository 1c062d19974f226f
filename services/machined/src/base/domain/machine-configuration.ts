import {
  type Configuration,
  type EffectiveConfig,
  effectiveConfig,
  legacyKind,
  loadConfiguration,
} from '@nodewright/machine-config';

/** A decoded machine configuration. Every part of it may hold secrets. */
export interface DecodedConfiguration {
  /** The text as the user wrote it, including comments. */
  readonly text: string;
  readonly documents: Configuration;
  /** The values in force, if they have already been computed. */
  readonly effective?: EffectiveConfig;
}

/** Returns the values in force, independent of which document sets them. @throws Fault `invalid-argument` */
export function effectiveOf({ effective, documents }: DecodedConfiguration): EffectiveConfig {
  return effective ?? effectiveConfig(documents);
}

/**
 * @param options `isStored` for a text that this node has accepted before, maybe in an older release
 * @throws Fault `invalid-argument` naming document, line and key
 */
export function decodeConfiguration(
  text: string,
  options: { readonly isStored?: boolean } = {},
): DecodedConfiguration {
  return { text, documents: loadConfiguration(text, options) };
}

/**
 * Whether a node can boot with the configuration: it needs the legacy document, and without it is only
 * partial. Source: Talos v1.14: configuration, model.
 */
export function isComplete({ documents }: DecodedConfiguration): boolean {
  return documents.some(({ kind }) => kind === legacyKind);
}
