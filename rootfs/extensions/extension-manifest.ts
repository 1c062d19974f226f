import type { ExtensionStatusSpec } from '@nodewright/state/kinds';
import { parse } from 'yaml';
import { satisfiesConstraint } from './version-constraint.ts';

export type ExtensionMetadata = ExtensionStatusSpec['metadata'];

/**
 * Reads the text of an extension's `manifest.yaml`.
 *
 * @param version the version of this system, which the extension must be compatible with
 * @throws Error with one line that says what is wrong. Source: Talos v1.14: extensions, manifest.
 */
export function extensionMetadata(text: string, version: string): ExtensionMetadata {
  const manifest = mapping(parseYaml(text));
  if (manifest.version !== 'v1alpha1') throw new Error('version is not v1alpha1');
  const fields = mapping(manifest.metadata);
  const { name, extraInfo } = fields;
  if (typeof name !== 'string' || name === '') throw new Error('metadata.name is missing');
  const constraint = textOf(mapping(mapping(fields.compatibility).talos).version);
  if (!satisfiesConstraint(version, constraint))
    throw new Error(`${name} is for Talos ${constraint}, and this is ${version}`);
  return {
    name,
    version: textOf(fields.version),
    author: textOf(fields.author),
    description: textOf(fields.description),
    compatibility: { talos: { version: constraint } },
    extraInfo: textOf(extraInfo),
  };
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch (error) {
    const [line = ''] = error instanceof Error ? error.message.split('\n') : [];
    throw new Error(line);
  }
}

const mapping = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** A version such as 1.2 is a number in YAML. */
const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
