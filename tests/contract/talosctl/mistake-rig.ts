// What a mistake on the command line is made in: a simulated cluster, a talosconfig, and a folder with some files.
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { methodRule } from '@nodewright/contract';
import { LogsContainersResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { FakeCluster } from './fake-cluster.ts';
import type { FakeGateway, FakeHandler } from './fake-gateway.ts';
import { healthyCluster, reply } from './replies.ts';
import { runAtTerminal } from './run-at-terminal.ts';

const refuse =
  (code: number, message: string): FakeHandler =>
  (call) =>
    call.fail(code, message);

/** Answers with the words of a real node. */
const handlers: Readonly<Record<string, FakeHandler>> = {
  ...healthyCluster,
  '/machine.MachineService/LogsContainers': (call) =>
    reply(call, LogsContainersResponse, { messages: [{ ids: ['apid', 'machined'] }] }),
  '/machine.MachineService/Bootstrap': refuse(6, 'etcd data directory is not empty'),
  '/machine.MachineService/Dmesg': refuse(7, 'open /dev/kmsg: operation not permitted'),
  '/machine.MachineService/PacketCapture': refuse(7, 'packet socket: operation not permitted'),
  '/machine.MachineService/Reboot': refuse(7, 'not authorized'),
  '/machine.MachineService/ServiceStop': refuse(7, 'not authorized'),
  '/machine.MachineService/Rollback': refuse(
    12,
    'method /machine.MachineService/Rollback is not implemented: needs upgrades',
  ),
  '/machine.MachineService/Mounts': (call) => {
    if (call.node === 'node05')
      return call.fail(
        14,
        'no route to node "node05": it is not a member of this cluster, and its name does not resolve (via node01)',
      );
    return healthyCluster['/machine.MachineService/Mounts']?.(call);
  },
  '/machine.MachineService/Read': refuse(5, 'open /etc/nope: no such file or directory'),
  '/machine.MachineService/List': refuse(5, 'open /nope: no such file or directory'),
  '/machine.MachineService/EtcdRemoveMemberByID': refuse(5, 'etcdserver: member not found'),
};

/** Files of the folder in which each command runs. */
const files: Readonly<Record<string, string>> = {
  file: 'x',
  empty: '',
  'bad.yaml': 'a: [\n',
};

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
}

export class MistakeRig implements AsyncDisposable {
  readonly cwd: string;
  readonly #cluster: FakeCluster;
  readonly #gateway: FakeGateway;
  readonly #talosconfigs: Readonly<Record<'admin' | 'reader', string>>;

  private constructor(
    cluster: FakeCluster,
    gateway: FakeGateway,
    talosconfigs: Readonly<Record<'admin' | 'reader', string>>,
    cwd: string,
  ) {
    this.#cluster = cluster;
    this.#gateway = gateway;
    this.#talosconfigs = talosconfigs;
    this.cwd = cwd;
  }

  static async open(): Promise<MistakeRig> {
    const cluster = await FakeCluster.create();
    const gateway = await cluster.gateway(handlers);
    const context = { endpoints: [gateway.address], nodes: ['node01'] };
    const client = await cluster.clientCertificate({ roles: ['os:reader'] });
    const talosconfigs = {
      admin: await cluster.talosconfig(context),
      reader: await cluster.talosconfig({ ...context, client }, 'reader'),
    };
    const cwd = mkdtempSync(join(tmpdir(), 'mistakes-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    mkdirSync(join(cwd, 'dir'));
    return new MistakeRig(cluster, gateway, talosconfigs, cwd);
  }

  /** Runs a command line without a terminal. Paths that differ from run to run are `<cwd>` and `<talosconfig>` in its output. */
  async run(words: readonly string[], role: 'admin' | 'reader'): Promise<Outcome> {
    const talosconfig = this.#talosconfigs[role];
    const { stdout, stderr, exitCode } = await runAtTerminal(words, {
      environment: { TALOSCONFIG: talosconfig, HOME: this.cwd },
      ...{ cwd: this.cwd, reactions: [], isInteractive: false },
    });
    const named = (text: string) =>
      text.replaceAll(talosconfig, '<talosconfig>').replaceAll(this.cwd, '<cwd>');
    return { stdout: named(stdout), stderr: named(stderr), exitCode };
  }

  /** The files of the folder and the talosconfigs, with their contents: nothing of them may change. */
  traces(): readonly string[] {
    const paths = [
      ...globSync('**', { cwd: this.cwd }).map((path) => join(this.cwd, path)),
      ...Object.values(this.#talosconfigs),
    ];
    return paths.map((path) => {
      const text = statSync(path).isDirectory() ? '' : readFileSync(path);
      return `${path} ${createHash('sha256').update(text).digest('hex')}`;
    });
  }

  /** The calls so far that change a node, unless it refuses them. */
  changes(): readonly string[] {
    return this.#gateway.calls
      .map(({ path }) => path)
      .filter((path) => methodRule(path)?.mutates === true && handlers[path] === healthyCluster[path]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster[Symbol.asyncDispose]();
    await rm(this.cwd, { recursive: true });
  }
}
