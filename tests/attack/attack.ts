// Runs every known attack against a cluster of its own, while a second client uses that cluster. `make
// attack`. Exits with 1 when a call of the second client fails or takes too long, when a daemon keeps memory,
// or when a check fails.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checks } from './checks/index.ts';
import { floods } from './floods/index.ts';
import type { BystanderReport } from './measure/child-messages.ts';
import { MemoryWatch } from './measure/memory-watch.ts';
import { openChild } from './measure/open-child.ts';
import { applyOrdinaryLoad } from './measure/ordinary-load.ts';
import { runFlood } from './measure/run-flood.ts';
import { type AttackOptions, parseAttackOptions, usage } from './options.ts';
import { type FloodRow, renderRow, renderTable } from './report/render-table.ts';
import { shortcomings } from './report/shortcomings.ts';
import { type OpenedTarget, openTarget } from './target/open-target.ts';

/** How far a daemon's memory may stay above its level after ordinary load, in MB. */
const allowedGrowthMb = 32;

const tell = (line: string) => process.stdout.write(`${line}\n`);

async function main(options: AttackOptions, interrupted: AbortSignal): Promise<boolean> {
  const isWanted = ({ name }: { readonly name: string }) =>
    options.only.length === 0 || options.only.includes(name);
  tell('a cluster of 1 control plane and 1 worker, and a node without a configuration');
  await using opened = await openTarget(() => new Date());
  const wantedFloods = floods.filter(isWanted);
  const rows = wantedFloods.length === 0 ? [] : await runFloods(opened, wantedFloods, options, interrupted);
  let isGood = rows.every(({ shortcomings }) => shortcomings.length === 0);
  for (const check of checks.filter(isWanted)) {
    interrupted.throwIfAborted();
    const { problems, summary } = await check.run(opened);
    tell(`${check.name}: ${check.what}: ${summary}${problems.length === 0 ? '' : ', not good'}`);
    for (const problem of problems) tell(`not good: ${check.name}: ${problem}`);
    isGood &&= problems.length === 0;
  }
  tell('');
  if (rows.length > 0) tell(renderTable(rows));
  for (const { result, shortcomings } of rows) {
    for (const line of shortcomings) tell(`not good: ${result.flood.name}: ${line}`);
  }
  const out = join(import.meta.dirname, '..', '..', '_out', 'bench');
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'attack.json'), `${JSON.stringify(rows, null, 2)}\n`);
  return isGood;
}

async function runFloods(
  { target, withNewAttackers, daemons }: OpenedTarget,
  wanted: typeof floods,
  options: AttackOptions,
  interrupted: AbortSignal,
): Promise<FloodRow[]> {
  using watch = new MemoryWatch(daemons);
  const signal = AbortSignal.any([interrupted, watch.over]);
  tell(`ordinary load, then a rest of ${options.settleMs / 1000} s: the level of memory`);
  await applyOrdinaryLoad(target);
  await sleep(options.settleMs, undefined, { signal });
  const levels = new Map(daemons.map((daemon) => [daemon.pid, watch.now(daemon)]));
  for (const daemon of daemons) tell(`${daemon.name}: ${Math.round(watch.now(daemon))} MB`);
  await using bystander = openChild('bystander.ts');
  const answer = bystander.receive<BystanderReport>();
  bystander.send({ kind: 'open', target });
  const ready = await answer;
  if (ready.kind === 'failed') throw new Error(`the client beside the attack: ${ready.failure}`);
  await sleep(2000, undefined, { signal });

  const rows: FloodRow[] = [];
  for (const flood of wanted) {
    watch.forgetPeaks();
    const seconds = (options.rounds * options.durationMs * 2) / 1000;
    tell(
      `${flood.name}: ${seconds} s and more, then up to ${options.settleMs / 1000} s until memory is back`,
    );
    const attacked = await withNewAttackers();
    const result = await runFlood(flood, { target: attacked, bystander, ...options, signal });
    const [peak] = daemons
      .map((daemon) => ({ daemon, megabytes: watch.peak(daemon) }))
      .toSorted((a, b) => b.megabytes - a.megabytes);
    const late = await watch.settle(levels, allowedGrowthMb, options.settleMs);
    const row: FloodRow = {
      result,
      peak: peak ?? { daemon: { name: 'none', pid: 0 }, megabytes: 0 },
      shortcomings: [
        ...shortcomings(result, options.durationMs),
        ...late.map(
          ({ daemon, aboveMb }) =>
            `${daemon.name} keeps ${Math.round(aboveMb)} MB more than after ordinary load, ${allowedGrowthMb} are allowed`,
        ),
      ],
    };
    rows.push(row);
    tell(renderRow(row));
    for (const line of row.shortcomings) tell(`not good: ${flood.name}: ${line}`);
  }
  return rows;
}

const names = [...floods, ...checks].map(({ name }) => name);

function readOptions(): AttackOptions {
  try {
    return parseAttackOptions(process.argv.slice(2), names);
  } catch (error) {
    process.stderr.write(`attack: ${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

const options = readOptions();
if (options.help) {
  process.stdout.write(`${usage}\nattacks: ${floods.map(({ name }) => name).join(' ')}\n`);
  process.stdout.write(`checks: ${checks.map(({ name }) => name).join(' ')}\n`);
  process.exit(0);
}
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stop.abort(new Error(`ended by ${signal}`)));
}
try {
  process.exitCode = (await main(options, stop.signal)) ? 0 : 1;
} catch (error) {
  const { cause, message } = error as Error & { cause?: Error };
  process.stderr.write(`attack: ${cause?.message ?? message}\n`);
  process.exitCode = 1;
}
