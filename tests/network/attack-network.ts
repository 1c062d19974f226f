// Runs every known attack on the network of a machine, each on a network of its own, while a second client uses the machine.
// `make attack-network`. Exits with 1 when something did not hold, and with 2 where such a network cannot be made.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { renderNetworkRow, tableHead } from '../attack/report/render-table.ts';
import { networkAttacks } from './attacks/index.ts';
import { type NetworkRow, runNetworkAttack } from './attacks/run-attack.ts';
import { reasonToSkip } from './open-lan.ts';

const usage = `usage: attack-network.ts [--only NAME,…] [--quick] [--help]

  --only LIST   these attacks and no others (CASES= of make)
  --quick       the short form, as in CI
  --help        this text and the names of all attacks
`;
const tell = (line: string) => process.stdout.write(`${line}\n`);

async function main(names: readonly string[], isShort: boolean): Promise<boolean> {
  const rows: NetworkRow[] = [];
  for (const attack of networkAttacks) {
    if (names.length > 0 && !names.includes(attack.name)) continue;
    const row = await runNetworkAttack(attack, isShort);
    rows.push(row);
    tell(`${attack.name}: ${row.seconds.toFixed(1)} s${row.problems.length === 0 ? '' : ', not good'}`);
    for (const problem of row.problems) tell(`not good: ${attack.name}: ${problem}`);
  }
  tell('');
  for (const line of [...tableHead, ...rows.map(renderNetworkRow)]) tell(line);
  const out = join(import.meta.dirname, '..', '..', '_out', 'bench');
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'attack-network.json'), `${JSON.stringify(rows, null, 2)}\n`);
  return rows.every(({ problems }) => problems.length === 0);
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const only = values.only === '' ? [] : values.only.split(',');
const unknown = only.filter((name) => !networkAttacks.some((attack) => attack.name === name));
if (values.help) tell(`${usage}\n${networkAttacks.map(({ name }) => name).join(' ')}`);
else if (unknown.length > 0 || reasonToSkip !== false) {
  const reason =
    unknown.length > 0 ? `no attack is called ${unknown.join(', ')}; --help lists them` : reasonToSkip;
  process.stderr.write(`attack-network: ${reason}\n${usage}`);
  process.exitCode = 2;
} else process.exitCode = (await main(only, values.quick)) ? 0 : 1;
