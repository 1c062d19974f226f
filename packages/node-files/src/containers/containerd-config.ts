// The configuration of containerd on a machine. Source: Talos v1.14: instances of containerd. Source: containerd, docs/cri/config.md.

/** Paths on a machine. Source: Talos v1.14: instances of containerd. */
export const containerdPaths = {
  program: '/usr/bin/containerd',
  socket: '/run/containerd/containerd.sock',
  state: '/run/containerd',
  root: '/var/lib/containerd',
  config: '/etc/cri/containerd.toml',
  /** The output of containers: `<namespace>/<id>.log`. */
  logs: '/var/log/containerd',
  /** The settings of registries, with a folder for each. */
  registries: '/etc/cri/conf.d/hosts',
} as const;

/** The `oom_score_adj` of containerd. Source: Talos v1.14: services. */
export const containerdOomScore = -500;
/** Starts containers without the limits that runc could not set. It is part of images with Kubernetes. */
const runcWithoutLimits = '/usr/bin/runc-unlimited';

/** The lowest score that the kubelet gives to a pod. Source: Kubernetes: node-pressure eviction, oom_score_adj. */
export const lowestPodOomScore = -998;
/** The cgroups of containerd and of its shims. Source: Talos v1.14: services, cgroups. */
export const containerdCgroups = { daemon: 'podruntime/runtime', shims: 'podruntime/shim' } as const;

/**
 * What a machine does not use: file systems that its kernel or its image lack, changes of containers by plugins, and traces.
 * The restart monitor would start containers again that machined has stopped.
 */
const disabledPlugins = [
  'io.containerd.differ.v1.erofs',
  'io.containerd.image-verifier.v1.bindir',
  'io.containerd.internal.v1.tracing',
  'io.containerd.monitor.container.v1.restart',
  'io.containerd.mount-handler.v1.erofs',
  'io.containerd.snapshotter.v1.blockfile',
  'io.containerd.snapshotter.v1.erofs',
  'io.containerd.tracing.processor.v1.otlp',
];

/** The image of the container that holds the namespaces of a pod; the default of containerd 2.4. */
const sandboxImage = 'registry.k8s.io/pause:3.10.2';

export interface ContainerdSettings {
  /** The `oom_score_adj` that containerd gives itself; it ends when it may not. */
  readonly oomScore: number;
  /** Whether the containers of pods may get a lower `oom_score_adj` than that of containerd; if not, they get its own. */
  readonly lowersOomScores: boolean;
  /** Whether the node can limit processor and memory of pods; if not, their limits have no effect. */
  readonly limitsPods: boolean;
}

/** The text of `/etc/cri/containerd.toml`. */
export function containerdConfig({ oomScore, lowersOomScores, limitsPods }: ContainerdSettings): string {
  const { root, state, registries } = containerdPaths;
  const images = "plugins.'io.containerd.cri.v1.images'";
  const runtime = "plugins.'io.containerd.cri.v1.runtime'";
  return toml({
    '': {
      version: 3,
      root,
      state,
      oom_score: oomScore,
      disabled_plugins: disabledPlugins,
      imports: [],
    },
    debug: { level: 'info', format: 'json' },
    // The kubelet pulls with the settings of registries below, which the transfer service does not read.
    [images]: { discard_unpacked_layers: true, use_local_image_pull: true },
    [`${images}.pinned_images`]: { sandbox: sandboxImage },
    [`${images}.registry`]: { config_path: registries },
    [runtime]: {
      enable_selinux: false,
      cdi_spec_dirs: ['/run/cdi'],
      restrict_oom_score_adj: !lowersOomScores,
    },
    [`${runtime}.containerd.runtimes.runc`]: { runtime_type: 'io.containerd.runc.v2' },
    // A shim outlives containerd, so it is not in the cgroup of containerd.
    [`${runtime}.containerd.runtimes.runc.options`]: {
      SystemdCgroup: false,
      ShimCgroup: `/${containerdCgroups.shims}`,
      ...(limitsPods ? {} : { BinaryName: runcWithoutLimits }),
    },
    [`${runtime}.cni`]: { bin_dirs: ['/opt/cni/bin'], conf_dir: '/etc/cni/net.d' },
    "plugins.'io.containerd.nri.v1.nri'": { disable: true },
  });
}

export type TomlValue = string | number | boolean | readonly TomlValue[];

/** Tables by name; the one without a name comes first. */
export function toml(tables: Readonly<Record<string, Readonly<Record<string, TomlValue>>>>): string {
  return Object.entries(tables)
    .map(([name, values]) => {
      const lines = Object.entries(values).map(([key, value]) => `${key} = ${valueText(value)}\n`);
      return `${name === '' ? '' : `[${name}]\n`}${lines.join('')}`;
    })
    .join('\n');
}

/** A basic string of TOML has the escapes of JSON; DEL is the only character that JSON does not escape. */
export const tomlText = (value: string) => JSON.stringify(value).replaceAll('\x7f', '\\u007f');

function valueText(value: TomlValue): string {
  if (typeof value === 'string') return tomlText(value);
  if (typeof value === 'object') return `[${value.map(valueText).join(', ')}]`;
  return String(value);
}
