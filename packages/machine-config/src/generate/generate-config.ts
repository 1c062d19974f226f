import type { Configuration } from '../config-document.ts';
import type { CommentModes } from '../docs/describe-document.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { applyPatches } from '../patch/apply-patches.ts';
import type { ConfigPatch } from '../patch/parse-patch.ts';
import { contractHas, currentContract } from '../version-contract.ts';
import type { GenerateInput } from './generate-options.ts';
import { clusterDocuments, kubernetesDocuments } from './kubernetes-documents.ts';
import { legacyDocument } from './legacy-document.ts';
import { nodeDocuments } from './node-documents.ts';

/**
 * Returns the documents of a new machine configuration in the order in which they are written.
 *
 * Source: Talos v1.14: gen config; version contracts.
 */
export function generateDocuments(input: GenerateInput): Configuration {
  const { contract = currentContract, options = {} } = input;
  const legacy = legacyDocument(input);
  if (!contractHas(contract, 'documents')) return [legacy];
  const withKubernetes = contractHas(contract, 'kubernetesDocuments') && !options.skipKubernetesAndEtcd;
  const documents = options.withoutKubernetes ? clusterDocuments : kubernetesDocuments;
  return [legacy, ...nodeDocuments(input), ...(withKubernetes ? documents(input) : [])];
}

export interface GenerateConfigInput extends GenerateInput {
  /** Patches, applied in order. */
  readonly patches?: readonly ConfigPatch[];
  /** Comments to write; none by default. */
  readonly comments?: CommentModes;
}

/**
 * Generates a new machine configuration as text.
 *
 * @throws the faults of `applyPatches`
 */
export function generateConfig(input: GenerateConfigInput): string {
  return encodeConfiguration(applyPatches(generateDocuments(input), input.patches ?? []), input.comments);
}
