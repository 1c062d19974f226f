// `make measure-package`: the seconds from the archive to a cluster, with tar and `nodewright up`, in turns with `talosctl cluster create`
// of built bundles. Exits with 1 when the median is more than twice as long. `--turns 5 --controlplanes 1 --workers 0`
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const checkout = join(import.meta.dirname, '..', '..');
const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '5' },
    controlplanes: { type: 'string', default: '1' },
    workers: { type: 'string', default: '0' },
  },
});
const shape = ['--controlplanes', values.controlplanes, '--workers', values.workers];
const mostTimes = 2;
const [archive] = globSync('_out/package/*.tgz', { cwd: checkout });
if (archive === undefined) throw new Error('there is no archive: run make package');

/** Seconds that it takes. @throws Error with the output when it fails */
function timed(program: string, words: readonly string[], home: string): number {
  const { TALOSCONFIG: _, XDG_DATA_HOME: __, ...own } = process.env;
  const environment = { ...own, HOME: home, TALOS_HOME: join(home, 'talos') };
  const start = performance.now();
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8', cwd: home, env: environment });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} failed: ${stderr}`);
  return (performance.now() - start) / 1000;
}

/** In a folder of its own, so that nothing is there from the turn before. */
function inFolder<T>(run: (home: string) => T): T {
  const home = mkdtempSync(join(tmpdir(), 'measure-package-'));
  try {
    return run(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const ofPackage = () =>
  inFolder((home) => {
    mkdirSync(join(home, 'unpacked'));
    const unpacked = timed(
      'tar',
      ['xzf', join(checkout, archive as string), '-C', join(home, 'unpacked')],
      home,
    );
    const nodewright = join(home, 'unpacked', 'package', 'bin', 'nodewright');
    try {
      return unpacked + timed(nodewright, ['up', ...shape], home);
    } finally {
      timed(nodewright, ['down'], home);
    }
  });

const ofBundles = () =>
  inFolder((home) => {
    const talosctl = join(checkout, '_out', 'dist', 'talosctl', 'talosctl.cjs');
    try {
      const words = ['cluster', 'create', '--provisioner', 'process', ...shape];
      return timed(process.execPath, [talosctl, ...words], home);
    } finally {
      const words = ['cluster', 'destroy', '--force', '--if-present', '--yes'];
      timed(process.execPath, [talosctl, ...words], home);
    }
  });

const median = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
const [packages, bundles]: [number[], number[]] = [[], []];
for (let turn = 1; turn <= Number(values.turns); turn += 1) {
  bundles.push(ofBundles());
  packages.push(ofPackage());
  process.stdout.write(
    `turn ${turn}: bundles ${bundles.at(-1)?.toFixed(1)} s, package ${packages.at(-1)?.toFixed(1)} s, load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} processors\n`,
  );
}
const ratio = median(packages) / median(bundles);
process.stdout.write(
  `median of ${packages.length}: bundles ${median(bundles).toFixed(1)} s, package ${median(packages).toFixed(1)} s, ${ratio.toFixed(2)} times as long (at most ${mostTimes})\n`,
);
if (ratio > mostTimes) process.exitCode = 1;
