import { parseAllDocuments } from 'yaml';
import { sampleSecrets } from '../secrets/sample-secrets.ts';
import type { GenerateInput, GenerateOptions } from './generate-options.ts';

// For tests of generated configurations.

export const secrets = await sampleSecrets();
export const oldSecrets = await sampleSecrets({ major: 1, minor: 2 });
export const types = ['controlplane', 'worker'] as const;
/** Of all contracts: 1.0 to 1.15. */
export const minors = Array.from({ length: 16 }, (_, minor) => minor);

/** What to generate, for contract 1.`minor`. */
export function sampleInput(
  type: GenerateInput['type'],
  options: GenerateOptions = {},
  minor = 15,
): GenerateInput {
  const bundle = minor <= 2 ? oldSecrets : secrets;
  const contract = { major: 1, minor };
  return {
    secrets: bundle,
    clusterName: 'alpha',
    endpoint: 'https://10.5.0.1:6443',
    type,
    contract,
    options,
  };
}

/** The documents as another YAML reader sees them. */
export function documentsOf(text: string): Record<string, unknown>[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Record<string, unknown>);
}

/** All paths to leaves, in order; empty collections are leaves. */
export function paths(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return [at];
  return Object.entries(value).flatMap(([key, child]) => paths(child, at === '' ? key : `${at}.${key}`));
}
