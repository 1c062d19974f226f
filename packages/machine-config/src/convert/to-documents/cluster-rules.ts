import { DocumentReader, type ValuePath } from '../../effective/config-reader.ts';
import { isDns1123Subdomain } from '../../forms/names.ts';
import { defaultDnsDomain } from '../../generate/generate-options.ts';
import { discoveryEndpoint } from '../../generate/node-documents.ts';
import type { YamlMap, YamlValue } from '../../yaml/yaml-value.ts';
import { dnsNameFrom } from '../dns-name.ts';
import type { DocumentDraft } from '../document-draft.ts';
import { forControlPlanes, type Outcome, type SectionContext, type SectionRule } from '../section-rule.ts';
import { pemFromBase64 } from './machine-rules.ts';

/** Sections of `cluster`, except the components of the control plane. The order matters: later rules look at what stayed. */
export const clusterRules: readonly SectionRule[] = [
  { section: ['cluster', 'discovery'], convert: discovery },
  { section: ['cluster', 'id'], convert: identity },
  { section: ['cluster', 'controlPlane'], convert: cluster },
  { section: ['cluster', 'network'], convert: network },
  { section: ['cluster', 'extraManifests'], convert: extraManifests },
  { section: ['cluster', 'inlineManifests'], convert: inlineManifests },
  { section: ['cluster', 'ca'], convert: kubernetesCA },
  { section: ['cluster', 'aggregatorCA'], convert: aggregatorCA },
  { section: ['cluster', 'serviceAccount'], convert: serviceAccount },
  { section: ['cluster', 'secretboxEncryptionSecret'], convert: encryptionSecrets },
];

function discovery(context: SectionContext): Outcome {
  const { legacy, isPatch } = context;
  const section = ['cluster', 'discovery'];
  if (!legacy.has(...section)) return undefined;
  const service = [...section, 'registries', 'service'];
  const isOn = legacy.boolean(...section, 'enabled') === true;
  if (isPatch && (!isOn || legacy.has(...section, 'registries')))
    return { stays: 'a patch of these keys has no counterpart' };
  if (isPatch)
    return {
      stays: 'its document needs an endpoint, and would put it in place of that of the configuration',
    };
  if (!isOn) return { documents: [], removes: [section] };
  if (legacy.boolean(...section, 'registries', 'kubernetes', 'disabled') !== true)
    return {
      stays: 'the registry in Kubernetes is on, and has no counterpart: disable it first',
      at: [...section, 'registries', 'kubernetes'],
    };
  if (legacy.boolean(...service, 'disabled') === true)
    return { stays: 'discovery without a service has no counterpart', at: [...service, 'disabled'] };
  const draft = context.draft('DiscoveryServiceConfig').named('default', section);
  draft.move(['endpoint'], [...service, 'endpoint']);
  draft.write(
    ['endpoint'],
    discoveryEndpoint,
    `${discoveryEndpoint}, which cluster.discovery uses; the document needs one`,
  );
  return { documents: [draft], removes: [section] };
}

function identity(context: SectionContext): Outcome {
  const { legacy } = context;
  const [id, secret] = [
    ['cluster', 'id'],
    ['cluster', 'secret'],
  ] as [ValuePath, ValuePath];
  if (legacy.text('cluster', 'id') === '' && legacy.text('cluster', 'secret') === '') return undefined;
  if (legacy.has('cluster', 'discovery')) return { stays: 'cluster.discovery stays, and needs it' };
  const draft = context
    .draft('DiscoveryIdentityConfig')
    .move(['clusterID'], id)
    .move(['clusterSecret'], secret);
  return { documents: [draft], removes: [id, secret] };
}

function cluster(context: SectionContext): Outcome {
  const { legacy } = context;
  const [name, endpoint] = [
    ['cluster', 'clusterName'],
    ['cluster', 'controlPlane', 'endpoint'],
  ] as [string[], string[]];
  if (legacy.text(...name) === '' && legacy.text(...endpoint) === '') return undefined;
  if (legacy.integer('cluster', 'controlPlane', 'localAPIServerPort'))
    return { stays: 'cluster.controlPlane.localAPIServerPort stays beside it, and needs the endpoint' };
  const draft = context.draft('KubeClusterConfig').move(['clusterName'], name).move(['endpoint'], endpoint);
  return { documents: [draft], removes: [name, endpoint] };
}

function network(context: SectionContext): Outcome {
  const { legacy, isPatch } = context;
  const section = ['cluster', 'network'];
  if (!legacy.has(...section)) return undefined;
  const cni = [...section, 'cni'];
  if (isPatch && legacy.has(...cni))
    return { stays: 'a patch of the network plug-in has no counterpart', at: cni };
  const masks = maskFlag(context);
  if (masks !== undefined)
    return { stays: `the document sets the lengths of pod subnets, and the flag ${masks} too` };
  const draft = context
    .draft('KubeNetworkConfig')
    .move(['dnsDomain'], [...section, 'dnsDomain'])
    .move(['podSubnets'], [...section, 'podSubnets'])
    .move(['serviceSubnets'], [...section, 'serviceSubnets']);
  const text = (value: string) => `${value}, the default of cluster.network`;
  draft.write(['dnsDomain'], defaultDnsDomain, text(defaultDnsDomain));
  draft.write(['podSubnets'], ['10.244.0.0/16'], text('10.244.0.0/16'));
  draft.write(['serviceSubnets'], ['10.96.0.0/12'], text('10.96.0.0/12'));
  const documents = draft.moves.length === 0 && isPatch ? [] : [draft];
  if (isPatch || !context.isControlPlane)
    return { documents, removes: [section], notes: ignoredCni(context) };
  const isCustom = legacy.text(...cni, 'name') === 'custom';
  return {
    documents: [...documents, ...plugIn(context)],
    removes: [section],
    notes: isCustom ? [newNames('cluster.network.cni.urls')] : [],
  };
}

/**
 * The flag that sets the length of pod subnets. The controller manager refuses `node-cidr-mask-size` beside those of the families, which
 * it gets from the document only. The rule of its own section has run, so the flag is looked up in the source.
 */
function maskFlag({ source, documents }: SectionContext): string | undefined {
  const manager = documents.find(({ kind }) => kind === 'KubeControllerManagerConfig');
  const flags = {
    ...source.map('cluster', 'controllerManager', 'extraArgs'),
    ...(manager && new DocumentReader(manager).map('extraArgs')),
  };
  return Object.keys(flags).find((flag) => flag.startsWith('node-cidr-mask-size'));
}

/** In the old form, the URL of a manifest is its name. */
function newNames(key: string) {
  const text = 'each manifest gets a name of its own; before, its URL was its name';
  return { kind: 'changed', key, text, effective: 'manifests.names' } as const;
}

function ignoredCni({ legacy, isPatch }: SectionContext) {
  if (isPatch || !legacy.has('cluster', 'network', 'cni')) return [];
  return [
    {
      kind: 'dropped',
      key: 'cluster.network.cni',
      text: 'only control planes install a network plug-in',
    } as const,
  ];
}

function plugIn(context: SectionContext): DocumentDraft[] {
  const { legacy } = context;
  const cni = ['cluster', 'network', 'cni'];
  const name = legacy.text(...cni, 'name') || 'flannel';
  if (name === 'custom') {
    return legacy
      .texts(...cni, 'urls')
      .map((_, at) =>
        external(context, at === 0 ? 'custom-cni' : `custom-cni-${at + 1}`, [...cni, 'urls', at]),
      );
  }
  if (name !== 'flannel') return [];
  const draft = context
    .draft('KubeFlannelCNIConfig')
    .move(['extraArgs'], [...cni, 'flannel', 'extraArgs'])
    .move(['kubeNetworkPoliciesEnabled'], [...cni, 'flannel', 'kubeNetworkPoliciesEnabled']);
  draft.write(['backendType'], 'vxlan', 'vxlan, as cluster.network has it; the document needs one');
  draft.write(['backendPort'], 4789, '4789, as cluster.network has it; without it flannel would choose 8472');
  return [draft];
}

function external(context: SectionContext, name: string, at: ValuePath): DocumentDraft {
  return context
    .draft('KubeExternalManifestConfig')
    .named(name, at)
    .move(['url'], at)
    .move(['headers'], ['cluster', 'extraManifestHeaders']);
}

function extraManifests(context: SectionContext): Outcome {
  const { legacy, isPatch } = context;
  const [section, headers] = [
    ['cluster', 'extraManifests'],
    ['cluster', 'extraManifestHeaders'],
  ] as [string[], string[]];
  const urls = legacy.texts(...section);
  const customStays = legacy.text('cluster', 'network', 'cni', 'name') === 'custom';
  if (urls.length === 0)
    return legacy.has(...headers) && !customStays && !isPatch
      ? { documents: [], removes: [headers] }
      : undefined;
  if (customStays)
    return { stays: 'cluster.network stays with manifests of its own, which come after these' };
  if (isPatch && legacy.has(...headers))
    return { stays: 'a patch of the headers is for all manifests', at: headers };
  const names = new Set<string>();
  const documents = urls.map((url, at) => {
    const base = dnsNameFrom(url);
    const name = names.has(base) ? `${base.slice(-240)}-${at + 1}`.replace(/^[-.]+/, '') : base;
    names.add(name);
    return external(context, name, [...section, at]);
  });
  return {
    documents,
    removes: [section, headers],
    isFirst: true,
    notes: [newNames('cluster.extraManifests')],
  };
}

function inlineManifests(context: SectionContext): Outcome {
  const section = ['cluster', 'inlineManifests'];
  const manifests = context.legacy.items(...section);
  if (manifests.length === 0) return undefined;
  const odd = manifests.findIndex((manifest) => !isDns1123Subdomain(manifest.text('name')));
  if (odd >= 0)
    return { stays: 'a name of a document is a DNS name in lower case', at: [...section, odd, 'name'] };
  const documents = manifests.map((_, at) =>
    context
      .draft('KubeInlineManifestConfig')
      .move(['name'], [...section, at, 'name'])
      .move(['manifest'], [...section, at, 'contents']),
  );
  return { documents, removes: [section], isFirst: true };
}

function kubernetesCA(context: SectionContext): Outcome {
  const { legacy, isPatch } = context;
  const [ca, accepted] = [
    ['cluster', 'ca'],
    ['cluster', 'acceptedCAs'],
  ] as [string[], string[]];
  const others = legacy.items(...accepted);
  if (legacy.text(...ca, 'crt') === '' && others.length === 0) return undefined;
  const hasKey = legacy.text(...ca, 'key') !== '';
  if (isPatch && legacy.has(...ca) && !hasKey)
    return { stays: 'a patch without the key has no one counterpart' };
  const draft = context.draft('KubeAPIServerCAConfig');
  const list: YamlValue[] = [];
  if (hasKey) {
    draft
      .move(['issuingCA', 'cert'], [...ca, 'crt'], pemFromBase64)
      .move(['issuingCA', 'key'], [...ca, 'key'], pemFromBase64);
  } else if (legacy.text(...ca, 'crt') !== '') {
    draft.moves.push({ to: ['acceptedCAs', 0], from: [...ca, 'crt'] });
    list.push(pemFromBase64(legacy.text(...ca, 'crt')));
  }
  for (const [at, other] of others.entries()) {
    draft.moves.push({ to: ['acceptedCAs', list.length], from: [...accepted, at, 'crt'] });
    list.push(pemFromBase64(other.text('crt')));
  }
  if (list.length > 0) draft.put(['acceptedCAs'], list, hasKey ? accepted : ca);
  return { documents: [draft], removes: [ca, accepted] };
}

function aggregatorCA(context: SectionContext): Outcome {
  const section = ['cluster', 'aggregatorCA'];
  if (context.legacy.text(...section, 'crt') === '') return undefined;
  if (!context.mayBeControlPlane) return { stays: forControlPlanes };
  const draft = context
    .draft('KubeAggregatorCAConfig')
    .move(['issuingCA', 'cert'], [...section, 'crt'], pemFromBase64)
    .move(['issuingCA', 'key'], [...section, 'key'], pemFromBase64);
  return { documents: [draft], removes: [section] };
}

function serviceAccount(context: SectionContext): Outcome {
  const section = ['cluster', 'serviceAccount'];
  if (context.legacy.text(...section, 'key') === '') return undefined;
  if (!context.mayBeControlPlane) return { stays: forControlPlanes };
  if (context.endpoint === '' && !context.isPatch)
    return { stays: 'its document needs the URL of the issuer, and no endpoint is set' };
  const draft = context
    .draft('KubeServiceAccountConfig')
    .move(['issuer', 'privateKey'], [...section, 'key'], pemFromBase64);
  draft.write(
    ['issuer', 'issuerURL'],
    context.endpoint,
    'the endpoint of the cluster, which is the issuer in the old form',
  );
  return { documents: [draft], removes: [section] };
}

function encryptionSecrets(context: SectionContext): Outcome {
  const { legacy } = context;
  const [secretbox, aescbc] = ['secretboxEncryptionSecret', 'aescbcEncryptionSecret'].map((key) => [
    'cluster',
    key,
  ]) as [string[], string[]];
  const key = (provider: string, name: string, at: string[]): YamlMap[] =>
    legacy.text(...at) === '' ? [] : [{ [provider]: { keys: [{ name, secret: legacy.text(...at) }] } }];
  const keyed = [...key('secretbox', 'key2', secretbox), ...key('aescbc', 'key1', aescbc)];
  if (keyed.length === 0) return undefined;
  if (!context.mayBeControlPlane) return { stays: forControlPlanes };
  if (context.isPatch) return { stays: 'a patch would add to the list of providers, not replace it' };
  const draft = context.draft('KubeEtcdEncryptionConfig');
  const providers = [...keyed, { identity: {} }];
  const first = legacy.text(...secretbox) === '' ? aescbc : secretbox;
  draft.put(['config'], { resources: [{ resources: ['secrets'], providers }] }, first);
  const text =
    'the provider identity comes last, as the old form has it; without it, Secrets that are not encrypted cannot be read';
  const note = {
    kind: 'default',
    key: 'KubeEtcdEncryptionConfig: config.resources[0].providers',
    text,
  } as const;
  return { documents: [draft], removes: [secretbox, aescbc], notes: [note] };
}
