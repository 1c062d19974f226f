import { ConfigReader, type ValuePath } from '../../effective/config-reader.ts';
import { nodeSettings } from '../../effective/node-settings.ts';
import { kubernetesImages } from '../../generate/generate-options.ts';
import { auditPolicy } from '../../generate/kubernetes-policies.ts';
import type { DocumentDraft } from '../document-draft.ts';
import { forControlPlanes, type Outcome, type SectionContext, type SectionRule } from '../section-rule.ts';
import { isUnset } from '../value-path.ts';

/** The kubelet, its node, and the components of the control plane. */
export const kubernetesRules: readonly SectionRule[] = [
  { section: ['cluster', 'apiServer'], convert: apiServer },
  {
    section: ['cluster', 'controllerManager'],
    convert: (context) => component(context, 'controllerManager'),
  },
  { section: ['cluster', 'scheduler'], convert: (context) => component(context, 'scheduler') },
  { section: ['cluster', 'proxy'], convert: proxy },
  { section: ['cluster', 'coreDNS'], convert: coreDns },
  { section: ['machine', 'nodeLabels'], convert: node },
  { section: ['machine', 'kubelet'], convert: kubelet },
  { section: ['machine', 'features', 'kubePrism'], convert: kubePrism },
  { section: ['machine', 'features', 'kubernetesTalosAPIAccess'], convert: apiAccess },
];

const images = kubernetesImages({});

function withImage(draft: DocumentDraft, section: ValuePath, image: string): DocumentDraft {
  return draft
    .move(['image'], [...section, 'image'])
    .write(['image'], image, `${image}, the default of this release; the document needs one`);
}

/** Prefixes of flags that the document refuses, except one that another document replaces. */
const refusedFlags = [
  'oidc-',
  'authentication-config',
  'authorization-config',
  'authorization-mode',
  'authorization-webhook-',
];

function apiServer(context: SectionContext): Outcome {
  const { legacy, isPatch } = context;
  const section = ['cluster', 'apiServer'];
  const port = ['cluster', 'controlPlane', 'localAPIServerPort'];
  if (!legacy.has(...section) && !legacy.has(...port)) return undefined;
  if (!context.mayBeControlPlane) return { stays: forControlPlanes };
  if (legacy.items(...section, 'extraVolumes').length > 0)
    return { stays: 'extraVolumes has no counterpart', at: [...section, 'extraVolumes'] };
  const flags = Object.keys(legacy.map(...section, 'extraArgs'));
  const refused = flags.find((flag) => refusedFlags.some((prefix) => flag.startsWith(prefix)));
  if (refused !== undefined)
    return { stays: `the document refuses the flag ${refused}`, at: [...section, 'extraArgs', refused] };
  const anonymous = legacy.below(...section).argMap('extraArgs')['anonymous-auth'];
  if (anonymous !== undefined && (isPatch || !['true', 'false'].includes(anonymous.join())))
    return {
      stays: 'the document refuses the flag anonymous-auth',
      at: [...section, 'extraArgs', 'anonymous-auth'],
    };
  if (isPatch && legacy.items(...section, 'authorizationConfig').length > 0)
    return {
      stays: 'a patch of the list of authorizers has no counterpart',
      at: [...section, 'authorizationConfig'],
    };

  const draft = withImage(context.draft('KubeAPIServerConfig'), section, images.apiServer);
  for (const flag of flags)
    if (flag !== 'anonymous-auth')
      moveAlways(context, draft, ['extraArgs', flag], [...section, 'extraArgs', flag]);
  draft
    .move(['env'], [...section, 'env'])
    .move(['resources'], [...section, 'resources'])
    .move(['apiPort'], port)
    .move(['certExtraSANs'], [...section, 'certSANs']);
  draft.write(
    ['startupProbes'],
    false,
    'false, as cluster.apiServer has none; the document has them by default',
  );
  const documents = [
    ...(draft.moves.length > 0 || !isPatch ? [draft] : []),
    ...admission(context),
    ...audit(context),
    ...(isPatch ? [] : [...authentication(context, anonymous), ...authorizers(context)]),
  ];
  const isDropped = legacy.has(...section, 'disablePodSecurityPolicy');
  const text = 'nodes ignore it: Kubernetes has no such policy any more';
  const notes = isDropped
    ? [{ kind: 'dropped', key: 'cluster.apiServer.disablePodSecurityPolicy', text } as const]
    : [];
  return { documents, removes: [section, port], notes };
}

/** A flag without a value is not a missing flag. */
function moveAlways(context: SectionContext, draft: DocumentDraft, to: ValuePath, from: ValuePath): void {
  const value = context.value(from);
  draft.put(to, value ?? '', from);
}

function admission(context: SectionContext): DocumentDraft[] {
  const at = ['cluster', 'apiServer', 'admissionControl'];
  return context.legacy.items(...at).map((_, index) =>
    context
      .draft('KubeAdmissionControlConfig')
      .move(['name'], [...at, index, 'name'])
      .move(['configuration'], [...at, index, 'configuration']),
  );
}

function audit(context: SectionContext): DocumentDraft[] {
  const at = ['cluster', 'apiServer', 'auditPolicy'];
  if (context.hasDocument('KubeAuditPolicyConfig')) return [];
  if (context.isPatch && isUnset(context.value(at))) return [];
  const draft = context.draft('KubeAuditPolicyConfig').move(['configuration'], at);
  draft.write(
    ['configuration'],
    auditPolicy,
    'the level Metadata for all requests, the default of cluster.apiServer',
  );
  return [draft];
}

function authentication(context: SectionContext, flag: readonly string[] | undefined): DocumentDraft[] {
  if (context.hasDocument('KubeAuthenticationConfig')) return [];
  const draft = context.draft('KubeAuthenticationConfig');
  const at = ['configuration', 'anonymous', 'enabled'];
  if (flag !== undefined)
    draft.put(at, flag.join() === 'true', ['cluster', 'apiServer', 'extraArgs', 'anonymous-auth']);
  draft.write(
    at,
    false,
    'false, as the flag anonymous-auth of the old form; without this document the API server does not start',
  );
  return [draft];
}

const builtIn = [
  ['Node', 'node'],
  ['RBAC', 'rbac'],
] as const;

/** In the old form, Node and RBAC always come first. */
function authorizers(context: SectionContext): DocumentDraft[] {
  if (context.hasDocument('KubeAuthorizerConfig')) return [];
  const at = ['cluster', 'apiServer', 'authorizationConfig'];
  const own = context.legacy.items(...at);
  const first = builtIn.map(([type, name]) => {
    const index = own.findIndex((each) => each.text('type') === type);
    const draft = context.draft('KubeAuthorizerConfig');
    if (index >= 0)
      return draft.move(['name'], [...at, index, 'name']).move(['type'], [...at, index, 'type']);
    draft.write(['name'], name, `${type}, which the old form always has`);
    return draft.write(['type'], type, `${type}, which the old form always has`);
  });
  const webhooks = own.flatMap((each, index) =>
    each.text('type') === 'Webhook'
      ? [
          context
            .draft('KubeAuthorizerConfig')
            .move(['name'], [...at, index, 'name'])
            .move(['type'], [...at, index, 'type'])
            .move(['webhook'], [...at, index, 'webhook']),
        ]
      : [],
  );
  return [...first, ...webhooks];
}

const components = {
  controllerManager: { kind: 'KubeControllerManagerConfig', image: images.controllerManager },
  scheduler: { kind: 'KubeSchedulerConfig', image: images.scheduler },
} as const;

function component(context: SectionContext, name: keyof typeof components): Outcome {
  const { legacy, isPatch } = context;
  const section = ['cluster', name];
  const disabled = ['machine', 'controlPlane', name];
  if (!legacy.has(...section) && !legacy.has(...disabled)) return undefined;
  if (!context.mayBeControlPlane) return { stays: forControlPlanes };
  if (legacy.items(...section, 'extraVolumes').length > 0)
    return { stays: 'extraVolumes has no counterpart', at: [...section, 'extraVolumes'] };
  const { kind, image } = components[name];
  const draft = withImage(context.draft(kind), section, image);
  if (legacy.has(...disabled, 'disabled'))
    draft.put(['enabled'], legacy.boolean(...disabled, 'disabled') !== true, [...disabled, 'disabled']);
  for (const key of ['extraArgs', 'env', 'resources', ...(name === 'scheduler' ? ['config'] : [])])
    draft.move([key], [...section, key]);
  return { documents: draft.moves.length > 0 || !isPatch ? [draft] : [], removes: [section, disabled] };
}

function proxy(context: SectionContext): Outcome {
  const { legacy, isPatch } = context;
  const section = ['cluster', 'proxy'];
  if (!legacy.has(...section)) return undefined;
  if (!context.mayBeControlPlane) return { stays: forControlPlanes };
  if (!isUnset(context.value([...section, 'extraArgs'])))
    return {
      stays:
        'extraArgs would lose their effect: kube-proxy ignores most flags beside the configuration file of the document',
      at: [...section, 'extraArgs'],
    };
  const draft = withImage(context.draft('KubeProxyConfig'), section, images.proxy).move(
    ['mode'],
    [...section, 'mode'],
  );
  draft.write(
    ['mode'],
    'iptables',
    'iptables, the default of cluster.proxy; that of the document is nftables',
  );
  if (legacy.has(...section, 'disabled'))
    draft.put(['enabled'], legacy.boolean(...section, 'disabled') !== true, [...section, 'disabled']);
  const text = 'kube-proxy gets a configuration file beside its flags, so its pods start anew once';
  const change = {
    kind: 'changed',
    key: 'cluster.proxy',
    text,
    effective: 'manifests.proxy.config',
  } as const;
  return {
    documents: draft.moves.length > 0 || !isPatch ? [draft] : [],
    removes: [section],
    notes: isPatch ? [] : [change],
  };
}

function coreDns(context: SectionContext): Outcome {
  const { legacy } = context;
  const section = ['cluster', 'coreDNS'];
  if (!legacy.has(...section)) return undefined;
  if (!context.mayBeControlPlane) return { stays: forControlPlanes };
  const draft = context.draft('KubeCoreDNSConfig').move(['image'], [...section, 'image']);
  if (legacy.has(...section, 'disabled'))
    draft.put(['enabled'], legacy.boolean(...section, 'disabled') !== true, [...section, 'disabled']);
  return { documents: draft.moves.length > 0 ? [draft] : [], removes: [section] };
}

const ofKubelet = ['skipNodeRegistration', 'registerWithFQDN', 'nodeIP'];
const ofMachine = { nodeLabels: 'labels', nodeAnnotations: 'annotations', nodeTaints: 'taints' };
const scheduling = ['allowSchedulingOnControlPlanes', 'allowSchedulingOnMasters'];
const roleKey = 'node-role.kubernetes.io/control-plane';

/** Why the section of the kubelet stays, if it does. */
function kubeletStays({ legacy, isPatch }: SectionContext): { stays: string; at: ValuePath } | undefined {
  if (legacy.items('machine', 'kubelet', 'extraMounts').length === 0 || isPatch) return undefined;
  return { stays: 'extraMounts has no counterpart', at: ['machine', 'kubelet', 'extraMounts'] };
}

function node(context: SectionContext): Outcome {
  const { legacy, isPatch } = context;
  const inKubelet = ofKubelet.filter((key) => legacy.has('machine', 'kubelet', key));
  const inMachine = Object.keys(ofMachine).filter((key) => legacy.has('machine', key));
  const inCluster = scheduling.filter((key) => legacy.has('cluster', key));
  // Without the document a control plane gets its role by default. A patch that adds the document later would take that away.
  const isNeeded = !isPatch && context.isControlPlane && !context.hasDocument('KubeNodeConfig');
  if (inKubelet.length + inMachine.length + inCluster.length === 0 && !isNeeded) return undefined;
  if (inKubelet.length > 0 && kubeletStays(context))
    return { stays: `machine.kubelet stays, with ${inKubelet.join(', ')}` };
  if (isPatch && inCluster.length > 0)
    return { stays: 'a patch cannot remove a taint of the document', at: ['cluster', inCluster[0] ?? ''] };
  const draft = context.draft('KubeNodeConfig');
  for (const key of ofKubelet) draft.move([key], ['machine', 'kubelet', key]);
  for (const [key, to] of Object.entries(ofMachine))
    for (const name of Object.keys(legacy.map('machine', key)))
      moveAlways(context, draft, [to, name], ['machine', key, name]);
  if (!isPatch && context.isControlPlane) {
    const { taints } = nodeSettings(new ConfigReader([legacy.document])).node;
    draft.write(['labels', roleKey], '', 'the label of the role, which the old form adds');
    if (taints.some(({ key }) => key === roleKey))
      draft.write(
        ['taints', roleKey],
        'NoSchedule',
        'NoSchedule, the taint of the role, which the old form adds',
      );
  }
  const removes = [
    ...inKubelet.map((key) => ['machine', 'kubelet', key]),
    ...inMachine.map((key) => ['machine', key]),
    ...inCluster.map((key) => ['cluster', key]),
  ];
  return { documents: [draft], removes };
}

function kubelet(context: SectionContext): Outcome {
  const { legacy, isPatch } = context;
  const section = ['machine', 'kubelet'];
  if (!legacy.has(...section)) return undefined;
  const stays = kubeletStays(context);
  if (stays) return stays;
  const own = [...ofKubelet, 'extraMounts'].find(
    (key) => legacy.has(...section, key) && !isUnset(context.value([...section, key])),
  );
  if (own !== undefined) return { stays: `${own} stays`, at: [...section, own] };
  const draft = withImage(context.draft('KubeletConfig'), section, images.kubelet)
    .move(['config'], [...section, 'extraConfig'])
    .move(['extraArgs'], [...section, 'extraArgs'])
    .move(['clusterDNS'], [...section, 'clusterDNS'])
    .move(['defaultRuntimeSeccompProfileEnabled'], [...section, 'defaultRuntimeSeccompProfileEnabled']);
  const providers = context
    .draft('KubeCredentialProviderConfig')
    .move(['configuration'], [...section, 'credentialProviderConfig']);
  const documents = [draft, providers].filter(({ moves }, at) => moves.length > 0 || (at === 0 && !isPatch));
  const text = 'nodes ignore it: they never read static pods from files';
  const notes = legacy.has(...section, 'disableManifestsDirectory')
    ? [{ kind: 'dropped', key: 'machine.kubelet.disableManifestsDirectory', text } as const]
    : [];
  return { documents, removes: [section], notes };
}

function kubePrism(context: SectionContext): Outcome {
  const { legacy, isPatch } = context;
  const section = ['machine', 'features', 'kubePrism'];
  if (!legacy.has(...section)) return undefined;
  if (legacy.boolean(...section, 'enabled') !== true) {
    if (isPatch) return { stays: 'a patch that turns it off has no counterpart' };
    return { documents: [], removes: [section] };
  }
  const draft = context.draft('KubePrismConfig').move(['port'], [...section, 'port']);
  if (isPatch && !draft.has('port'))
    return { stays: 'its document needs a port, and would put it in place of that of the configuration' };
  draft.write(['port'], 7445, '7445, the default of the old form; the document needs one');
  return { documents: [draft], removes: [section] };
}

function apiAccess(context: SectionContext): Outcome {
  const { legacy, isPatch } = context;
  const section = ['machine', 'features', 'kubernetesTalosAPIAccess'];
  if (!legacy.has(...section)) return undefined;
  if (isPatch && legacy.boolean(...section, 'enabled') !== true)
    return { stays: 'a patch of it has no counterpart' };
  if (legacy.boolean(...section, 'enabled') !== true) return { documents: [], removes: [section] };
  if (!context.mayBeControlPlane) return { stays: forControlPlanes };
  const draft = context.draft('KubeTalosAPIAccessConfig');
  for (const key of ['allowedRoles', 'allowedKubernetesNamespaces']) draft.move([key], [...section, key]);
  return { documents: [draft], removes: [section] };
}
