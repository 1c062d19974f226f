// `nodewright up` and `down` of a package: a cluster of processes, and its removal. `bin/nodewright` gives it the folder for data
// first, and TALOS_HOME below it; `ui` and `talosctl` it starts itself.
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { abortOnSignals } from './run-talosctl.ts';
import { startUp } from './start-up.ts';
import { takeDown } from './take-down.ts';

const help = `Clusters of a Talos-compatible node system for Kubernetes, as processes of this machine.

  nodewright up        starts 3 control planes and 1 worker, or what --controlplanes and --workers say
  nodewright ui        opens the cluster as a page in the browser
  nodewright talosctl  calls its nodes: nodewright talosctl -n node01 memory
  nodewright down      ends the cluster and removes what it left

up and down take --name, for several clusters. Programs and clusters are in $XDG_DATA_HOME/nodewright, by default
~/.local/share/nodewright; the last "down" removes them.
`;

class UsageError extends Error {}

interface Words {
  readonly command: string;
  readonly name: string;
  readonly controlPlanes: number;
  readonly workers: number;
  readonly help: boolean;
}

/** @throws UsageError of one line */
function parseWords(words: readonly string[]): Words {
  const parsed = readWords(words);
  const { values, positionals } = parsed;
  const [command = '', more] = positionals;
  if (more !== undefined) throw new UsageError(`unexpected argument "${more}"`);
  if (!['', 'up', 'down', 'help'].includes(command)) throw new UsageError(`unknown command "${command}"`);
  const count = (option: 'controlplanes' | 'workers') => {
    if (!/^\d{1,3}$/.test(values[option])) throw new UsageError(`--${option} must be a number`);
    return Number(values[option]);
  };
  return {
    ...{ command, name: values.name, help: values.help || ['', 'help'].includes(command) },
    ...{ controlPlanes: count('controlplanes'), workers: count('workers') },
  };
}

function readWords(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        name: { type: 'string', default: 'talos-default' },
        controlplanes: { type: 'string', default: '3' },
        workers: { type: 'string', default: '1' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
}

async function main(): Promise<number> {
  const [data = '', ...words] = process.argv.slice(2);
  const wanted = parseWords(words);
  if (wanted.help) {
    process.stdout.write(help);
    return 0;
  }
  const signal = abortOnSignals();
  const init = {
    ...{ data, name: wanted.name, environment: process.env, signal },
    // This program is `<package>/dist/nodewright/nodewright.cjs`.
    source: dirname(dirname(import.meta.dirname)),
    note: (line: string) => void process.stderr.write(`${line}\n`),
  };
  try {
    if (wanted.command === 'down') return await takeDown(init);
    return await startUp({ ...init, ...wanted, now: () => new Date() });
  } catch (error) {
    if (!signal.aborted) throw error;
    const left = wanted.command === 'up' ? 'no cluster was started' : 'the cluster is left as it is';
    process.stderr.write(`nodewright: cancelled: ${left}\n`);
    return 130;
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    const isUsage = error instanceof UsageError;
    process.stderr.write(`nodewright: ${message}${isUsage ? ': see "nodewright help"' : ''}\n`);
    process.exitCode = isUsage ? 2 : 1;
  },
);
