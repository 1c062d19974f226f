// The built page, with a test in the place of the nodes: what it is sent, and what its requests get.
import { join } from 'node:path';
import { Fault } from '@nodewright/fault';
import {
  type ClusterRecord,
  emptyRecord,
  withHealth,
  withRollout,
  withSummaries,
} from '../../cli/talosctl/src/ui/domain/cluster-record.ts';
import type {
  CheckState,
  NodeSummary,
  Reach,
  ServerMessage,
} from '../../cli/talosctl/src/ui/protocol/messages.ts';
import type { RolloutState } from '../../cli/talosctl/src/ui/protocol/rollout.ts';
import { readPageFiles } from '../../cli/talosctl/src/ui/server/page-files.ts';
import { PageServer } from '../../cli/talosctl/src/ui/server/page-server.ts';
import type { PageStream } from '../../cli/talosctl/src/ui/server/page-stream.ts';

const files = join(import.meta.dirname, '..', '..', '_out', 'dist', 'talosctl', 'ui');

/** A member of etcd that is well. */
const member = {
  ...{ term: 2, raftIndex: 7, appliedIndex: 7, dbBytes: 1024, usedBytes: 512 },
  ...{ isLearner: false, version: '3.6', errors: [], alarms: [] },
};

/** A request of the page that is not a list of subscriptions. */
export interface PageRequest {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
}

type Answer = (body: PageRequest['body']) => unknown;

/** A server of the page. Every page gets the same messages; one that opens later gets those that came before. */
export class ScriptedPage implements AsyncDisposable {
  readonly requests: PageRequest[] = [];
  /** Answers by the name of a request. One without an answer fails. */
  readonly answers: Record<string, Answer> = {};
  readonly server: PageServer;
  readonly #messages: ServerMessage[] = [];
  #record: ClusterRecord = emptyRecord;
  readonly #streams = new Set<PageStream>();

  private constructor(server: PageServer) {
    this.server = server;
  }

  static async open(nodes: readonly string[]): Promise<ScriptedPage> {
    // No page opens before it has a link.
    const opened: ScriptedPage[] = [];
    const server = await PageServer.listen({
      ...{ files: await readPageFiles(files), port: 0, now: Date.now },
      backend: { open: (stream) => (opened[0] as ScriptedPage).#open(stream) },
    });
    const page = new ScriptedPage(server);
    opened.push(page);
    page.send({
      ...{ kind: 'welcome', program: 'test', context: 'test', cluster: 'test' },
      ...{ nodes, allowsActions: true },
    });
    page.reach(Object.fromEntries(nodes.map((name) => [name, { kind: 'here' }])));
    return page;
  }

  /** A new link, which opens one page. */
  get link(): string {
    return `${this.server.address}#token=${this.server.issueToken().text}`;
  }

  send(message: ServerMessage): void {
    this.#messages.push(message);
    for (const stream of this.#streams) stream.send(message);
  }

  /** What the page shows last. */
  get number(): number {
    return this.#record.number;
  }

  /** Sends control planes, each well if it can be reached. */
  reach(of: Readonly<Record<string, Reach>>, rest: Partial<NodeSummary> = {}): void {
    const [leader = ''] = [...this.#record.summaries.keys(), ...Object.keys(of)];
    const nodes = Object.entries(of).map(([name, reach]): NodeSummary => {
      const known = { stage: 'running', isReady: true, version: 'v1.14.0', cpus: 2 };
      return {
        name,
        reach,
        role: 'controlplane',
        services: ['apid', 'etcd'],
        troubles: [],
        ...(reach.kind === 'here' && { etcd: { ...member, id: name, leader } }),
        ...known,
        ...rest,
      };
    });
    this.#replace(withSummaries(this.#record, nodes, Date.now()), nodes);
  }

  /** Sends how far the upgrade of all nodes is. */
  rollout(state: RolloutState): void {
    this.#replace(withRollout(this.#record, state), []);
  }

  /** Sends what checks have found about the nodes as they are now. */
  health(checks: readonly CheckState[]): void {
    const health = { checks, ofNodes: this.#record.nodesNumber, atMs: Date.now() };
    this.#replace(withHealth(this.#record, health), []);
  }

  #replace(record: ClusterRecord, nodes: readonly NodeSummary[]): void {
    const { number, nodesNumber, health, outages, rollout } = record;
    this.#record = record;
    this.send({ kind: 'snapshot', number, nodesNumber, nodes, health, outages, rollout });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  #open(stream: PageStream) {
    this.#streams.add(stream);
    for (const message of this.#messages) stream.send(message);
    return {
      call: async (name: string, body: unknown) => {
        // What it follows it has got already, but a page takes only what it has asked for.
        if (name === 'subscriptions') {
          for (const message of this.#messages) if (message.kind === 'feed') stream.send(message);
          return undefined;
        }
        this.requests.push({ name, body: body as PageRequest['body'] });
        const answer = this.answers[name];
        if (answer === undefined) throw new Fault('not-found', `the test has no answer for ${name}`);
        return answer(body as PageRequest['body']);
      },
      [Symbol.dispose]: () => void this.#streams.delete(stream),
    };
  }
}
