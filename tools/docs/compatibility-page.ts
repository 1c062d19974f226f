import { methodTable } from '@nodewright/contract';
import type { Check as Conformance } from '../../tests/conformance/check.ts';
import { suite as conformance } from '../../tests/conformance/suite.ts';
import type { Check } from '../../tests/upstream/check.ts';
import { actions } from '../../tests/upstream/checks/actions.ts';
import { elsewhere } from '../../tests/upstream/elsewhere.ts';
import { suite as upstream } from '../../tests/upstream/suite.ts';
import { methodAddress } from './api-pages.ts';
import { code, markdownTable, type Page, prose } from './page.ts';

/** Kinds of clusters on which a check of the released client runs, in words. */
const places: Readonly<Record<string, string>> = {
  process: 'processes',
  docker: 'containers',
  qemu: 'machines',
};

/** What is checked against the released client of upstream and against every client, from the suites that check it. */
export function compatibilityPage(): Page {
  const promised = Map.groupBy(conformance, ({ method }) => method);
  const topics = [...promised.keys()].filter((method) => !Object.hasOwn(methodTable, method));
  const methods = Object.keys(methodTable).filter((method) => promised.has(method));
  const unchecked = Object.entries(methodTable)
    .filter(([method, { notImplemented }]) => notImplemented === undefined && !promised.has(method))
    .map(([method]) => method);
  return {
    id: 'compatibility',
    madeBy: 'tools/docs/compatibility-page.ts',
    title: 'Compatibility',
    group: 'API',
    markdown: `# Compatibility

Made from the suites that check it, so it says nothing that no test holds. Two suites run against real clusters: \`make test-upstream\`
drives the released \`talosctl\` of upstream, and \`make conformance\` checks each promise to clients. The second also runs against nodes
of upstream, with \`ENDPOINT=\`.

## Commands of the released talosctl

${markdownTable(['Command', 'What is checked', 'Clusters'], commandRows())}

No check runs these commands, for the reason that is given:

${markdownTable(
  ['Command', 'Why'],
  Object.entries(elsewhere).map(([command, why]) => [code(command), prose(why)]),
)}

## Promises of each method

${conformance.length} promises. A method without a row is one that is not implemented, or one of those below this table.

${markdownTable(
  ['Method', 'Promise'],
  methods.flatMap((method) =>
    promiseRows(`[${code(method)}](${methodAddress(method)})`, promised.get(method)),
  ),
)}

## Promises that concern every method

${markdownTable(
  ['Topic', 'Promise'],
  topics.flatMap((topic) => promiseRows(prose(topic), promised.get(topic))),
)}

## Implemented methods without a promise

Their behaviour may change without notice: ${unchecked.map((method) => `[${code(method)}](${methodAddress(method)})`).join(', ')}.
`,
  };
}

/** The first row has the name, the others leave it out. */
function promiseRows(name: string, checks: readonly Conformance[] = []): string[][] {
  return checks.map(({ says }, at) => [at === 0 ? name : '', prose(says)]);
}

function commandRows(): string[][] {
  const ofActions = actions.map(({ name, command, leaves }) => ({
    command,
    row: [`follows \`${name}\` until the node is ${leaves}`, 'processes, containers'],
  }));
  const ofChecks = upstream.map((check) => ({
    command: check.command,
    row: [checkText(check), placesOf(check)],
  }));
  const byCommand = Map.groupBy([...ofChecks, ...ofActions], ({ command }) => command);
  return [...byCommand]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([command, rows]) => rows.map(({ row }, at) => [at === 0 ? code(command) : '', ...row]));
}

const checkText = ({ says, refusal }: Check): string =>
  refusal === undefined ? prose(says) : `${prose(says)}: ${code(refusal)}`;

function placesOf({ only }: Check): string {
  return only === undefined ? 'every kind' : only.map((name) => places[name] ?? name).join(', ');
}
