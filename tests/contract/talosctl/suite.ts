// The setup of most of these tests: one built program and one simulated cluster with one healthy gateway.
import { after, before } from 'node:test';
import { FakeCluster } from './fake-cluster.ts';
import type { FakeGateway, FakeHandler } from './fake-gateway.ts';
import { healthyCluster } from './replies.ts';
import { Talosctl, type TalosctlResult } from './run-talosctl.ts';

export interface Suite {
  readonly talosctl: Talosctl;
  readonly cluster: FakeCluster;
  readonly gateway: FakeGateway;
  /** Path of a talosconfig with that gateway and the nodes node01 and node02. */
  readonly talosconfig: string;
  /** Runs a command with that talosconfig. */
  run(...words: string[]): Promise<TalosctlResult>;
}

/**
 * Opens the suite before the tests of a file and closes it after them. The object may only be used inside
 * tests.
 */
export function openSuite(handlers: Readonly<Record<string, FakeHandler>> = healthyCluster): Suite {
  const suite = {} as { -readonly [Key in keyof Suite]: Suite[Key] };
  const scope = new AsyncDisposableStack();
  before(async () => {
    suite.talosctl = scope.use(await Talosctl.open());
    suite.cluster = scope.use(await FakeCluster.create());
    suite.gateway = scope.use(await suite.cluster.gateway(handlers));
    suite.talosconfig = await suite.cluster.talosconfig({
      endpoints: [suite.gateway.address],
      nodes: ['node01', 'node02'],
    });
    suite.run = (...words) => suite.talosctl.run(words, { environment: { TALOSCONFIG: suite.talosconfig } });
  });
  after(() => scope.disposeAsync());
  return suite;
}

/** The lines of a table below its header, sorted, because nodes answer in any order. */
export function sortedRows(stdout: string): string[] {
  return stdout.trimEnd().split('\n').slice(1).sort();
}
