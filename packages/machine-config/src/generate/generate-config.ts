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
 * The documents of a new machine configuration, in their order.
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
  /** Applied in their order. */
  readonly patches?: readonly ConfigPatch[];
  /** None by default. */
  readonly comments?: CommentModes;
}

/** A new machine configuration as text. Throws what `applyPatches` throws. */
export function generateConfig(input: GenerateConfigInput): string {
  return encodeConfiguration(applyPatches(generateDocuments(input), input.patches ?? []), input.comments);
}
