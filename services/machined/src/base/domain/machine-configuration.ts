import {
  type Configuration,
  type EffectiveConfig,
  effectiveConfig,
  legacyKind,
  loadConfiguration,
} from '@nodewright/machine-config';

/** A machine configuration, decoded. All of it may hold secrets. */
export interface DecodedConfiguration {
  /** As the user wrote it, comments included. */
  readonly text: string;
  readonly documents: Configuration;
  /** The values in force, where somebody has worked them out already. */
  readonly effective?: EffectiveConfig;
}

/** The values in force, whichever of the documents says so. @throws Fault `invalid-argument` */
export function effectiveOf({ effective, documents }: DecodedConfiguration): EffectiveConfig {
  return effective ?? effectiveConfig(documents);
}

/** @throws Fault `invalid-argument` naming document, line and key */
export function decodeConfiguration(text: string): DecodedConfiguration {
  return { text, documents: loadConfiguration(text) };
}

/** Whether a node can boot with it: without the legacy document it is a part. Source: Talos v1.14: configuration, model. */
export function isComplete({ documents }: DecodedConfiguration): boolean {
  return documents.some(({ kind }) => kind === legacyKind);
}
