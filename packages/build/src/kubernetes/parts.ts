import { addonImages } from '@nodewright/machine-config/generate-options';
import { builtKubernetesVersion, kubernetesPrograms } from '@nodewright/provision/kubernetes-programs';
import type { GoProgram } from '../go/build-program.ts';
import { goRelease } from '../go/go-release.ts';
import type { BuildCost } from './check-room.ts';

/** A program, or several in one file, that Kubernetes on our nodes needs. */
export interface KubernetesPart {
  readonly program: GoProgram;
  /** Folder with the wrapper module, below this one. */
  readonly wrapper: string;
  /** The names under which the program is called: it chooses by the one that it was started with. */
  readonly names: readonly string[];
  readonly cost: BuildCost;
}

/** Flags of the linker that set the version which the programs report. */
export const versionVariables = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap(
  (module) => {
    const [major = '', minor = ''] = builtKubernetesVersion.split('.');
    return [
      `-X ${module}.gitVersion=v${builtKubernetesVersion}`,
      `-X ${module}.gitMajor=${major}`,
      `-X ${module}.gitMinor=${minor}`,
      `-X ${module}.gitTreeState=clean`,
      // Sources from a module know no commit.
      `-X ${module}.gitCommit=`,
    ];
  },
);

/** The tag of an image says the version in it. */
function tagOf(reference: string): string {
  return reference.slice(reference.lastIndexOf(':') + 1);
}

const [mebibyte, gibibyte] = [1024 ** 2, 1024 ** 3];

/** What `make kubernetes` builds: one row for each program file. */
export const kubernetesParts = {
  kube: {
    program: {
      name: 'kube',
      version: builtKubernetesVersion,
      files: ['go.mod', 'go.sum', 'main.go'],
      flags: ['-trimpath', '-buildvcs=false', '-ldflags', `-s -w -buildid= ${versionVariables.join(' ')}`],
      package: '.',
      toolchain: goRelease,
      // Any Go from there on can fetch that release.
      leastGoMinor: 21,
    },
    wrapper: 'wrapper',
    names: kubernetesPrograms,
    // Measured: the linker, the cache of Go, the sources of all modules, and 15 minutes of one core.
    cost: { memoryBytes: 3.5 * gibibyte, diskBytes: 5.5 * gibibyte, sizeBytes: 160 * mebibyte, minutes: 15 },
  },
} as const satisfies Readonly<Record<string, KubernetesPart>>;

const common = {
  package: '.',
  toolchain: goRelease,
  // Any Go from there on can fetch that release.
  leastGoMinor: 21,
} as const;
const flags = ['-trimpath', '-buildvcs=false', '-ldflags'] as const;

/** Programs that run only in pods, so nodes of processes do not need them. */
export const addonParts = {
  coredns: {
    program: {
      ...{ ...common, name: 'coredns', version: tagOf(addonImages.coreDns) },
      files: ['go.mod', 'go.sum'],
      flags: [...flags, '-s -w -buildid='],
      package: 'github.com/coredns/coredns',
    },
    wrapper: 'coredns',
    names: ['coredns'],
    cost: { memoryBytes: 1.5 * gibibyte, diskBytes: 2.5 * gibibyte, sizeBytes: 100 * mebibyte, minutes: 5 },
  },
  flannel: {
    program: {
      ...{ ...common, name: 'flanneld', version: tagOf(addonImages.flannel) },
      files: ['go.mod', 'go.sum'],
      flags: [
        ...flags,
        `-s -w -buildid= -X github.com/flannel-io/flannel/pkg/version.Version=${tagOf(addonImages.flannel)}`,
      ],
      copiedMain: {
        module: 'github.com/flannel-io/flannel',
        // The first needs modules of a cloud provider that not every module proxy has, the second a C compiler.
        withoutImports: ['tencentvpc', 'udp'].map(
          (name) => `github.com/flannel-io/flannel/pkg/backend/${name}`,
        ),
      },
    },
    wrapper: 'flannel',
    names: ['flanneld'],
    cost: { memoryBytes: 1 * gibibyte, diskBytes: 1.5 * gibibyte, sizeBytes: 60 * mebibyte, minutes: 2 },
  },
} as const satisfies Readonly<Record<string, KubernetesPart>>;

/** Everything that nodes with a kubelet need. */
export const allParts: Readonly<Record<string, KubernetesPart>> = { ...kubernetesParts, ...addonParts };
