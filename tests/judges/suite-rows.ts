// Programs of others that a suite runs already. Their verdict is the last result of the suite, so that they do not run twice.
import type { SuiteResult } from '../../tools/suites/suite-results.ts';
import type { Row } from './row.ts';

interface SuiteJudge {
  /** The verb of the Makefile. */
  readonly suite: string;
  readonly name: string;
  readonly subject: string;
}

export const suiteJudges: readonly SuiteJudge[] = [
  { suite: 'h2spec', name: 'h2spec', subject: 'HTTP/2 of the listeners of apid' },
  { suite: 'grpc-interop', name: 'grpc-go interoperability client', subject: 'gateway of apid' },
  {
    suite: 'test-registry',
    name: 'conformance suite of OCI distribution, skopeo, containerd, docker',
    subject: 'registryd',
  },
  { suite: 'test-upstream', name: 'released talosctl of upstream', subject: 'nodes' },
];

/** The row of a suite; a suite that has not run, or has skipped everything, has no verdict. */
export function suiteRow({ suite, name, subject }: SuiteJudge, results: readonly SuiteResult[]): Row {
  const result = results.find((one) => one.suite === suite);
  const row = { name, subject };
  if (result === undefined || result.passed + result.failed === 0)
    return { ...row, version: '', state: 'skipped', verdict: `make ${suite}`, findings: [] };
  const { passed, failed, skipped, commit, clean, when } = result;
  return {
    ...row,
    version: `commit ${commit.slice(0, 9)}${clean ? '' : ' with changes'}`,
    state: failed > 0 ? 'failed' : 'passed',
    verdict: `make ${suite}: ${passed} passed, ${failed} failed, ${skipped} skipped`,
    date: when.slice(0, 10),
    findings: failed > 0 ? [`make ${suite} failed`] : [],
  };
}
