import type { Check } from '../../tests/upstream/check.ts';
import { actions } from '../../tests/upstream/checks/actions.ts';
import { elsewhere } from '../../tests/upstream/elsewhere.ts';
import { suite } from '../../tests/upstream/suite.ts';
import { clientVersion } from '../upstream-client/client-program.ts';

const introduction = `
## Commands of the released client

\`make test-upstream\` runs each of these with talosctl ${clientVersion}, the released one, against nodes of processes and of
containers, or against a machine with \`CLUSTER=qemu\` (tests/upstream). *Refused* is what our nodes do not have yet, with the words of the refusal.

| command | checked with |
| --- | --- |
`;

const places = { process: 'processes', docker: 'containers', qemu: 'a machine' } as const;

/** One row per command of the released client: which check covers it, or why no check does. */
export function commandSection(): string {
  const byCommand = Map.groupBy(suite, ({ command }) => command);
  const rows = new Map([...byCommand].map(([command, checks]) => [command, checks.map(phraseOf).join('; ')]));
  for (const { command, name } of actions) {
    const waits = `\`${name} --wait\` ends, and the node is what it should be then (\`REPEAT=20\` does it twenty times)`;
    rows.set(command, [rows.get(command), waits].filter((text) => text !== undefined).join('; '));
  }
  for (const [command, reason] of Object.entries(elsewhere)) rows.set(command, `not checked: ${reason}`);
  const lines = [...rows]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([command, text]) => `| \`${command}\` | ${text} |\n`);
  return introduction + lines.join('');
}

function phraseOf({ says, only, refusal }: Check): string {
  const where = only === undefined ? '' : `on ${only.map((name) => places[name]).join(' and ')}: `;
  return where + (refusal === undefined ? says.replaceAll('|', '\\|') : `*refused*, "${refusal}"`);
}
