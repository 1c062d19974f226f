import type { Configuration } from '../config-document.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { contractHas, currentContract } from '../version-contract.ts';
import type { GenerateInput } from './generate-options.ts';
import { kubernetesDocuments } from './kubernetes-documents.ts';
import { legacyDocument } from './legacy-document.ts';
import { nodeDocuments } from './node-documents.ts';

/**
 * The documents of a new machine configuration, in their order.
 *
 * Source: Talos v1.14: gen config; version contracts.
 */
export function generateDocuments(input: GenerateInput): Configuration {
  const { contract = currentContract, options = {} } = input;
  const legacy = legacyDocument(input);
  if (!contractHas(contract, 'documents')) return [legacy];
  const withKubernetes = contractHas(contract, 'kubernetesDocuments') && !options.skipKubernetesAndEtcd;
  return [legacy, ...nodeDocuments(input), ...(withKubernetes ? kubernetesDocuments(input) : [])];
}

/** A new machine configuration as text, without comments. */
export function generateConfig(input: GenerateInput): string {
  return encodeConfiguration(generateDocuments(input));
}
