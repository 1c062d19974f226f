// The files of the control plane, as upstream's nodes make them. Source: Talos v1.14: static pods, kube-apiserver, configuration files.
import type { ControlPlaneSettings } from '@nodewright/machine-config';
import { encodeYaml, type JsonObject } from '@nodewright/state';
import type { KubernetesRootSecretSpec } from '@nodewright/state/kinds';
import { parse } from 'yaml';
import { apiServerArguments } from '../kubernetes/api-server-arguments.ts';
import {
  apiServerConfigFrom,
  controllerManagerConfigFrom,
  schedulerConfigFrom,
} from '../kubernetes/component-configs.ts';
import { controllerManagerArguments } from '../kubernetes/controller-manager-arguments.ts';
import { etcdEncryptionText } from '../kubernetes/etcd-encryption.ts';
import { jsonFromYaml } from '../kubernetes/json-from-yaml.ts';
import { bootstrapManifests } from '../kubernetes/manifests/bootstrap-manifests.ts';
import {
  bootstrapManifestsConfigFrom,
  extraManifestsFrom,
} from '../kubernetes/manifests/manifests-config.ts';
import { apiServerPod, controllerManagerPod, schedulerPod } from '../kubernetes/pod-manifest.ts';
import { type ComponentName, podPaths } from '../kubernetes/pod-paths.ts';
import {
  admissionControlFrom,
  admissionControlText,
  auditPolicyFrom,
  auditPolicyText,
  authenticationFrom,
  authenticationText,
  authorizationFrom,
  authorizationText,
} from '../kubernetes/policy-configs.ts';
import { schedulerArguments, schedulerConfigText } from '../kubernetes/scheduler-arguments.ts';
import type { NodeSettings } from './node-settings.ts';
import type { FileMaker, RenderedFile } from './rendered-file.ts';

/** Certificates and other files change these; they do not follow from the configuration alone. */
const versions = { secrets: '', config: '', configFiles: '' } as const;

const inUpstream = 'nodes of upstream do not add what nodes of this project add beside KubeAPIServerConfig';

/** Makers that a node has only if it runs an API server. */
const onControlPlanes = (
  name: string,
  make: (settings: NodeSettings, root: KubernetesRootSecretSpec) => readonly RenderedFile[],
): FileMaker<NodeSettings> => ({
  name,
  make: (settings) => (settings.kubernetes === undefined ? [] : make(settings, settings.kubernetes)),
});

const podFile = (name: string, pod: JsonObject): RenderedFile => ({
  name: `static pod ${name}`,
  text: encodeYaml(pod),
  value: () => pod,
});

const yamlFile = (name: string, text: string, rule?: string): RenderedFile => ({
  name,
  text,
  value: () => parse(text),
  ...(rule !== undefined && { rule }),
});

const configFile = (component: ComponentName, file: string, text: string, rule?: string) =>
  yamlFile(`${podPaths.config(component)}/${file}`, text, rule);

export const controlPlaneFiles: readonly FileMaker<NodeSettings>[] = [
  onControlPlanes('static pod kube-apiserver', ({ controlPlane, cluster }, root) => {
    const spec = apiServerConfigFrom(controlPlane, cluster);
    const args = apiServerArguments(spec, root);
    return [podFile('kube-apiserver', apiServerPod({ ...spec, args }, versions))];
  }),
  onControlPlanes('static pod kube-controller-manager', ({ controlPlane, cluster }) => {
    const spec = controllerManagerConfigFrom(controlPlane, cluster);
    if (!spec.enabled) return [];
    const args = controllerManagerArguments(spec);
    return [podFile('kube-controller-manager', controllerManagerPod({ ...spec, args }, versions))];
  }),
  onControlPlanes('static pod kube-scheduler', ({ controlPlane }) => {
    const spec = schedulerConfigFrom(controlPlane);
    if (!spec.enabled) return [];
    return [podFile('kube-scheduler', schedulerPod({ ...spec, args: schedulerArguments(spec) }, versions))];
  }),
  onControlPlanes('scheduler-config.yaml', ({ controlPlane: { scheduler } }) => {
    if (!scheduler.enabled) return [];
    const text = schedulerConfigText({ config: jsonFromYaml(scheduler.config) }, '');
    return [configFile('kube-scheduler', 'scheduler-config.yaml', text)];
  }),
  onControlPlanes('admission-control-config.yaml', ({ controlPlane }) => {
    const text = admissionControlText(admissionControlFrom(controlPlane));
    return [configFile('kube-apiserver', 'admission-control-config.yaml', text)];
  }),
  onControlPlanes('auditpolicy.yaml', ({ controlPlane }) => [
    configFile('kube-apiserver', 'auditpolicy.yaml', auditPolicyText(auditPolicyFrom(controlPlane))),
  ]),
  onControlPlanes('authentication-config.yaml', ({ controlPlane, hasAuthentication }) =>
    authenticationFile(controlPlane, hasAuthentication),
  ),
  onControlPlanes('authorization-config.yaml', ({ controlPlane }) => [authorizationFile(controlPlane)]),
  onControlPlanes('encryption of Secrets', (_settings, root) => [
    yamlFile(`${podPaths.secrets('kube-apiserver')}/encryptionconfig.yaml`, etcdEncryptionText(root)),
  ]),
  onControlPlanes('manifests of the cluster', (settings, root) =>
    bootstrapManifests(bootstrapManifestsConfigFrom(settings.manifests, settings), root).map(
      ({ id, objects }) => ({
        name: `manifest ${id}`,
        text: objects.map((object) => encodeYaml(object)).join('---\n'),
        value: () => Object.fromEntries(objects.map((object) => [labelOf(object), object])),
      }),
    ),
  ),
  onControlPlanes('manifests of the user', ({ manifests }) => {
    const value = extraManifestsFrom(manifests);
    return value.length === 0
      ? []
      : [{ name: 'manifests of the user', text: JSON.stringify(value), value: () => value }];
  }),
];

const labelOf = ({ kind, metadata }: JsonObject) =>
  `${String(kind)}/${String((metadata as { readonly name?: unknown } | undefined)?.name)}`;

/** The flag `anonymous-auth` replaces the file in the old form. */
function authenticationFile(settings: ControlPlaneSettings, hasDocument: boolean): RenderedFile[] {
  if (settings.authentication === undefined) return [];
  if (!hasDocument) return [];
  const text = authenticationText(authenticationFrom(settings));
  return [configFile('kube-apiserver', 'authentication-config.yaml', text)];
}

function authorizationFile(settings: ControlPlaneSettings): RenderedFile {
  const ours = authorizationFrom(settings);
  if (!settings.apiServer.hasDocument)
    return configFile('kube-apiserver', 'authorization-config.yaml', authorizationText(ours));
  const config = settings.authorizers.map(({ type, name, webhook }) => ({
    type,
    name,
    webhook: jsonFromYaml(webhook),
  }));
  const text = authorizationText({ ...ours, config });
  const isOurs = text === authorizationText(ours);
  return configFile('kube-apiserver', 'authorization-config.yaml', text, isOurs ? undefined : inUpstream);
}
