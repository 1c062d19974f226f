// `make test-powercut-upgrade`: takes the power from a machine that is installed, upgraded, confirmed and rolled back, at moments that a seed
// determines. All requests to its disk are recorded once. For each cut, disks are drawn that the machine may find afterwards, and examined
// without a machine; of some cuts one is started. Cuts that were finished are not repeated by the next run with the same systems.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Partition, sectorBytes } from '@nodewright/disk';
import type { LockedTools } from '../../../rootfs/debian/locked-tools.ts';
import { unpackTools } from '../../../rootfs/workshop.ts';
import { readArtefactLayout } from '../../boot/artefact-layout.ts';
import { noMachine, startMachine } from '../../boot/machine.ts';
import { SeededRandom } from '../../fuzz/seeded-random.ts';
import { drawImages, drawUnsafeImages } from '../cut-images.ts';
import { type ByteRange, copySparseRange, SparseDisk, writeSparseFile } from '../sparse-disk.ts';
import { divideAtFlush, replay } from '../surviving-writes.ts';
import type { LogEntry } from '../write-log.ts';
import { type DiskFinding, DiskProblem, type ExamineInit, examineDisk } from './examine-disk.ts';
import { judgeStart } from './judge-start.ts';
import { type Moment, planMoments, type Request } from './plan-moments.ts';
import { openLife, type RecordedLife } from './record-life.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
const output = join(checkout, '_out', 'powercut-upgrade');
const medium = join(checkout, '_out', 'iso', 'nodewright-amd64.iso');
const [oldLayout, newLayout] = [join('installer', 'layout'), join('upgrade-images', 'v1.14.1', 'layout')].map(
  (path) => join(checkout, '_out', path),
) as [string, string];
const usualCuts = 24;
const imagesPerCut = 6;
const startMs = 1_200_000;
/** What a start does not read: they are not drawn, and a machine that is started has all that was written to them. */
const leftOut = ['EPHEMERAL', 'IMAGECACHE'];
/** What was found on disks that ignore flushes. */
const unsafeDisks = 'unsafe-disks.json';
const say = (line: string) => void process.stdout.write(`powercut-upgrade: ${line}\n`);

/** What was found after a cut. */
interface CutResult {
  readonly requests: number;
  readonly pending: number;
  readonly images: number;
  /** How many of the images start what. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** What a machine started; undefined when none was. */
  readonly booted?: string;
  readonly seconds: number;
}

/** `SEED`, else that of the last run, so that a run that was interrupted continues, else a new one. */
function chooseSeed(): number {
  const file = join(output, 'seed');
  const last = existsSync(file) ? readFileSync(file, 'utf8') : String(Date.now() % 2 ** 31);
  const seed = Number(process.env.SEED || last);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error('SEED must be a number');
  writeFileSync(file, String(seed));
  return seed;
}

/** `CUTS`: how many cuts are tried, or the name of one of the first hundred. */
function chooseCuts(seed: number, { requests, ends }: Laboratory): readonly Moment[] {
  const wanted = process.env.CUTS || String(usualCuts);
  if (/^\d+$/.test(wanted)) return planMoments(seed, Number(wanted), requests, ends);
  const named = planMoments(seed, 100, requests, ends).filter(({ name }) => name === wanted);
  if (named.length === 0)
    throw new Error('CUTS must be a number of cuts, or the name of one such as upgrade-03');
  return named;
}

interface Laboratory extends RecordedLife {
  readonly requests: readonly Request[];
  readonly excluded: readonly ByteRange[];
  /** What is drawn: the requests to the other ranges. */
  readonly isDrawn: (entry: LogEntry) => boolean;
  readonly examine: ExamineInit;
}

const rangeOf = ({ first, last }: Partition): ByteRange => ({
  ...{ from: first * sectorBytes, end: (last + 1) * sectorBytes },
});

function openLaboratory(life: RecordedLife, tools: LockedTools, work: string): Laboratory {
  const { partitions } = life;
  const excluded = partitions.filter(({ label }) => leftOut.includes(label)).map(rangeOf);
  const isDrawn = (entry: LogEntry) =>
    entry.kind === 'flush' || !excluded.some(({ from, end }) => from <= entry.at && entry.at < end);
  const requests = life.entries.map((entry) => ({
    ...{ isFlush: entry.kind === 'flush', isOfStart: entry.kind !== 'flush' && isDrawn(entry) },
  }));
  const systems = [oldLayout, newLayout].map((folder) => readArtefactLayout(folder).description);
  return { ...life, requests, excluded, isDrawn, examine: { tools, partitions, systems, work } };
}

class CutFailure extends Error {}

/** The disk as it was flushed at a moment; moments come in their order. */
class FlushedDisk {
  readonly #disk: SparseDisk;
  #done = 0;

  constructor(bytes: number) {
    this.#disk = new SparseDisk(bytes);
  }

  /** Applies the requests up to this number of the whole recording. */
  until(entries: readonly LogEntry[], count: number, isDrawn: (entry: LogEntry) => boolean): SparseDisk {
    if (count < this.#done) throw new Error('moments must come in their order');
    replay(this.#disk, entries.slice(this.#done, count).filter(isDrawn));
    this.#done = count;
    return this.#disk;
  }
}

async function tryCut(
  cut: Moment,
  laboratory: Laboratory,
  flushed: FlushedDisk,
  folder: string,
): Promise<CutResult> {
  const begun = performance.now();
  const { entries, isDrawn } = laboratory;
  const { durable, pending } = divideAtFlush(entries.slice(0, cut.cutBefore), cut.cutBefore);
  const base = flushed.until(entries, durable.length, isDrawn);
  const drawn = pending.filter(isDrawn);
  const images = drawImages(base, { durable: [], pending: drawn }, cut.seed, imagesPerCut);
  const findings: DiskFinding[] = [];
  mkdirSync(folder, { recursive: true });
  for (const [index, image] of images.entries()) {
    const path = join(folder, `image-${index}.raw`);
    writeSparseFile(path, image);
    try {
      const finding = await examineDisk(path, laboratory.examine);
      judgeStart(finding, cut.phase);
      findings.push(finding);
    } catch (error) {
      if (!(error instanceof DiskProblem)) throw error;
      const kept = join(folder, 'failed.raw');
      writeSparseFile(kept, image);
      throw new CutFailure(`image ${index}: ${error.message}; the disk is ${kept}`);
    } finally {
      rmSync(path, { force: true });
    }
  }
  const chosen = new SeededRandom(cut.seed ^ 0x5eed).below(images.length);
  const booted = cut.isBooted
    ? await boot(laboratory, cut, {
        ...{ image: images[chosen] as SparseDisk, finding: findings[chosen] as DiskFinding, folder },
      })
    : undefined;
  rmSync(folder, { recursive: true });
  return {
    ...{ requests: cut.cutBefore, pending: drawn.length, images: images.length },
    outcomes: Object.fromEntries([...Map.groupBy(findings, nameOf)].map(([name, all]) => [name, all.length])),
    ...(booted === undefined ? {} : { booted }),
    seconds: Math.round((performance.now() - begun) / 1000),
  };
}

const nameOf = ({ started, mode }: DiskFinding) =>
  started === undefined ? 'the medium' : `${started.version} in slot ${started.slot} (${mode})`;

/**
 * Starts a machine from a disk, with the medium in its drive during the installation. The API must answer as the system that was found.
 *
 * @returns what runs
 */
async function boot(
  { entries, isDrawn, excluded, diskBytes, workplace }: Laboratory,
  cut: Moment,
  { image, finding, folder }: { image: SparseDisk; finding: DiskFinding; folder: string },
): Promise<string> {
  const path = join(folder, 'booted.raw');
  const rest = join(folder, 'rest.raw');
  writeSparseFile(path, image);
  const others = new SparseDisk(diskBytes);
  replay(
    others,
    entries.slice(0, cut.cutBefore).filter((entry) => !isDrawn(entry)),
  );
  writeSparseFile(rest, others);
  for (const range of excluded) copySparseRange(rest, path, range);
  rmSync(rest);
  const isInstall = cut.phase === 'install';
  await using machine = await startMachine({
    ...{ disk: path, keepsDisk: true, restarts: true, boot: { kind: 'bios' } },
    ...(isInstall ? { medium } : {}),
  });
  const { started } = finding;
  try {
    if (started === undefined) {
      await machine.shows(/maintenance: waiting for a machine configuration/, startMs);
      return 'the medium, in maintenance';
    }
    const call = (...words: string[]) => [...workplace.trusted(machine), ...words];
    const version = RegExp.escape(started.version);
    await workplace.shows(call('version'), new RegExp(`Tag: +${version}`), startMs);
    await workplace.shows(call('get', 'upgradestatuses'), new RegExp(`${started.slot} +\\w`), startMs);
    return `${started.version} in slot ${started.slot}`;
  } catch (error) {
    throw new CutFailure(
      `the machine does not start from ${path}: ${messageOf(error)}\n${machine.console().slice(-4000)}`,
    );
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Disks that ignored all flushes since the upgrade began must fail now and then, otherwise this test could not find anything. */
async function recogniseUnsafeDisks(laboratory: Laboratory, seed: number, folder: string): Promise<void> {
  const file = join(folder, unsafeDisks);
  if (existsSync(file)) return;
  const { entries, ends, isDrawn, diskBytes } = laboratory;
  const base = new SparseDisk(diskBytes);
  replay(base, entries.slice(0, ends.install).filter(isDrawn));
  const lost = entries.slice(ends.install, ends.upgrade).filter(isDrawn);
  const problems: string[] = [];
  for (const [index, image] of drawUnsafeImages(base, lost, seed, imagesPerCut + 1).entries()) {
    // The first one lost everything: that is the disk before the upgrade.
    if (index === 0) continue;
    const path = join(folder, 'unsafe.raw');
    writeSparseFile(path, image);
    await examineDisk(path, laboratory.examine).catch((error: unknown) => problems.push(messageOf(error)));
    rmSync(path);
  }
  if (problems.length === 0) throw new CutFailure('disks that ignore flushes were not recognised');
  writeFileSync(file, JSON.stringify(problems));
  say(`disks that ignore flushes are recognised, ${problems.length} of ${imagesPerCut}: ${problems[0]}`);
}

async function main(): Promise<boolean> {
  if (noMachine !== false) throw new Error(noMachine);
  for (const path of [medium, oldLayout, newLayout])
    if (!existsSync(path))
      throw new Error(`${path} is missing: run make iso, and make upgrade-image VERSION=v1.14.1`);
  mkdirSync(output, { recursive: true });
  const seed = chooseSeed();
  const digest = createHash('sha256');
  for (const folder of [oldLayout, newLayout]) digest.update(readArtefactLayout(folder).digest);
  const systems = digest.digest('hex').slice(0, 8);
  const life = await openLife(join(output, `life-${systems}`), { medium, upgrade: newLayout }, say);
  const folder = join(output, `${seed}-${systems}`);
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'powercut-upgrade-'));
  try {
    const tools = await unpackTools({ checkout, work, architecture: 'amd64' });
    const laboratory = openLaboratory(life, tools, work);
    return await tryAll(laboratory, seed, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function tryAll(laboratory: Laboratory, seed: number, folder: string): Promise<boolean> {
  const cuts = chooseCuts(seed, laboratory);
  say(
    `SEED=${seed}, ${cuts.length} power cuts of ${laboratory.entries.length} requests; results in ${folder}`,
  );
  await recogniseUnsafeDisks(laboratory, seed, folder);
  const flushed = new FlushedDisk(laboratory.diskBytes);
  const results: CutResult[] = [];
  const failures: string[] = [];
  // In the order of the recording, which is replayed once.
  for (const cut of cuts.toSorted((a, b) => a.cutBefore - b.cutBefore)) {
    const file = join(folder, `${cut.name}.json`);
    try {
      if (!existsSync(file))
        writeFileSync(file, JSON.stringify(await tryCut(cut, laboratory, flushed, join(folder, cut.name))));
      const result = JSON.parse(readFileSync(file, 'utf8')) as CutResult;
      results.push(result);
      say(`${cut.name}: ${describe(result)}`);
    } catch (error) {
      if (!(error instanceof CutFailure)) throw error;
      failures.push(cut.name);
      say(`${cut.name}: FAILED, ${error.message}`);
      say(`repeat it with: make test-powercut-upgrade SEED=${seed} CUTS=${cut.name}`);
    }
  }
  const sum = (of: (result: CutResult) => number) => results.reduce((total, result) => total + of(result), 0);
  say(
    `${results.length} cuts passed, ${failures.length} failed; ${sum(({ images }) => images)} different disks examined, ` +
      `${sum(({ booted }) => (booted === undefined ? 0 : 1))} started, ${Math.round(sum(({ seconds }) => seconds) / 60)} minutes`,
  );
  return failures.length === 0;
}

function describe({ requests, pending, images, outcomes, booted, seconds }: CutResult): string {
  const found = Object.entries(outcomes).map(([name, count]) => `${name} on ${count}`);
  const started = booted === undefined ? '' : `; a machine started ${booted}`;
  return `after ${requests} requests, ${pending} of them not flushed; ${images} different disks: ${found.join(', ')}${started}; ${seconds} s`;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  say(messageOf(error));
  process.exitCode = 1;
}
