// docs/judges.md: the verdicts as a table that is committed. A judge that was skipped keeps the row of an earlier run.
import type { Row } from './row.ts';
import type { ExpectedFinding } from './verdict.ts';

const header = ['Judge', 'Version', 'Subject', 'Verdict', 'Date'] as const;

const introduction = `# Judged by others

Made by \`make judges\`. DO NOT EDIT.

What programs of others say of the image, the network, the certificates and the clients. \`make judges\` asks them and writes this
table. An expected finding has its reason in the second table, from
[expected-findings.ts](../tests/judges/expected-findings.ts). Anything else that a judge finds fails the run, and so does an expected
finding that is gone. \`make judges BROKEN=1\` gives each judge a subject that is broken on
purpose, and passes only when all of them refuse it. A judge that a machine lacks is skipped there, and its row stays as it was.
`;

type Cells = readonly string[];

const escaped = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();

const keyOf = ([name, , subject]: Cells) => `${name} | ${subject}`;

/** The rows of the first table of a document, each with its cells. */
export function readRows(document: string): Cells[] {
  const [verdicts = ''] = document.split('## Expected findings');
  return verdicts
    .split('\n')
    .filter((line) => /^\| (?!Judge \||--- )/.test(line))
    .map((line) => line.slice(2, -2).split(' | '));
}

/**
 * The document after a run.
 *
 * @param before the document that is there, with the rows of judges that were skipped now
 */
export function verdictsDocument(
  rows: readonly Row[],
  expected: readonly ExpectedFinding[],
  before: string,
): string {
  const kept = new Map(readRows(before).map((cells) => [keyOf(cells), cells]));
  const cells = rows.flatMap(({ name, version, subject, state, verdict, date }): Cells[] => {
    const own = [
      name,
      version,
      subject,
      `${state === 'failed' ? '**failed**: ' : ''}${verdict}`,
      date ?? '',
    ].map(escaped);
    if (state !== 'skipped') return [own];
    const last = kept.get(keyOf(own));
    return last === undefined ? [] : [last];
  });
  const reasons = expected.map(({ judge, findings, reason }) =>
    [judge, `\`${findings.source}\``, reason].map(escaped),
  );
  return [
    introduction,
    ...table(header, cells),
    '\n## Expected findings\n',
    ...table(['Judge', 'Findings, as a regular expression', 'Reason'], reasons),
    '',
  ].join('\n');
}

const table = (titles: Cells, rows: readonly Cells[]): string[] =>
  [titles, titles.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
