// What the tests of machines share: a folder, talosctl, and disks that machines change.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guestAddress, makeMachineDisk } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import { imageFolder, type Machine } from './machine.ts';

const program = join(import.meta.dirname, '..', '..', '_out', 'dist', 'talosctl', 'talosctl.cjs');

/** EPHEMERAL needs 2 GiB behind the image, which has 1.6 GiB. The file takes only what the machine writes. */
const diskBytes = 5 * 2 ** 30;

/** Beside other work an emulated machine takes minutes for what takes it seconds otherwise. */
const usualTimeoutMs = 900_000;

export interface Workplace extends Disposable {
  readonly folder: string;
  /** Runs talosctl in the folder; its output, or its error as text. */
  talosctl(...words: string[]): Promise<{ readonly exitCode: number; readonly output: string }>;
  /** Runs talosctl until it succeeds, and returns its output. */
  succeeds(words: readonly string[], timeoutMs?: number): Promise<string>;
  /** Runs talosctl until it succeeds and its output has the pattern; returns the output. */
  shows(words: readonly string[], pattern: RegExp, timeoutMs?: number): Promise<string>;
  /** Writes the configurations of a cluster, and the talosconfig of its administrator, into the folder. */
  generate(cluster: string, ...options: string[]): Promise<void>;
  /** The words of talosctl for calls of the machine's administrator. */
  trusted(machine: Machine): string[];
  /**
   * Configures a machine in maintenance, with a file of `generate`. On a busy machine the answer may come after the end of
   * maintenance, although the configuration was applied.
   */
  configures(machine: Machine, file: string): Promise<void>;
  /** Makes a disk for a machine that keeps what it writes. @param sizeBytes default: enough for EPHEMERAL */
  machineDisk(name: string, sizeBytes?: number): string;
}

/** @param kept an existing folder for the files of a test; by default a new one, which is removed with it */
export function openWorkplace(kept?: string): Workplace {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'boot-test-'));
  const talosctl: Workplace['talosctl'] = (...words) =>
    new Promise((resolve) => {
      execFile(process.execPath, [program, ...words], { cwd: folder }, (error, stdout, stderr) => {
        resolve({ exitCode: error === null ? 0 : 1, output: stdout + stderr });
      });
    });
  const shows: Workplace['shows'] = async (words, pattern, timeoutMs = usualTimeoutMs) => {
    let last = '';
    const isDone = async () => {
      const { exitCode, output } = await talosctl(...words);
      last = output;
      return exitCode === 0 && pattern.test(output);
    };
    const what = `${pattern} in the output of talosctl ${words.join(' ')}`;
    await eventually(isDone, { what, timeoutMs, explain: () => last });
    return last;
  };
  const trusted: Workplace['trusted'] = ({ api }) => [
    ...['--talosconfig', 'talosconfig', '-e', api, '-n', guestAddress],
  ];
  return {
    folder,
    talosctl,
    shows,
    succeeds: (words, timeoutMs) => shows(words, /^/, timeoutMs),
    async configures(machine, file) {
      const isConfigured = async () =>
        (await talosctl('-n', machine.api, 'apply-config', '--insecure', '-f', file)).exitCode === 0 ||
        (await talosctl(...trusted(machine), 'version')).exitCode === 0;
      await eventually(isConfigured, {
        ...{ what: 'a configured machine', timeoutMs: usualTimeoutMs },
        explain: machine.console,
      });
    },
    async generate(cluster, ...options) {
      const { exitCode, output } = await talosctl(
        ...['gen', 'config', cluster, `https://${guestAddress}:6443`, '--force', ...options],
      );
      if (exitCode !== 0) throw new Error(output);
    },
    trusted,
    machineDisk(name, sizeBytes = diskBytes) {
      const path = join(folder, name);
      makeMachineDisk(join(imageFolder, 'disk.raw'), path, sizeBytes);
      return path;
    },
    [Symbol.dispose]() {
      if (kept === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
