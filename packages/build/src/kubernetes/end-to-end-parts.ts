import { builtKubernetesVersion } from '@nodewright/provision/kubernetes-programs';
import type { GoProgram } from '../go/build-program.ts';
import { goRelease } from '../go/go-release.ts';
import { type KubernetesPart, versionVariables } from './parts.ts';

/** The folder with the lock file of the three programs. */
const wrapper = 'end-to-end';

/** The version of agnhost in the sources of this Kubernetes. Source: Kubernetes: images of the end-to-end tests. */
export const agnhostVersion = '2.66.1';

const program = (name: string, path: string, variables: readonly string[] = []): GoProgram => ({
  name,
  version: builtKubernetesVersion,
  files: ['go.mod', 'go.sum'],
  flags: ['-trimpath', '-buildvcs=false', '-ldflags', ['-s -w -buildid=', ...variables].join(' ')],
  package: path,
  toolchain: goRelease,
  // Any Go from there on can fetch that release.
  leastGoMinor: 21,
});

const [mebibyte, gibibyte] = [1024 ** 2, 1024 ** 3];

/** The end-to-end tests of Kubernetes, the program that runs them in parallel, and the program of their pods. */
export const endToEndParts = {
  agnhost: {
    program: program('agnhost', 'k8s.io/kubernetes/test/images/agnhost', [
      `-X main.Version=${agnhostVersion}`,
    ]),
    wrapper,
    names: ['agnhost'],
    cost: { memoryBytes: 1 * gibibyte, diskBytes: 1 * gibibyte, sizeBytes: 60 * mebibyte, minutes: 1 },
  },
  ginkgo: {
    program: program('ginkgo', 'github.com/onsi/ginkgo/v2/ginkgo'),
    wrapper,
    names: ['ginkgo'],
    cost: { memoryBytes: 1 * gibibyte, diskBytes: 1 * gibibyte, sizeBytes: 10 * mebibyte, minutes: 1 },
  },
  e2e: {
    // Ginkgo runs only files whose names end so.
    program: { ...program('e2e.test', 'k8s.io/kubernetes/test/e2e', versionVariables), isTest: true },
    wrapper,
    names: ['e2e.test'],
    cost: { memoryBytes: 3.5 * gibibyte, diskBytes: 5.5 * gibibyte, sizeBytes: 130 * mebibyte, minutes: 12 },
  },
} as const satisfies Readonly<Record<string, KubernetesPart>>;
