// The static pods of the control plane as Kubernetes objects. Source: Talos v1.14: static pods. Source: Kubernetes: Pod (v1).
import type { JsonObject } from '@nodewright/state';
import type {
  ApiServerConfigSpec,
  ControllerManagerConfigSpec,
  SchedulerConfigSpec,
} from '@nodewright/state/kinds';
import { tagOfImage } from './image-version.ts';
import { goMemoryLimit } from './memory-limit.ts';
import { type ComponentName, componentUsers, podPaths } from './pod-paths.ts';
import { type ComponentProbes, componentProbes } from './pod-probes.ts';

/** What a pod is restarted for. Each is a text that changes with the files. */
export interface PodVersions {
  readonly secrets: string;
  readonly config: string;
  readonly configFiles: string;
}

type ComponentConfig = ApiServerConfigSpec | ControllerManagerConfigSpec | SchedulerConfigSpec;

interface PodTraits {
  readonly mounts: readonly Mount[];
  readonly capabilities?: readonly string[];
}

interface Mount {
  readonly name: string;
  readonly hostPath: string;
  readonly mountPath: string;
  readonly readonly: boolean;
}

/** Annotations whose change makes the kubelet replace the pod. */
export const versionAnnotations = {
  secrets: 'talos.dev/secrets-version',
  config: 'talos.dev/config-version',
  configFiles: 'talos.dev/config-file-version',
} as const;

export function apiServerPod(spec: ApiServerConfigSpec, versions: PodVersions): JsonObject {
  const mounts = [
    ...fileMounts('kube-apiserver'),
    { name: 'audit', hostPath: podPaths.audit, mountPath: podPaths.audit, readonly: false },
    // Only documents configure authentication by file, whose servers the API server verifies with these roots.
    ...(spec.useAuthenticationConfig
      ? [{ name: 'ca-certs', hostPath: '/etc/ssl/certs', mountPath: '/etc/ssl/certs', readonly: true }]
      : []),
  ];
  const traits = { mounts, capabilities: ['NET_BIND_SERVICE'] };
  return podOf('kube-apiserver', spec, traits, versions, componentProbes.apiServer(spec));
}

export function controllerManagerPod(spec: ControllerManagerConfigSpec, versions: PodVersions): JsonObject {
  const traits = { mounts: fileMounts('kube-controller-manager').slice(0, 1) };
  return podOf('kube-controller-manager', spec, traits, versions, componentProbes.controllerManager(spec));
}

export function schedulerPod(spec: SchedulerConfigSpec, versions: PodVersions): JsonObject {
  const traits = { mounts: fileMounts('kube-scheduler') };
  return podOf('kube-scheduler', spec, traits, versions, componentProbes.scheduler(spec));
}

/** The folders with the files that the node writes for a component. */
function fileMounts(component: ComponentName): Mount[] {
  const [secrets, config] = [podPaths.secrets(component), podPaths.config(component)];
  return [
    { name: 'secrets', hostPath: secrets, mountPath: secrets, readonly: true },
    { name: 'config', hostPath: config, mountPath: config, readonly: true },
  ];
}

function podOf(
  name: ComponentName,
  spec: ComponentConfig,
  { mounts, capabilities }: PodTraits,
  versions: PodVersions,
  probes: ComponentProbes,
): JsonObject {
  const user = componentUsers[name];
  const all = [...mounts, ...spec.extraVolumes];
  const scratch = [
    { name: 'tmp', mountPath: '/tmp' },
    { name: 'run', mountPath: '/var/run/kubernetes' },
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'kube-system',
      labels: labelsOf(name, spec.image),
      annotations: {
        [versionAnnotations.secrets]: versions.secrets,
        [versionAnnotations.config]: versions.config,
        [versionAnnotations.configFiles]: versions.configFiles,
      },
    },
    spec: {
      priority: 2_000_000_000,
      priorityClassName: 'system-cluster-critical',
      hostNetwork: true,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: user,
        runAsGroup: user,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name,
          image: spec.image,
          command: spec.args,
          env: environmentOf(spec),
          resources: { requests: spec.resources.requests, limits: spec.resources.limits },
          ...probes,
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'], ...(capabilities && { add: capabilities }) },
          },
          volumeMounts: [
            ...all.map((mount) => ({
              name: mount.name,
              mountPath: mount.mountPath,
              readOnly: mount.readonly,
            })),
            ...scratch,
          ],
        },
      ],
      volumes: [
        ...all.map((mount) => ({ name: mount.name, hostPath: { path: mount.hostPath } })),
        ...scratch.map((mount) => ({ name: mount.name, emptyDir: { medium: 'Memory' } })),
      ],
    },
  };
}

function labelsOf(name: ComponentName, image: string): JsonObject {
  const tag = tagOfImage(image);
  return {
    tier: 'control-plane',
    'k8s-app': name,
    component: name,
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/component': 'control-plane',
    ...(tag !== '' && { 'app.kubernetes.io/version': tag }),
    'app.kubernetes.io/managed-by': 'Talos',
  };
}

/** The variables of the user come last and win. */
function environmentOf(spec: ComponentConfig): JsonObject[] {
  const memoryLimit = goMemoryLimit(spec.resources.limits.memory);
  const own = spec.environmentVariables;
  const set = (name: string, entry: JsonObject) => (Object.hasOwn(own, name) ? [] : [{ name, ...entry }]);
  return [
    ...set('POD_IP', { valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }),
    ...(memoryLimit === undefined ? [] : set('GOMEMLIMIT', { value: memoryLimit })),
    ...Object.entries(own)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => ({ name, value })),
  ];
}
