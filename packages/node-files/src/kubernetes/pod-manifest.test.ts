import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@nodewright/state';
import { expectedPods } from '../testing/expected-pods.ts';
import { type ControlPlaneText, controlPlaneText, renderedPods } from '../testing/rendered-pods.ts';

const [api, manager, scheduler] = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;

/** How a pod differs from the one of a generated configuration. */
interface Difference {
  /** Flags that appear, and those that disappear: a replaced flag is in both. */
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  /** Fields of the container. `undefined` means that the field is missing. */
  readonly container?: Readonly<Record<string, unknown>>;
  /** Variables after those of the node. */
  readonly env?: readonly JsonObject[];
  /** Mounts behind those of the component: name, path on the host, path in the pod, whether it is read-only. */
  readonly mounts?: readonly (readonly [string, string, string, boolean])[];
  /** Names of mounts that are missing. */
  readonly without?: readonly string[];
  readonly version?: string;
}

interface Row {
  readonly name: string;
  readonly config: ControlPlaneText;
  readonly pods: Readonly<Record<string, Difference | 'absent'>>;
}

const document = (kind: string, body: string) => `apiVersion: v1alpha1\nkind: ${kind}\n${body}`;
const patched = (...patches: string[]): ControlPlaneText => ({ patches });
const legacy = (...patches: string[]): ControlPlaneText => ({ minor: 13, patches });
const component = {
  [api]: 'KubeAPIServerConfig',
  [manager]: 'KubeControllerManagerConfig',
  [scheduler]: 'KubeSchedulerConfig',
};

/** What v1alpha1 lacks: probes of the API server, configuration of its authentication, and node masks. */
const ofLegacy = {
  [api]: {
    add: ['--anonymous-auth=false'],
    remove: ['--authentication-config=/system/config/kubernetes/kube-apiserver/authentication-config.yaml'],
    container: { startupProbe: undefined, livenessProbe: undefined, readinessProbe: undefined },
    without: ['ca-certs'],
  },
  [manager]: { remove: ['--node-cidr-mask-size-ipv4=24'] },
};
const legacyApi = (more: Difference): Difference => ({
  ...ofLegacy[api],
  ...more,
  add: [...ofLegacy[api].add, ...(more.add ?? [])],
  remove: [...ofLegacy[api].remove, ...(more.remove ?? [])],
});

/** A row for each component whose document sets the same field. */
function forEach(name: string, body: string, difference: Difference): Row[] {
  return Object.entries(component).map(([pod, kind]) => ({
    name: `${name} of ${pod}`,
    config: patched(document(kind, body)),
    pods: { [pod]: difference },
  }));
}

const rows: readonly Row[] = [
  { name: 'a generated configuration', config: {}, pods: {} },
  { name: 'a v1alpha1 configuration', config: { minor: 13 }, pods: ofLegacy },
  { name: 'an early v1alpha1 configuration', config: { minor: 2 }, pods: ofLegacy },
  ...forEach('a new flag', 'extraArgs: { v: "4" }', { add: ['--v=4'] }),
  ...forEach('a replaced flag', 'extraArgs: { profiling: true }', {
    add: ['--profiling=true'],
    remove: ['--profiling=false'],
  }),
  ...forEach('a repeated flag', 'extraArgs: { vmodule: [a=1, b=2] }', {
    add: ['--vmodule=a=1', '--vmodule=b=2'],
  }),
  ...forEach('a feature gate', 'extraArgs: { feature-gates: A=true }', { add: ['--feature-gates=A=true'] }),
  ...forEach('variables', 'env: { B: "2", A: "1" }', {
    env: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
  }),
  ...forEach('a memory limit', 'resources: { limits: { memory: 1Gi } }', {
    env: [{ name: 'GOMEMLIMIT', value: '1020054732' }],
  }).map(withLimits),
  {
    name: 'requests',
    config: patched(document('KubeAPIServerConfig', 'resources: { requests: { cpu: 2 } }')),
    pods: { [api]: { container: { resources: { requests: { cpu: '2', memory: '512Mi' }, limits: {} } } } },
  },
  {
    name: 'an older image',
    config: patched(document('KubeSchedulerConfig', 'image: "registry.k8s.io/kube-scheduler:v1.30.4"')),
    pods: {
      [scheduler]: {
        version: 'v1.30.4',
        container: {
          image: 'registry.k8s.io/kube-scheduler:v1.30.4',
          startupProbe: probeOf('/healthz', { periodSeconds: 5, failureThreshold: 12 }),
          livenessProbe: probeOf('/healthz'),
          readinessProbe: probeOf('/healthz'),
        },
      },
    },
  },
  {
    name: 'an image by digest',
    config: patched(document('KubeControllerManagerConfig', 'image: "example.org:5000/kcm@sha256:00"')),
    pods: { [manager]: { version: '', container: { image: 'example.org:5000/kcm@sha256:00' } } },
  },
  {
    name: 'an added admission plugin',
    config: patched(
      document('KubeAPIServerConfig', 'extraArgs: { enable-admission-plugins: AlwaysPullImages }'),
    ),
    pods: {
      [api]: {
        add: ['--enable-admission-plugins=NodeRestriction,AlwaysPullImages'],
        remove: ['--enable-admission-plugins=NodeRestriction'],
      },
    },
  },
  {
    name: 'added controllers',
    config: patched(
      document('KubeControllerManagerConfig', 'extraArgs: { controllers: [-ttl, bootstrapsigner] }'),
    ),
    pods: { [manager]: { add: ['--controllers=*,-ttl,bootstrapsigner'], remove: ['--controllers=*'] } },
  },
  {
    name: 'another port',
    config: { localAPIServerPort: 7443 },
    pods: {
      [api]: {
        add: ['--secure-port=7443'],
        remove: ['--secure-port=6443'],
        container: {
          startupProbe: probeOf(
            '/livez',
            { initialDelaySeconds: 10, periodSeconds: 10, failureThreshold: 24 },
            7443,
          ),
          livenessProbe: probeOf(
            '/livez',
            { initialDelaySeconds: 10, periodSeconds: 10, failureThreshold: 8 },
            7443,
          ),
          readinessProbe: probeOf('/readyz', { periodSeconds: 1, failureThreshold: 3 }, 7443),
        },
      },
    },
  },
  {
    name: 'no startup probes',
    config: patched(document('KubeAPIServerConfig', 'startupProbes: false')),
    pods: {
      [api]: { container: { startupProbe: undefined, livenessProbe: undefined, readinessProbe: undefined } },
    },
  },
  {
    name: 'two families',
    config: { ipFamilies: ['ipv4', 'ipv6'] },
    pods: {
      [api]: {
        add: ['--service-cluster-ip-range=10.96.0.0/12,fc00:db8:20::/112'],
        remove: ['--service-cluster-ip-range=10.96.0.0/12'],
      },
      [manager]: {
        add: [
          '--cluster-cidr=10.244.0.0/16,fc00:db8:10::/56',
          '--service-cluster-ip-range=10.96.0.0/12,fc00:db8:20::/112',
          '--node-cidr-mask-size-ipv6=64',
        ],
        remove: ['--cluster-cidr=10.244.0.0/16', '--service-cluster-ip-range=10.96.0.0/12'],
      },
    },
  },
  {
    name: 'only IPv6',
    config: { ipFamilies: ['ipv6'] },
    pods: {
      [api]: {
        add: ['--service-cluster-ip-range=fc00:db8:20::/112'],
        remove: ['--service-cluster-ip-range=10.96.0.0/12'],
      },
      [manager]: {
        add: [
          '--cluster-cidr=fc00:db8:10::/56',
          '--service-cluster-ip-range=fc00:db8:20::/112',
          '--node-cidr-mask-size-ipv6=64',
        ],
        remove: [
          '--cluster-cidr=10.244.0.0/16',
          '--service-cluster-ip-range=10.96.0.0/12',
          '--node-cidr-mask-size-ipv4=24',
        ],
      },
    },
  },
  {
    name: 'another node mask',
    config: patched(document('KubeNetworkConfig', 'nodeCIDRMaskSizeIPv4: 25')),
    pods: {
      [manager]: { add: ['--node-cidr-mask-size-ipv4=25'], remove: ['--node-cidr-mask-size-ipv4=24'] },
    },
  },
  {
    name: 'no controller manager',
    config: patched(document('KubeControllerManagerConfig', 'enabled: false')),
    pods: { [manager]: 'absent' },
  },
  {
    name: 'no scheduler',
    config: patched(document('KubeSchedulerConfig', 'enabled: false')),
    pods: { [scheduler]: 'absent' },
  },
  {
    name: 'no registration of nodes',
    config: patched(document('KubeNodeConfig', 'skipNodeRegistration: true')),
    pods: { [api]: { remove: ['--advertise-address=$(POD_IP)'] } },
  },
  {
    name: 'another endpoint',
    config: patched(document('KubeClusterConfig', 'endpoint: https://k8s.example.org:443')),
    pods: {
      [api]: {
        add: ['--api-audiences=https://k8s.example.org:443'],
        remove: ['--api-audiences=https://10.5.0.1:6443'],
      },
    },
  },
  {
    name: 'audiences and issuers',
    config: patched(
      document(
        'KubeServiceAccountConfig',
        'issuer: { issuerURL: https://issuer.example.org }\naccepted: { issuers: [https://old.example.org], audiences: [a, b] }',
      ),
    ),
    pods: {
      [api]: {
        add: [
          '--api-audiences=a,b',
          '--service-account-issuer=https://issuer.example.org',
          '--service-account-issuer=https://old.example.org',
        ],
        remove: ['--api-audiences=https://10.5.0.1:6443', '--service-account-issuer=https://10.5.0.1:6443'],
      },
    },
  },
  {
    name: 'an external cloud provider',
    config: legacy('cluster: { externalCloudProvider: { enabled: true } }'),
    pods: {
      ...ofLegacy,
      [manager]: { add: ['--cloud-provider=external'], remove: ['--node-cidr-mask-size-ipv4=24'] },
    },
  },
  {
    name: 'an external cloud provider of an old API server',
    config: legacy(
      'cluster: { externalCloudProvider: { enabled: true }, apiServer: { image: "registry.k8s.io/kube-apiserver:v1.32.1" } }',
    ),
    pods: {
      [api]: legacyApi({
        add: ['--cloud-provider=external'],
        version: 'v1.32.1',
        container: { ...ofLegacy[api].container, image: 'registry.k8s.io/kube-apiserver:v1.32.1' },
      }),
      [manager]: { add: ['--cloud-provider=external'], remove: ['--node-cidr-mask-size-ipv4=24'] },
    },
  },
  {
    name: 'authorization by flags',
    config: legacy(
      'cluster: { apiServer: { extraArgs: { authorization-mode: Webhook, authorization-webhook-version: v1 } } }',
    ),
    pods: {
      ...ofLegacy,
      [api]: legacyApi({
        add: ['--authorization-mode=Node,RBAC,Webhook', '--authorization-webhook-version=v1'],
        remove: ['--authorization-config=/system/config/kubernetes/kube-apiserver/authorization-config.yaml'],
      }),
    },
  },
  {
    name: 'anonymous clients of v1alpha1',
    config: legacy('cluster: { apiServer: { extraArgs: { anonymous-auth: true } } }'),
    pods: { ...ofLegacy, [api]: { ...ofLegacy[api], add: ['--anonymous-auth=true'] } },
  },
  {
    name: 'volumes of v1alpha1',
    config: legacy(
      'cluster: { scheduler: { extraVolumes: [{ hostPath: /var/lib/a, mountPath: /a, readonly: true }, { hostPath: /b, mountPath: /b/c }] } }',
    ),
    pods: {
      ...ofLegacy,
      [scheduler]: {
        mounts: [
          ['extra-volume-0', '/var/lib/a', '/a', true],
          ['extra-volume-1', '/b', '/b/c', false],
        ],
      },
    },
  },
  {
    name: 'no controller manager in v1alpha1',
    config: legacy('machine: { controlPlane: { controllerManager: { disabled: true } } }'),
    pods: { [api]: ofLegacy[api], [manager]: 'absent' },
  },
  {
    name: 'no scheduler in v1alpha1',
    config: legacy('machine: { controlPlane: { scheduler: { disabled: true } } }'),
    pods: { ...ofLegacy, [scheduler]: 'absent' },
  },
  {
    name: 'a variable of the user instead of that of the node',
    config: patched(
      document(
        'KubeSchedulerConfig',
        'env: { GOMEMLIMIT: "1", POD_IP: "10.0.0.9" }\nresources: { limits: { memory: 1Gi } }',
      ),
    ),
    pods: {
      [scheduler]: {
        container: {
          env: [
            { name: 'GOMEMLIMIT', value: '1' },
            { name: 'POD_IP', value: '10.0.0.9' },
          ],
          resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '1Gi' } },
        },
      },
    },
  },
];

function probeOf(path: string, times: JsonObject = {}, port = 10259): JsonObject {
  return { httpGet: { host: 'localhost', path, port, scheme: 'HTTPS' }, timeoutSeconds: 15, ...times };
}

function withLimits(row: Row): Row {
  const requests = {
    [api]: { cpu: '200m', memory: '512Mi' },
    [manager]: { cpu: '50m', memory: '256Mi' },
    [scheduler]: { cpu: '10m', memory: '64Mi' },
  };
  const pods = Object.entries(row.pods).map(([pod, difference]) => [
    pod,
    {
      ...(difference as Difference),
      container: {
        resources: { requests: requests[pod as keyof typeof requests], limits: { memory: '1Gi' } },
      },
    },
  ]);
  return { ...row, pods: Object.fromEntries(pods) };
}

// biome-ignore lint/suspicious/noExplicitAny: the tests take objects of Kubernetes apart, which have no type here
type Loose = any;

function changed(pod: JsonObject, difference: Difference): JsonObject {
  const copy: Loose = structuredClone(pod);
  const [container] = copy.spec.containers;
  const { add = [], remove = [], env = [], mounts = [], without = [], version } = difference;
  const [program, ...flags] = container.command;
  for (const flag of remove)
    assert.ok(flags.includes(flag), `${flag} is no flag of the generated configuration`);
  container.command = [
    program,
    ...sortedFlags([...flags.filter((flag: string) => !remove.includes(flag)), ...add]),
  ];
  container.env.push(...env);
  const kept = (entry: { readonly name: string }) => !without.includes(entry.name);
  const scratch = container.volumeMounts.length - 2;
  container.volumeMounts.splice(
    scratch,
    0,
    ...mounts.map(([name, , mountPath, readOnly]) => ({ name, mountPath, readOnly })),
  );
  copy.spec.volumes.splice(scratch, 0, ...mounts.map(([name, path]) => ({ name, hostPath: { path } })));
  container.volumeMounts = container.volumeMounts.filter(kept);
  copy.spec.volumes = copy.spec.volumes.filter(kept);
  for (const [key, value] of Object.entries(difference.container ?? {})) {
    if (value === undefined) delete container[key];
    else container[key] = value;
  }
  if (version !== undefined) {
    if (version === '') delete copy.metadata.labels['app.kubernetes.io/version'];
    else copy.metadata.labels['app.kubernetes.io/version'] = version;
  }
  return copy;
}

/** By name; repeated flags keep their order. */
function sortedFlags(flags: readonly string[]): string[] {
  const name = (flag: string) => flag.split('=')[0] ?? '';
  return [...flags].sort((a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0));
}

test('there are at least 40 configurations', () => assert.ok(rows.length >= 40, String(rows.length)));

for (const { name, config, pods } of rows) {
  test(`the pods of ${name}`, async () => {
    const expected = Object.entries(expectedPods).flatMap(([pod, manifest]) => {
      const difference = pods[pod] ?? {};
      return difference === 'absent' ? [] : [[pod, changed(manifest, difference)]];
    });
    assert.deepEqual(renderedPods(await controlPlaneText(config)), Object.fromEntries(expected));
  });
}
