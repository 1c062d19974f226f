import { suites } from './suite-table.ts';

const inCi = { whole: 'yes', part: 'a part', none: 'no' } as const;

/** tests/README.md: which suite answers which question. */
export function testsDocument(): string {
  const rows = suites.map(
    ({ folder, question, verb, needs, minutes, ci }) =>
      `| ${[folder, question, `\`make ${verb}\``, needs, minutes, inCi[ci]].join(' | ')} |`,
  );
  return `<!-- Made by \`make generate\` from tools/suites/suite-table.ts. -->
# Tests

| To | Run |
| --- | --- |
| see whether a change breaks something | \`make test-changed\`: the tests that may notice it, likeliest first, for ten minutes at most. \`BASE=\` names the commit to compare with, \`FIRST=1\` ends at the first failure. It lists what it left out |
| run one file | \`make test FILES=kernel-messages\`: every test file with that name, or with it in its path. It builds only if the file starts a bundle |
| see what is still to run | \`make test-status\`: which suites passed since the files that they reach were changed. The results are in \`_out/test/last.json\` |
| find a test that fails by chance | \`make test-flakes FILES='packages/oci/**/*.test.ts' TIMES=20\` |
| run what CI runs | \`.ci/run\`, or \`.ci/run test-ui\` for some suites |

All suites need what \`make build\` makes, which their verbs do. The minutes are those of two cores with everything built.

| Folder | Question | Verb | Needs | Minutes | In CI |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}
