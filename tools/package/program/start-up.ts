import { homedir } from 'node:os';
import { join } from 'node:path';
import { readTalosconfig } from '@nodewright/client/talosconfig';
import { askEngine } from '@nodewright/provision/engine';
import { useCopies } from './copy-users.ts';
import { installCopy } from './install-copy.ts';
import { nextCommands } from './next-commands.ts';
import { runTalosctl, runtimeFolder } from './run-talosctl.ts';

export interface StartUpInit {
  readonly source: string;
  readonly data: string;
  readonly name: string;
  readonly controlPlanes: number;
  readonly workers: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly note: (line: string) => void;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/**
 * Starts a cluster of processes from a copy of the package, unless it exists, and prints what to do next.
 *
 * @returns the exit code
 * @throws Error of one line when the copy cannot be made, or another process does not end to change the copies
 */
export async function startUp(init: StartUpInit): Promise<number> {
  const { environment, name, note, signal } = init;
  await using _use = await useCopies(init.data, environment.TALOS_HOME ?? '');
  const [engine, { folder, state }] = await Promise.all([askEngine(), installCopy(init)]);
  if (state === 'new') note(`copied the programs to ${folder}`);
  if (state === 'repaired') note(`${folder} was damaged: it was replaced`);
  const kind = 'nodes are processes of this machine';
  note(engine.state === 'ready' ? `${kind}, although Docker ${engine.engine} answers` : kind);
  const words = ['--provisioner', 'process', '--name', name, '--if-absent'];
  const shape = ['--controlplanes', String(init.controlPlanes), '--workers', String(init.workers)];
  const code = await runTalosctl(['cluster', 'create', ...words, ...shape], {
    ...{ folder, environment: withLibraryOf(folder, init), signal },
  });
  if (code !== 0) return code;
  const nodes = Array.from(
    { length: init.controlPlanes + init.workers },
    (_, at) => `node${String(at + 1).padStart(2, '0')}`,
  );
  const program = join(folder, 'bin', 'nodewright');
  const otherContext = await findOtherContext(environment.TALOS_HOME ?? '', name);
  note(nextCommands({ program, home: homedir(), name, nodes, otherContext }));
  if ((environment.TALOSCONFIG ?? '') !== '')
    note('TALOSCONFIG is set and names another file: unset it to use this cluster');
  return 0;
}

/**
 * The context of a cluster in the talosconfig of TALOS_HOME, unless it is the current one: a cluster that was kept does not become
 * current again. It is recognised by its certificate authority, because it has another name where that of the cluster was taken.
 */
async function findOtherContext(home: string, name: string): Promise<string | undefined> {
  const { context, contexts } = await readTalosconfig(join(home, 'config'));
  const own = await readTalosconfig(join(home, 'clusters', name, 'talosconfig'));
  const authority = own.contexts.get(own.context)?.ca;
  if (authority === undefined || contexts.get(context)?.ca === authority) return undefined;
  return [...contexts.keys()].find((each) => contexts.get(each)?.ca === authority);
}

/** `bin/nodewright` has named the folder of the package that runs, for a system without the library of Node.js. */
function withLibraryOf(folder: string, { source, environment }: StartUpInit): NodeJS.ProcessEnv {
  const { LD_LIBRARY_PATH } = environment;
  if (LD_LIBRARY_PATH === undefined) return environment;
  const [from, to] = [join(source, runtimeFolder()), join(folder, runtimeFolder())];
  const paths = LD_LIBRARY_PATH.split(':').map((path) => (path === from ? to : path));
  return { ...environment, LD_LIBRARY_PATH: paths.join(':') };
}
