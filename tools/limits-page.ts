// docs/limits.md, from the limits that programs declare. The values of the page are those that the programs run with.
import { isLimit, type Limit, type LimitTable } from '@nodewright/contract/declared-limits';
import { h2LimitTable } from '../packages/h2/src/h2-limits.ts';
import { ociLimitTable } from '../packages/oci/src/oci-limits.ts';
import { apidLimitTable } from '../services/apid/src/domain/limits.ts';
import { registrydLimitTable } from '../services/registryd/src/domain/limits.ts';
import { trustdLimitTable } from '../services/trustd/src/domain/limits.ts';

/** The limits of one declaration. */
export interface LimitSection {
  readonly title: string;
  /** The file that declares them. */
  readonly source: string;
  readonly about: string;
  readonly table: LimitTable;
}

export const limitSections: readonly LimitSection[] = [
  {
    title: 'apid',
    source: 'services/apid/src/domain/limits.ts',
    about:
      'An identity is the SHA-256 of the public key of a client certificate; in maintenance, where clients have none, it is their address. The first apid counts a call for its caller, and sends the identity of the caller to the next apid, which accepts it only from holders of `os:impersonator`.',
    table: apidLimitTable,
  },
  {
    title: 'Connections by HTTP/2',
    source: 'packages/h2/src/h2-limits.ts',
    about: 'Those of apid to its clients, to other nodes and to machined, and those of clients to trustd.',
    table: h2LimitTable,
  },
  {
    title: 'trustd',
    source: 'services/trustd/src/domain/limits.ts',
    about: 'A connection is anonymous until one of its calls has sent the token of the cluster.',
    table: trustdLimitTable,
  },
  {
    title: 'registryd',
    source: 'services/registryd/src/domain/limits.ts',
    about: 'Downloads, what is kept of them, and the unix socket.',
    table: registrydLimitTable,
  },
  {
    title: 'The endpoint of registryd',
    source: 'packages/oci/src/oci-limits.ts',
    about: 'What serves images to clients on the node, and asks registries.',
    table: ociLimitTable,
  },
];

/** The limits of a table in their order, each with its names in the code, such as `gatewayShares.calls`. */
export function limitsOf(table: LimitTable): { readonly name: string; readonly limit: Limit }[] {
  return Object.entries(table).flatMap(([name, entry]) =>
    isLimit(entry)
      ? [{ name, limit: entry }]
      : limitsOf(entry).map(({ name: inner, limit }) => ({ name: `${name}.${inner}`, limit })),
  );
}

export interface AttackedBy {
  /** The path of a file below the checkout. */
  readonly file: string;
  /** Words of the name of a test or of an attack in it; undefined for all of them. */
  readonly name: string | undefined;
}

export function parseAttackedBy(text: string): AttackedBy {
  const [file = '', ...name] = text.split('#');
  return { file, name: name.length === 0 ? undefined : name.join('#') };
}

const kib = 1024;
const byteUnits = [
  ['GiB', kib ** 3],
  ['MiB', kib ** 2],
  ['KiB', kib],
  ['bytes', 1],
] as const;
const timeUnits = [
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });
const numberText = (value: number) => numbers.format(value);

/** In the largest unit that gives a whole number. */
function inUnits(value: number, units: readonly (readonly [string, number])[]): string {
  const [name, size] = units.find(([, each]) => value >= each && value % each === 0) ??
    units.at(-1) ?? ['', 1];
  return `${numberText(value / size)} ${name}`;
}

export function valueText({ value, unit }: Pick<Limit, 'value' | 'unit'>): string {
  if (unit === 'bytes') return inUnits(value, byteUnits);
  if (unit === 'ms') return inUnits(value, timeUnits);
  if (unit === 'share') return `${numberText(value * 100)} %`;
  return `${numberText(value)} ${unit}`;
}

function attackedByText(attacks: readonly string[]): string {
  if (attacks.length === 0) return 'no test';
  const texts = attacks.map(parseAttackedBy);
  return texts
    .map(({ file, name }) => (name === undefined ? `\`${file}\`` : `\`${file}\` (${name})`))
    .join(', ');
}

const cell = (text: string) => text.replaceAll('|', '\\|');

function rowOf(limit: Limit): string {
  const cells = [limit.what, valueText(limit), limit.effect, attackedByText(limit.attackedBy)];
  return `| ${cells.map(cell).join(' | ')} |`;
}

function sectionText({ title, source, about, table }: LimitSection): string {
  return `### ${title}

${about} Declared in \`${source}\`.

| Limit | Value | At the limit | Attacked by |
| --- | --- | --- | --- |
${limitsOf(table)
  .map(({ limit }) => rowOf(limit))
  .join('\n')}
`;
}

/** The page, for the limits of these sections. */
export function limitsPage(sections: readonly LimitSection[] = limitSections): string {
  return `# Limits

What apid, trustd and registryd stop at, and the test that attacks it. The limits of all other programs are in
[other limits](other-limits.md); figures that were measured are in [measurements](measurements/README.md).

Generated by \`make generate\` from the tables that the programs take their values from: change the table, not this page.

## Limits for clients

The resources that a hostile client can use, and what happens at the limit. The last column has the file of the test, and words of its
name where the file has many. What is in \`tests/attack\` runs with \`make attack CASES=<name>\`.

${sections.map(sectionText).join('\n')}`;
}
