import { parseAllDocuments } from 'yaml';
import { sampleSecrets } from '../secrets/sample-secrets.ts';
import type { GenerateInput, GenerateOptions } from './generate-options.ts';

// Inputs and helpers for tests of generated configurations.

export const secrets = await sampleSecrets();
export const oldSecrets = await sampleSecrets({ major: 1, minor: 2 });
export const types = ['controlplane', 'worker'] as const;
/** Minor versions of all contracts: 1.0 to 1.15. */
export const minors = Array.from({ length: 16 }, (_, minor) => minor);

/** Input of the generator for contract 1.`minor`. */
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

/** Parses the documents with the YAML library instead of our own reader. */
export function documentsOf(text: string): Record<string, unknown>[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Record<string, unknown>);
}

/** Returns the paths of all leaves, in order. Empty collections are leaves. */
export function paths(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return [at];
  return Object.entries(value).flatMap(([key, child]) => paths(child, at === '' ? key : `${at}.${key}`));
}
