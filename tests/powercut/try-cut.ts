import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SeededRandom } from '../fuzz/seeded-random.ts';
import { bootImage } from './boot-image.ts';
import { checkImages } from './check-images.ts';
import type { CheckerImage } from './checker-image.ts';
import { drawImages, drawUnsafeImages } from './cut-images.ts';
import { type CutFacts, judgeFinding, type Recovery } from './judge-finding.ts';
import { type Cut, cutKinds } from './plan-cuts.ts';
import { baseOf, type RecordedCut, recordCut } from './record-cut.ts';
import { copySparseRange, type SparseDisk, writeSparseFile } from './sparse-disk.ts';
import { divideAtFlush } from './surviving-writes.ts';
import { type BaseName, programsOf, type TestCluster } from './test-cluster.ts';
import { type LogEntry, readWriteLog } from './write-log.ts';

const unsafeImages = 6;
/** Of the machines that come back without a configuration, one in so many is given one. */
const configuredShare = 4;

export interface CutResult {
  readonly requests: number;
  /** Requests after the last flush. */
  readonly pending: number;
  readonly images: number;
  /** How many of the images have each configuration. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** The configuration of the machine that was booted. */
  readonly booted: number;
  readonly seconds: number;
}

/** The machine did not come back. Everything to repeat the cut is in its folder. */
export class CutFailure extends Error {
  override readonly name = 'CutFailure';
}

export interface Laboratory {
  readonly cluster: TestCluster;
  readonly checker: CheckerImage;
}

interface Recording extends RecordedCut {
  readonly base: SparseDisk;
  readonly entries: readonly LogEntry[];
}

/**
 * Takes the power from a machine once, and examines the disks that it may find afterwards. A recording in the folder is used
 * again; when nothing fails, it is removed.
 *
 * @throws CutFailure
 */
export async function tryCut(cut: Cut, { cluster, checker }: Laboratory, folder: string): Promise<CutResult> {
  const start = performance.now();
  const { facts, base, entries, cutBefore } = await openRecording(cut, cluster, folder);
  const divided = divideAtFlush(entries, cutBefore);
  const images = drawImages(base, divided, cut.seed, cutKinds[cut.kind].images);
  const verdicts = await examine(checker, folder, images, facts);
  const failed = verdicts.findIndex((verdict) => 'problem' in verdict);
  if (failed >= 0) {
    const kept = join(folder, 'failed.raw');
    writeBootable(kept, images[failed] as SparseDisk, cluster, baseOf[cut.kind]);
    throw new CutFailure(`image ${failed}: ${JSON.stringify(verdicts[failed])}; the disk is ${kept}`);
  }
  const good = verdicts.filter((verdict): verdict is Recovery => !('problem' in verdict));
  const random = new SeededRandom(cut.seed ^ 0x5eed);
  const chosen = random.below(images.length);
  const { configuration: booted, set } = good[chosen] ?? { configuration: 0 };
  const path = join(folder, 'booted.raw');
  writeBootable(path, images[chosen] as SparseDisk, cluster, baseOf[cut.kind]);
  try {
    const isConfigured = random.below(configuredShare) === 0;
    await bootImage(cluster, path, { configuration: booted, isConfigured, set });
  } catch (error) {
    throw new CutFailure(`the machine does not boot from ${path}: ${messageOf(error)}`);
  }
  rmSync(folder, { recursive: true });
  const outcomes = Object.fromEntries(
    [...Map.groupBy(good, nameOf)].map(([name, all]) => [name, all.length]),
  );
  const seconds = Math.round((performance.now() - start) / 1000);
  return {
    ...{ requests: entries.slice(0, cutBefore).length, pending: divided.pending.length },
    ...{ images: images.length, outcomes, booted, seconds },
  };
}

const nameOf = ({ configuration, set }: Recovery) =>
  set === undefined ? `configuration ${configuration}` : `set ${set}`;

/**
 * Examines disks that have ignored the flushes of a recording. Returns the problems that were found; undefined when the
 * machine had acknowledged nothing that could be lost.
 *
 * @throws CutFailure when the disk that lost everything was not found to be broken
 */
export async function tryUnsafeDisks(
  cut: Cut,
  { cluster, checker }: Laboratory,
  folder: string,
): Promise<string[] | undefined> {
  const { facts, base, entries } = await openRecording(cut, cluster, folder);
  if (facts.acknowledged === facts.before) return undefined;
  const images = drawUnsafeImages(base, entries, cut.seed, unsafeImages);
  const verdicts = await examine(checker, folder, images, facts);
  if (!('problem' in (verdicts[0] ?? {})))
    throw new CutFailure('a disk that lost acknowledged writes was not recognised');
  return verdicts.flatMap((verdict) => ('problem' in verdict ? [verdict.problem] : []));
}

async function openRecording(cut: Cut, cluster: TestCluster, folder: string): Promise<Recording> {
  const [log, known] = [join(folder, 'writes.log'), join(folder, 'facts.json')];
  if (!existsSync(known)) {
    mkdirSync(folder, { recursive: true });
    const disk = join(folder, 'machine.raw');
    const recorded = await recordCut(cut, cluster, disk, log);
    rmSync(disk);
    writeFileSync(known, JSON.stringify(recorded));
  }
  return {
    ...(JSON.parse(readFileSync(known, 'utf8')) as RecordedCut),
    base: cluster.withoutPrograms(baseOf[cut.kind]),
    entries: readWriteLog(readFileSync(log)),
  };
}

async function examine(
  checker: CheckerImage,
  folder: string,
  images: readonly SparseDisk[],
  facts: CutFacts,
) {
  const paths = images.map((_, index) => join(folder, `image-${index}.raw`));
  try {
    for (const [index, path] of paths.entries()) writeSparseFile(path, images[index] as SparseDisk);
    return (await checkImages(checker, paths)).map((finding) => judgeFinding(finding, facts));
  } catch (error) {
    throw new CutFailure(`the images cannot be examined, their recording is ${folder}: ${messageOf(error)}`);
  } finally {
    for (const path of paths) rmSync(path, { force: true });
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Writes a disk with the partitions that a machine is started from. */
function writeBootable(path: string, image: SparseDisk, { bases }: TestCluster, base: BaseName): void {
  writeSparseFile(path, image);
  for (const range of programsOf(base)) copySparseRange(bases[base], path, range);
}
