// Ctrl-C at a program that runs for an hour leaves nothing on the machine.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { skipWithoutEtcd } from '@nodewright/etcd/testing';
import { eventually } from '@nodewright/testkit';

const bundles = join(import.meta.dirname, '..', '..', '_out', 'dist');
const skip = existsSync(join(bundles, 'apid', 'apid.cjs')) ? false : 'the bundles are missing: make build';
const folder = mkdtempSync(join(tmpdir(), 'soak-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Process {
  readonly pid: number;
  readonly line: string;
}

/** The processes whose environment names the folder, as everything does that a cluster in it has started. */
function processesOf(home: string): Process[] {
  const read = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
    } catch {
      // It has ended, or belongs to another user.
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(name, 'environ').includes(home))
    .map((pid) => ({ pid: Number(pid), line: read(pid, 'cmdline') }))
    .filter(({ line }) => line !== '');
}

interface Program {
  readonly path: string;
  /** How many nodes its cluster has. */
  readonly nodes: number;
  /** Why it cannot run here, if it cannot. */
  readonly skip?: string | false;
}

const programs: Readonly<Record<string, Program>> = {
  'soak-download': { path: 'soak/download/large-download.ts', nodes: 2 },
  'soak-h2': { path: 'soak/h2/soak-h2.ts', nodes: 2 },
  'measure-reboots': { path: 'bench/reboots.ts', nodes: 4, skip: skipWithoutEtcd() },
  'memory-at-rest': { path: 'bench/memory-at-rest.ts', nodes: 1 },
};
for (const [verb, program] of Object.entries(programs))
  test(`${verb} removes its cluster when it is interrupted`, {
    skip: skip || program.skip,
    timeout: 400_000,
  }, async () => {
    const home = mkdtempSync(join(folder, 'home-'));
    const child = spawn(process.execPath, [join(import.meta.dirname, '..', program.path)], {
      env: { ...process.env, TMPDIR: home },
      stdio: ['ignore', 'pipe', 'inherit'],
      // Ctrl-C reaches all programs of the group.
      detached: true,
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const closed = once(child, 'close');
    try {
      const hasGateways = () =>
        processesOf(home).filter(({ line }) => line.includes('apid.cjs')).length >= program.nodes;
      await eventually(hasGateways, { what: 'the gateways of all nodes', timeoutMs: 180_000 });
      process.kill(-Number(child.pid), 'SIGINT');
      const [code] = await closed;
      assert.deepEqual([code, /ended by SIGINT/.test(output)], [1, true], output);
      assert.deepEqual([processesOf(home), readdirSync(home)], [[], []]);
    } finally {
      // Also what a failure leaves.
      for (const { pid } of processesOf(home)) process.kill(pid, 'SIGKILL');
    }
  });
