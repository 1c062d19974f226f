import { daemonV8Flags } from './daemon-v8-flags.ts';

/**
 * A program of the suite: one file that runs in any folder, with the assets that its libraries load next to
 * it.
 */
export interface Bundle {
  readonly name: string;
  /** Path below the checkout. */
  readonly entry: string;
  /** Files copied next to the bundle: from a path below the checkout to a path below the bundle's folder. */
  readonly assets: Readonly<Record<string, string>>;
  /**
   * Modules that get a bundle of their own next to the program's: from the module, as it is imported, to its entry below
   * the checkout. They are read only when imported. This saves memory for code that most runs do not need.
   */
  readonly apart?: Readonly<Record<string, string>>;
  /**
   * Programs of worker threads, each a separate bundle next to the program's: from the file's name to its
   * entry.
   */
  readonly workers?: Readonly<Record<string, string>>;
  /**
   * A page for browsers, in a folder next to the program's bundle: the folder's name, and the folder below the checkout with
   * its `main.tsx`, `page.css` and other files.
   */
  readonly page?: { readonly name: string; readonly from: string };
  /**
   * Compiles the functions that a start runs, for these flags of V8. With other flags, or another Node.js, the program
   * starts too, slower; one that has flags here says so.
   */
  readonly v8Flags?: readonly string[];
  /** The arguments of the starts whose functions are compiled. Default: one with `--version`. */
  readonly compiledStarts?: readonly (readonly string[])[];
  /** A command of talosctl that asks a node for its memory: a further start whose functions are compiled. */
  readonly compiledCall?: readonly string[];
  /**
   * Compiles all functions. A start reads more code and compiles less; V8 later discards what is not used. For a small program
   * whose start does much more than the one that is compiled.
   */
  readonly compilesAll?: true;
  /**
   * Modules that the start imports by `import()`. With them, the program has a second part, with all modules that no start
   * needs, which is read when it is first used. Only for a program with `v8Flags`.
   */
  readonly startModules?: readonly string[];
  /**
   * Replaces the names of variables and functions by short ones, which are read faster. For a program that never shows
   * the stack of an error.
   */
  readonly shortNames?: true;
  /**
   * Removes JSON from the codecs of contracts other than the suite's own, which this program never reads or
   * writes as JSON.
   */
  readonly binaryCodecs?: true;
}

const reflectionProtos = Object.fromEntries(
  ['v1', 'v1alpha'].map((version) => [
    `node_modules/@grpc/reflection/build/proto/grpc/reflection/${version}/reflection.proto`,
    `proto/grpc/reflection/${version}/reflection.proto`,
  ]),
);

/**
 * gRPC reflection, loaded at its first request. The proto loader is listed because channels would otherwise
 * load it.
 */
const reflection = {
  '@grpc/reflection': 'node_modules/@grpc/reflection/build/src/index.js',
  '@grpc/proto-loader': 'node_modules/@grpc/proto-loader/build/src/index.js',
  '@nodewright/contract/gen/descriptors.ts': 'packages/contract/src/gen/descriptors.ts',
};

/** The OpenTelemetry SDK, loaded only when the environment asks for an export. */
const telemetryExport = {
  './otlp-telemetry.ts': 'packages/telemetry/src/otlp-telemetry.ts',
};

/** For nodes that use a Docker engine. */
const dockerClient = {
  dockerode: 'node_modules/dockerode/lib/docker.js',
  'tar-stream': 'node_modules/tar-stream/index.js',
};

/** For machines, which run containerd. */
const containerdClient = {
  '@nodewright/containers/containerd-contract': 'packages/containers/src/containerd/containerd-contract.ts',
};

/** The native part of koffi, the add-on for system calls; its loader looks for it next to the bundle. */
const nativeCalls = {
  [`node_modules/@koromix/koffi-linux-${process.arch}/linux_${process.arch}/koffi.node`]: `linux_${process.arch}/koffi.node`,
};

/** Everything that `make build` makes, each started by `_out/dist/<name>/<name>.cjs`. */
export const bundles: readonly Bundle[] = [
  {
    name: 'machined',
    entry: 'services/machined/src/main.ts',
    assets: { ...reflectionProtos, ...nativeCalls },
    apart: { ...telemetryExport, ...reflection, ...dockerClient, ...containerdClient },
    workers: {
      'configuration-worker.cjs': 'services/machined/src/config/host/configuration-worker.ts',
      'selector-worker.cjs': 'services/machined/src/base/host/selector-worker.ts',
    },
    binaryCodecs: true,
  },
  {
    name: 'apid',
    entry: 'services/apid/src/main.ts',
    assets: {},
    apart: telemetryExport,
    v8Flags: daemonV8Flags.apid,
    compilesAll: true,
    binaryCodecs: true,
  },
  {
    name: 'trustd',
    entry: 'services/trustd/src/main.ts',
    assets: reflectionProtos,
    apart: { ...telemetryExport, ...reflection },
    v8Flags: daemonV8Flags.trustd,
    binaryCodecs: true,
  },
  {
    name: 'registryd',
    entry: 'services/registryd/src/main.ts',
    assets: reflectionProtos,
    apart: reflection,
    binaryCodecs: true,
  },
  {
    name: 'udevd-bridge',
    entry: 'services/udevd-bridge/src/main.ts',
    assets: { ...reflectionProtos, ...nativeCalls },
    apart: { ...telemetryExport, ...reflection },
    v8Flags: daemonV8Flags['udevd-bridge'],
    binaryCodecs: true,
  },
  { name: 'start-daemon', entry: 'rootfs/start/start-daemon.ts', assets: {} },
  { name: 'process-supervisor', entry: 'packages/provision/src/supervisor/main.ts', assets: {} },
  { name: 'docker-keeper', entry: 'packages/provision/src/docker/keeper/main.ts', assets: {} },
  {
    name: 'talosctl',
    entry: 'cli/talosctl/src/main.ts',
    assets: {},
    v8Flags: [],
    compiledStarts: [['version', '--client']],
    compiledCall: ['memory'],
    startModules: ['cli/talosctl/src/program/run-command.ts', 'cli/talosctl/src/commands/version.ts'],
    shortNames: true,
    page: { name: 'ui', from: 'cli/talosctl/src/ui/page' },
    apart: { ...telemetryExport, '@viz-js/viz': 'node_modules/@viz-js/viz/dist/viz.cjs' },
  },
  { name: 'cluster-init', entry: 'packages/provision/src/docker/init/main.ts', assets: {} },
  { name: 'time-server', entry: 'packages/provision/src/docker/init/time-server.ts', assets: {} },
  { name: 'health-probe', entry: 'tools/images/programs/health-probe.ts', assets: {} },
  { name: 'follow-node', entry: 'tools/images/programs/follow-node.ts', assets: {} },
];
