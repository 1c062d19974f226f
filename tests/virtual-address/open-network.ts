// Nodes with network namespaces of their own, connected by a bridge in one more. Nothing of it is in the host's network.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { loadNativeCalls, readAddresses } from '@nodewright/linux';
import { openNamespaceOf } from '@nodewright/linux/testing';
import { eventually } from '@nodewright/testkit';

/** Why this machine cannot have such a network; false when it can. */
export const reasonToSkip =
  spawnSync('unshare', ['--net', 'ip', 'link', 'add', 'lan0', 'type', 'bridge']).status === 0
    ? false
    : 'network namespaces with a bridge need root, unshare and ip (iproute2)';

export interface TestNode {
  readonly name: string;
  /** Of a process in its network namespace. */
  readonly pid: number;
  /** The hardware address of eth0. */
  readonly hardware: string;
  addresses(): string[];
  /** Runs `ip` on the node. */
  ip(...words: string[]): string;
}

export interface TestNetwork extends AsyncDisposable {
  readonly nodes: readonly TestNode[];
  /** Runs `ip` on a host of the network that is no node. Its link is lan0. */
  ip(...words: string[]): string;
}

export async function openTestNetwork(count: number): Promise<TestNetwork> {
  await using scope = new AsyncDisposableStack();
  const calls = await loadNativeCalls();
  const open = async () => {
    const child = scope.adopt(spawn('unshare', ['--net', 'sleep', '600']), end);
    const pid = child.pid ?? 0;
    const isOwn = () => readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync('/proc/self/ns/net');
    await eventually(isOwn, { what: 'a network namespace' });
    return { pid, ip: (...words: string[]) => ipIn(pid, words) };
  };
  const lan = await open();
  lan.ip('link', 'add', 'lan0', 'type', 'bridge');
  lan.ip('addr', 'add', '10.99.0.254/24', 'dev', 'lan0');
  lan.ip('addr', 'add', 'fd99::254/64', 'dev', 'lan0', 'nodad');
  lan.ip('link', 'set', 'lan0', 'up');
  const nodes: TestNode[] = [];
  for (let number = 1; number <= count; number += 1) {
    const { pid, ip } = await open();
    const port = `port${number}`;
    lan.ip('link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid));
    lan.ip('link', 'set', port, 'master', 'lan0', 'up');
    ip('addr', 'add', `10.99.0.${number}/24`, 'dev', 'eth0');
    ip('link', 'set', 'eth0', 'up');
    const namespace = scope.use(openNamespaceOf(pid));
    nodes.push({
      ...{ name: `node0${number}`, pid, ip },
      hardware: /link\/ether (\S+)/.exec(ip('link', 'show', 'eth0'))?.[1] ?? '',
      addresses: () => namespace.run(() => readAddresses(calls)).map(({ address }) => address),
    });
  }
  const kept = scope.move();
  return { nodes, ip: lan.ip, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const ipIn = (pid: number, words: readonly string[]) =>
  execFileSync('nsenter', [`--net=/proc/${pid}/ns/net`, 'ip', ...words], { encoding: 'utf8' });

/** Ends a process, and waits until it has ended. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  child.kill(signal);
  await promise;
}
