import { onlyOn, type ReferenceDocs } from './reference-docs.ts';

/** Command-line flags of a component. */
export const extraArgs = {
  help: 'Additional command-line flags by name, without dashes; a list of values repeats the flag.',
  example: { v: '4' },
};

export const environment = {
  help: 'Environment variables of the component.',
  example: { GODEBUG: 'netdns=go' },
};

/**
 * `resources` of a component.
 *
 * @param requests what counts without the field
 */
export function resourcesOf(requests: string): ReferenceDocs {
  return {
    resources: { help: 'Processor and memory of the pod.' },
    'resources.requests': {
      help: 'What the pod needs at least: only cpu and memory, each a number or a text.',
      example: { cpu: '200m', memory: '512Mi' },
      default: requests,
    },
    'resources.limits': {
      help: 'What the pod may use at most: only cpu and memory, each a number or a text.',
      example: { memory: '1Gi' },
      default: 'none',
    },
  };
}

/** The kinds of nodes that can run a control plane of Kubernetes. */
const withControlPlane = ['process', 'container', 'machine'] as const;
/** The kinds of nodes that can run a kubelet. */
const withKubelet = ['container', 'machine'] as const;

/**
 * Settings of kube-apiserver, kube-controller-manager and kube-scheduler. Only nodes with Kubernetes apply them. Another
 * control plane makes the same resources, and nothing there runs the components.
 */
export const runsInProcessClusters = onlyOn(
  withControlPlane,
  'Only control planes with Kubernetes apply it; others, and all stacks, only publish it as resources.',
);

/** Which nodes have a kubelet. */
export const kubeletNote = onlyOn(
  withKubelet,
  'Only containers and machines whose image has Kubernetes run a kubelet; processes and stacks have none.',
);

/** Labels and annotations, which machined writes with the rights of an administrator or of the kubelet. */
export const nodeObjectNote = onlyOn(
  withKubelet,
  'Only nodes with a kubelet set them. On workers Kubernetes refuses labels of kubernetes.io that a kubelet may not set itself.',
);

export const taintNote = onlyOn(
  withKubelet,
  'Only nodes with a kubelet set them. A worker sets them when it registers; Kubernetes refuses later changes by the worker itself.',
);

/** Where a component of the control plane that runs as a process differs from one in a pod. */
export const processNotes = {
  image: onlyOn(
    withControlPlane,
    'The program of a process does not come from it; only the version in its tag counts.',
  ),
  extraArgs: onlyOn(
    withControlPlane,
    'A process listens on the address of the node, whatever bind-address says.',
  ),
  extraVolumes: onlyOn(
    withControlPlane,
    'A process has no mounts: paths below mountPath in its flags become paths below hostPath.',
  ),
  readonly: onlyOn(withKubelet, 'A process may write there in any case.'),
  startupProbes: onlyOn(
    withControlPlane,
    'For a process it only decides whether health checks ask it by HTTPS, or just connect to its port.',
  ),
} as const;

/** Manifests of the configuration. They wait for an API server, which stacks do not run. */
export const appliedInProcessClusters = onlyOn(
  withControlPlane,
  'Only control planes with Kubernetes apply it to their cluster; others, and all stacks, only publish it as resources.',
);

/** Who reads the domain of the cluster. */
export const dnsDomainNote = onlyOn(
  withControlPlane,
  'The certificate of kube-apiserver, the kubelet and the manifest of CoreDNS have it; stacks have none of them.',
);

/** In the settings of the control plane it decides about its advertised address, too. */
export const skipRegistrationNote = onlyOn(
  withControlPlane,
  'Stacks run no part of Kubernetes, so they only publish it.',
);

/** Why static pods of the user are in resources. */
export const staticPodNote = onlyOn(
  withKubelet,
  'Only nodes with a kubelet run it; control planes of processes only publish it as the resource StaticPods.',
);

/** The only kubeconfig with the name. */
export const kubeletKubeconfigNote = onlyOn(withKubelet, 'Only the kubeconfig of the kubelet has it.');

/** `resources` of a component of the control plane. */
export function controlPlaneResourcesOf(requests: string): ReferenceDocs {
  const docs = resourcesOf(requests);
  return {
    ...docs,
    'resources.requests': {
      ...docs['resources.requests'],
      notApplied: onlyOn(withKubelet, 'Nothing reserves processor or memory for a process.'),
    },
    'resources.limits': {
      ...docs['resources.limits'],
      notApplied: onlyOn(
        withControlPlane,
        'A process has no limits of its own; the limit of memory only sets GOMEMLIMIT.',
      ),
    },
  };
}

/** Defaults of the requests. Source: Talos v1.14: static pods; bootstrap manifests. */
export const defaultRequests = {
  apiServer: 'cpu 200m, memory 512Mi',
  controllerManager: 'cpu 50m, memory 256Mi',
  scheduler: 'cpu 10m, memory 64Mi',
  proxy: 'cpu 100m, memory 50Mi',
  flannel: 'cpu 100m, memory 50Mi',
} as const;

/** Fields of the kubelet that the node itself sets. */
export const protectedKubeletFields =
  'Fields that the node sets itself, such as authentication and staticPodPath, are refused.';

/** Settings of the Kubernetes node in both forms of configuration. */
export const nodeSettings = {
  skipNodeRegistration: {
    help: 'Whether the kubelet runs without registering the node in Kubernetes.',
    default: 'false',
    notApplied: skipRegistrationNote,
  },
  registerWithFQDN: {
    help: 'Whether the name of the Kubernetes node is the host name with its domain.',
    default: 'false',
  },
  validSubnets: {
    help: 'Networks or addresses from which the addresses of the Kubernetes node are chosen; ! in front excludes.',
    example: ['192.0.2.0/24', '!192.0.2.128/25'],
    default: 'the address families of the service subnets',
  },
  labels: {
    help: 'Labels of the Kubernetes node; a value is empty, or up to 63 letters, digits and -_. characters.',
  },
  annotations: {
    help: 'Annotations of the Kubernetes node, up to 262144 bytes in all; those of talos.dev/owned- are reserved.',
  },
  taints: {
    help: 'Taints by key: effect, or value:effect; the effects are NoSchedule, PreferNoSchedule and NoExecute.',
    example: { 'example.org/dedicated': 'db:NoSchedule' },
  },
} as const;
