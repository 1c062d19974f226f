// The pods of a control plane with a generated configuration, written out by hand from the reference, so that a test does not
// compare the code with itself.
import type { JsonObject } from '@nodewright/state';

const image = (name: string) => `registry.k8s.io/${name}:v1.37.1`;

const scratch = {
  mounts: [
    { name: 'tmp', mountPath: '/tmp' },
    { name: 'run', mountPath: '/var/run/kubernetes' },
  ],
  volumes: [
    { name: 'tmp', emptyDir: { medium: 'Memory' } },
    { name: 'run', emptyDir: { medium: 'Memory' } },
  ],
};

const podAddress = { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } };

const probe = (port: number, path: string, times: JsonObject = {}) => ({
  httpGet: { host: 'localhost', path, port, scheme: 'HTTPS' },
  timeoutSeconds: 15,
  ...times,
});

interface Parts {
  readonly name: string;
  readonly user: number;
  readonly flags: readonly string[];
  readonly requests: JsonObject;
  readonly probes: JsonObject;
  /** Name, path, and whether it is read-only. */
  readonly mounts: readonly (readonly [string, string, boolean])[];
  readonly capabilities: JsonObject;
}

function pod({ name, user, flags, requests, probes, mounts, capabilities }: Parts): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'kube-system',
      labels: {
        tier: 'control-plane',
        'k8s-app': name,
        component: name,
        'app.kubernetes.io/name': name,
        'app.kubernetes.io/component': 'control-plane',
        'app.kubernetes.io/version': 'v1.37.1',
        'app.kubernetes.io/managed-by': 'Talos',
      },
      annotations: {
        'talos.dev/secrets-version': '1',
        'talos.dev/config-version': '2',
        'talos.dev/config-file-version': '3',
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
          image: image(name),
          command: [`/usr/local/bin/${name}`, ...flags],
          env: [podAddress],
          resources: { requests, limits: {} },
          ...probes,
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities,
          },
          volumeMounts: [
            ...mounts.map(([mount, mountPath, readOnly]) => ({ name: mount, mountPath, readOnly })),
            ...scratch.mounts,
          ],
        },
      ],
      volumes: [...mounts.map(([mount, path]) => ({ name: mount, hostPath: { path } })), ...scratch.volumes],
    },
  };
}

const secrets = '/system/secrets/kubernetes';
const config = '/system/config/kubernetes';

/** By component, for the endpoint `https://10.5.0.1:6443`. */
export const expectedPods: Readonly<Record<string, JsonObject>> = {
  'kube-apiserver': pod({
    name: 'kube-apiserver',
    user: 65534,
    requests: { cpu: '200m', memory: '512Mi' },
    capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
    mounts: [
      ['secrets', `${secrets}/kube-apiserver`, true],
      ['config', `${config}/kube-apiserver`, true],
      ['audit', '/var/log/audit/kube', false],
      ['ca-certs', '/etc/ssl/certs', true],
    ],
    probes: {
      startupProbe: probe(6443, '/livez', {
        initialDelaySeconds: 10,
        periodSeconds: 10,
        failureThreshold: 24,
      }),
      livenessProbe: probe(6443, '/livez', {
        initialDelaySeconds: 10,
        periodSeconds: 10,
        failureThreshold: 8,
      }),
      readinessProbe: probe(6443, '/readyz', { periodSeconds: 1, failureThreshold: 3 }),
    },
    flags: [
      '--admission-control-config-file=/system/config/kubernetes/kube-apiserver/admission-control-config.yaml',
      '--advertise-address=$(POD_IP)',
      '--allow-privileged=true',
      '--api-audiences=https://10.5.0.1:6443',
      '--audit-log-maxage=30',
      '--audit-log-maxbackup=10',
      '--audit-log-maxsize=100',
      '--audit-log-path=/var/log/audit/kube/kube-apiserver.log',
      '--audit-policy-file=/system/config/kubernetes/kube-apiserver/auditpolicy.yaml',
      '--authentication-config=/system/config/kubernetes/kube-apiserver/authentication-config.yaml',
      '--authorization-config=/system/config/kubernetes/kube-apiserver/authorization-config.yaml',
      '--bind-address=0.0.0.0',
      '--client-ca-file=/system/secrets/kubernetes/kube-apiserver/ca.crt',
      '--enable-admission-plugins=NodeRestriction',
      '--enable-bootstrap-token-auth=true',
      '--encryption-provider-config=/system/secrets/kubernetes/kube-apiserver/encryptionconfig.yaml',
      '--etcd-cafile=/system/secrets/kubernetes/kube-apiserver/etcd-client-ca.crt',
      '--etcd-certfile=/system/secrets/kubernetes/kube-apiserver/etcd-client.crt',
      '--etcd-keyfile=/system/secrets/kubernetes/kube-apiserver/etcd-client.key',
      '--etcd-servers=https://127.0.0.1:2379',
      '--kubelet-client-certificate=/system/secrets/kubernetes/kube-apiserver/apiserver-kubelet-client.crt',
      '--kubelet-client-key=/system/secrets/kubernetes/kube-apiserver/apiserver-kubelet-client.key',
      '--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname',
      '--profiling=false',
      '--proxy-client-cert-file=/system/secrets/kubernetes/kube-apiserver/front-proxy-client.crt',
      '--proxy-client-key-file=/system/secrets/kubernetes/kube-apiserver/front-proxy-client.key',
      '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-client-ca-file=/system/secrets/kubernetes/kube-apiserver/aggregator-ca.crt',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-username-headers=X-Remote-User',
      '--secure-port=6443',
      '--service-account-issuer=https://10.5.0.1:6443',
      '--service-account-key-file=/system/secrets/kubernetes/kube-apiserver/service-account.pub',
      '--service-account-signing-key-file=/system/secrets/kubernetes/kube-apiserver/service-account.key',
      '--service-cluster-ip-range=10.96.0.0/12',
      '--tls-cert-file=/system/secrets/kubernetes/kube-apiserver/apiserver.crt',
      '--tls-min-version=VersionTLS13',
      '--tls-private-key-file=/system/secrets/kubernetes/kube-apiserver/apiserver.key',
    ],
  }),
  'kube-controller-manager': pod({
    name: 'kube-controller-manager',
    user: 65535,
    requests: { cpu: '50m', memory: '256Mi' },
    capabilities: { drop: ['ALL'] },
    mounts: [['secrets', `${secrets}/kube-controller-manager`, true]],
    probes: {
      startupProbe: probe(10257, '/healthz', { periodSeconds: 5, failureThreshold: 12 }),
      livenessProbe: probe(10257, '/healthz'),
    },
    flags: [
      '--allocate-node-cidrs=true',
      '--authentication-kubeconfig=/system/secrets/kubernetes/kube-controller-manager/kubeconfig',
      '--authorization-kubeconfig=/system/secrets/kubernetes/kube-controller-manager/kubeconfig',
      '--bind-address=127.0.0.1',
      '--cluster-cidr=10.244.0.0/16',
      '--cluster-signing-cert-file=/system/secrets/kubernetes/kube-controller-manager/ca.crt',
      '--cluster-signing-key-file=/system/secrets/kubernetes/kube-controller-manager/ca.key',
      '--configure-cloud-routes=false',
      '--controllers=*',
      '--kubeconfig=/system/secrets/kubernetes/kube-controller-manager/kubeconfig',
      '--leader-elect=true',
      '--node-cidr-mask-size-ipv4=24',
      '--profiling=false',
      '--root-ca-file=/system/secrets/kubernetes/kube-controller-manager/ca.crt',
      '--service-account-private-key-file=/system/secrets/kubernetes/kube-controller-manager/service-account.key',
      '--service-cluster-ip-range=10.96.0.0/12',
      '--terminated-pod-gc-threshold=100',
      '--tls-min-version=VersionTLS13',
      '--use-service-account-credentials=true',
    ],
  }),
  'kube-scheduler': pod({
    name: 'kube-scheduler',
    user: 65536,
    requests: { cpu: '10m', memory: '64Mi' },
    capabilities: { drop: ['ALL'] },
    mounts: [
      ['secrets', `${secrets}/kube-scheduler`, true],
      ['config', `${config}/kube-scheduler`, true],
    ],
    probes: {
      startupProbe: probe(10259, '/livez', { periodSeconds: 5, failureThreshold: 12 }),
      livenessProbe: probe(10259, '/livez'),
      readinessProbe: probe(10259, '/readyz'),
    },
    flags: [
      '--authentication-kubeconfig=/system/secrets/kubernetes/kube-scheduler/kubeconfig',
      '--authentication-tolerate-lookup-failure=false',
      '--authorization-kubeconfig=/system/secrets/kubernetes/kube-scheduler/kubeconfig',
      '--bind-address=127.0.0.1',
      '--config=/system/config/kubernetes/kube-scheduler/scheduler-config.yaml',
      '--leader-elect=true',
      '--profiling=false',
      '--tls-min-version=VersionTLS13',
    ],
  }),
};
