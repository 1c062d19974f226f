import type { NodeClient } from '@nodewright/client';
import { type Configuration, encodeConfiguration, loadConfiguration } from '@nodewright/machine-config';
import type { EncodedSpec, Resource, ResourceDefinitionSpec } from '@nodewright/state';
import { resourceFromMessage } from '@nodewright/state/wire';
import { parse } from 'yaml';
import { stateOf } from '../get/get-resources.ts';
import { listDefinitions } from '../get/resolve-kind.ts';
import { shownResource } from '../get/shown-resource.ts';
import { yamlDocument } from '../get/yaml-document.ts';
import { formatCompactJson } from '../render/json.ts';
import { archiveName } from './archive-path.ts';
import type { CollectContext, Collector } from './collector.ts';
import { configurationSecrets } from './configuration-secrets.ts';
import { holdsOwnTexts } from './own-texts-of-kinds.ts';
import { type RecordedSpec, recordedSpecsName } from './recorded-call.ts';
import { redactYaml } from './redact-yaml.ts';
import { redactionMark, SecretFilter } from './secret-filter.ts';
import { shownConfiguration } from './shown-configuration.ts';

const noCodecs = new Map();
const configurations = { namespace: 'config', type: 'MachineConfigs.config.talos.dev' };

/** Kinds that are treated as secret because of their namespace, whatever their definition says. */
const isSecretByPlace = (type: string) => /\.secrets\.talos\.dev$/.test(type);
const isSensitive = ({ type, sensitivity }: ResourceDefinitionSpec) =>
  sensitivity === 'sensitive' || isSecretByPlace(type);
/** Kinds that every role may read but that may contain a secret, or what a user wrote into the configuration. */
const holdsSecret = ({ type }: ResourceDefinitionSpec) => /Tokens?\./.test(type) || holdsOwnTexts(type);

/** In the order in which they are written, so that the secrets of each group are known for the files of the next ones. */
export interface ResourceCollectors {
  /** Kinds whose specs are not written at all. */
  readonly sensitive: readonly Collector[];
  /** Kinds with some secret fields. */
  readonly mixed: readonly Collector[];
  readonly plain: readonly Collector[];
}

/** One file for every kind of the node. Source: Talos v1.14: support bundle. */
export async function resourceCollectors(node: NodeClient, signal: AbortSignal): Promise<ResourceCollectors> {
  const definitions = await listDefinitions(stateOf(node), signal);
  const collectors = (isWanted: (spec: ResourceDefinitionSpec) => boolean) =>
    definitions
      .filter(({ spec }) => isWanted(spec))
      .map(({ metadata, spec }) => ({
        path: `resources/${archiveName(metadata.id)}.yaml`,
        source: `resources ${metadata.id}`,
        collect: (context: CollectContext) => documentsOf(spec, context),
      }));
  return {
    sensitive: collectors(isSensitive),
    mixed: collectors((spec) => !isSensitive(spec) && holdsSecret(spec)),
    plain: collectors((spec) => !isSensitive(spec) && !holdsSecret(spec)),
  };
}

async function* documentsOf(
  definition: ResourceDefinitionSpec,
  { node, signal, secrets, specs }: CollectContext,
): AsyncGenerator<string> {
  const { type, defaultNamespace: namespace } = definition;
  let count = 0;
  for await (const { resource } of node.state.list({ namespace, type, options: {} }, { signal })) {
    const decoded = resourceFromMessage<EncodedSpec>(resource, noCodecs);
    const redacted = redactYaml(decoded.spec.yaml, { type, isSecret: isSensitive(definition) });
    secrets.add(redacted.secrets);
    const text = isSensitive(definition)
      ? withoutSpec(node.name, decoded)
      : yamlDocument({ ...shownResource(node.name, decoded), yaml: redacted.yaml });
    const filtered = new SecretFilter(secrets).text(text.trimEnd());
    if (!isSensitive(definition) && redacted.yaml === decoded.spec.yaml && filtered === text.trimEnd())
      specs.push(recordedSpec(decoded));
    yield `${count === 0 ? '' : '---\n'}${filtered}\n`;
    count += 1;
  }
}

function recordedSpec({ metadata: { namespace, type, id }, spec }: Resource<EncodedSpec>): RecordedSpec {
  return { namespace, type, id, proto: Buffer.from(spec.proto).toString('base64') };
}

/** The protobuf forms that the collectors of resources have found, which ran before. */
export const specCollector: Collector = {
  path: recordedSpecsName,
  async *collect({ specs }) {
    for (const spec of specs) yield `${formatCompactJson(spec)}\n`;
  },
};

/** Labels and annotations of a secret resource may reveal as much as its spec: only their names stay. */
function withoutSpec(node: string, { metadata }: Resource<EncodedSpec>): string {
  const hidden = (of: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.keys(of).map((key) => [key, redactionMark]));
  const { labels, annotations } = metadata;
  return yamlDocument({
    node,
    metadata: { ...metadata, labels: hidden(labels), annotations: hidden(annotations) },
    spec: redactionMark,
  });
}

/**
 * The machine configurations without their secrets; upstream leaves the whole documents out. Their secrets are learned before
 * anything is written, because they are removed from all files of all nodes.
 */
export function configurationCollector(id: string): Collector {
  let known: Configuration | undefined;
  return {
    path: id === 'v1alpha1' ? 'machine-configuration.yaml' : `machine-configuration-${archiveName(id)}.yaml`,
    source: `machine configuration ${id}`,
    async learn(context) {
      known = await readConfiguration(id, context);
    },
    async *collect(context) {
      const documents = known ?? (await readConfiguration(id, context));
      yield new SecretFilter(context.secrets).text(encodeConfiguration(shownConfiguration(documents)));
    },
  };
}

async function readConfiguration(
  id: string,
  { node, signal, secrets }: CollectContext,
): Promise<Configuration> {
  const { resource } = await node.state.get({ ...configurations, id, options: {} }, { signal });
  const { metadata, spec } = resourceFromMessage<EncodedSpec>(resource, noCodecs);
  const text = Object.keys(metadata.annotations).length === 0 ? spec.yaml : String(parse(spec.yaml));
  const documents = loadConfiguration(text);
  secrets.add(configurationSecrets(documents));
  return documents;
}
