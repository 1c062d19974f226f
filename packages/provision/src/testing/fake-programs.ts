import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeExitCodes } from '@nodewright/contract';
import type { ProcessPrograms } from '../process/programs.ts';

export interface FakeMachinedBehaviour {
  /** Starts a child in its process group, which does not end with it. */
  readonly child?: boolean;
  /** Exits with this code right after its start. */
  readonly exitCode?: number;
  /** Ignores SIGTERM. */
  readonly stubborn?: boolean;
  /** Does not listen for connections. */
  readonly deaf?: boolean;
}

/**
 * Writes programs for tests: the real supervisor, run from its source, and a fake machined that only listens
 * at the address of apid. The first line of its output is its command line as JSON. SIGHUP makes it exit as
 * for a reboot, SIGUSR2 as for a shutdown.
 */
export function writeFakePrograms(folder: string, behaviour: FakeMachinedBehaviour = {}): ProcessPrograms {
  const put = (name: string, source: string) => {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, `${name}.cjs`), source);
  };
  const supervisorSource = join(import.meta.dirname, '..', 'supervisor', 'main.ts');
  put('process-supervisor', `require(${JSON.stringify(supervisorSource)});`);
  put('machined', machinedSource(behaviour));
  return {
    nodeBinary: process.execPath,
    supervisor: join(folder, 'process-supervisor', 'process-supervisor.cjs'),
    servicesFolder: folder,
    etcd: undefined,
    kubernetes: undefined,
  };
}

function machinedSource(behaviour: FakeMachinedBehaviour): string {
  return `
const { createServer } = require('node:net');
const { spawn } = require('node:child_process');
const behaviour = ${JSON.stringify(behaviour)};
const args = process.argv.slice(2);
const valueOf = (flag) => args[args.indexOf(flag) + 1];
console.log(JSON.stringify({ args, cwd: process.cwd() }));
if (behaviour.child) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  console.log(JSON.stringify({ child: child.pid }));
}
if (behaviour.exitCode !== undefined) process.exit(behaviour.exitCode);
process.stdin.on('end', () => process.exit(0)).resume();
process.on('SIGHUP', () => process.exit(${nodeExitCodes.reboot}));
process.on('SIGUSR2', () => process.exit(${nodeExitCodes.powerOff}));
process.on('SIGTERM', () => { if (!behaviour.stubborn) process.exit(0); });
setInterval(() => {}, 1000);
if (!behaviour.deaf) createServer((socket) => socket.end()).listen(50000, valueOf('--address'));
`;
}
