import { pause } from '@nodewright/async';
import { slotFolderFiles } from '@nodewright/boot';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import type { SystemRecord } from '../../domain/plan-node-system.ts';
import type { Engine } from '../../engine/index.ts';
import type { NodeSystemPort, Settled } from './settle-node.ts';
import { settleNode } from './settle-node.ts';

/** What is looked at of a node while it tries a system. */
export interface WatchedNode extends NodeSystemPort {
  record(): SystemRecord;
  container(): Promise<{ readonly id: string; readonly isRunning: boolean } | undefined>;
  /** A file below the folder of its slots. */
  read(name: string, mostBytes: number): Promise<Buffer | undefined>;
}

export interface NodeSystemsInit {
  readonly nodes: ReadonlyMap<string, WatchedNode>;
  readonly engine: Pick<Engine, 'ask'>;
  /** How often a system that is tried is looked at, in ms. Default: 10 s. */
  readonly everyMs?: number;
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** How many looks in a row may find no sign of life: two minutes, as for nodes of processes. */
const deafLooks = 12;
const aliveBytes = 64;

/** The systems of the nodes of a cluster that are one container each: their boot loader, and the watchdog of one that is tried. */
export class NodeSystems {
  readonly #init: NodeSystemsInit;
  /** What runs for each node. One pass at a time. */
  readonly #passes = new Map<string, Promise<unknown>>();
  readonly #watched = new Set<string>();

  constructor(init: NodeSystemsInit) {
    this.#init = init;
  }

  knows(service: string): boolean {
    return this.#init.nodes.has(service);
  }

  /** Starts a node with what it has chosen. @throws Fault when the engine does not answer */
  bring(service: string): Promise<Settled> {
    return this.#pass(service, true);
  }

  /** Goes on with what an earlier keeper has begun on nodes that run. It never rejects. */
  async look(): Promise<void> {
    for (const node of this.#init.nodes.keys())
      await this.#pass(node, false).catch((error: unknown) =>
        this.#init.log.warn(
          { node, error: faultFrom(error).message },
          'the systems of a node cannot be read',
        ),
      );
  }

  /** The id of the container of a node. */
  async containerOf(service: string): Promise<string | undefined> {
    return (await this.#init.nodes.get(service)?.container())?.id;
  }

  #pass(service: string, mayStart: boolean): Promise<Settled> {
    const node = this.#init.nodes.get(service);
    if (node === undefined) return Promise.resolve('rest');
    const before = this.#passes.get(service) ?? Promise.resolve();
    const pass = before
      .catch(() => {})
      .then(async () => {
        const settled = await settleNode(node, mayStart, this.#init.signal);
        if (settled === 'lost')
          this.#init.log.error(
            { node: service },
            'the node has neither a container nor an image: create the cluster again',
          );
        if (node.record().trial?.phase === 'tried') void this.#watch(service, node);
        return settled;
      });
    this.#passes.set(service, pass);
    return pass;
  }

  /** Follows a trial until it has ended. It never rejects. */
  async #watch(service: string, node: WatchedNode): Promise<void> {
    const { everyMs = 10_000, signal, engine, log } = this.#init;
    if (this.#watched.has(service)) return;
    this.#watched.add(service);
    let seen: string | undefined;
    let deaf = 0;
    try {
      for (;;) {
        await pause(everyMs, signal);
        if (signal.aborted) return;
        try {
          const { trial } = node.record();
          if (trial === undefined) return;
          const container = await node.container();
          // Its end is an event, which begins the next pass.
          if (container?.isRunning !== true) return;
          await this.#pass(service, false);
          const { trial: left, default: byDefault } = node.record();
          // It may have ended meanwhile, and its trial with it.
          if (left === undefined && byDefault !== trial.slot) return;
          if (left === undefined) return log.info({ node: service }, 'the tried system is confirmed');
          const alive = (await node.read(`${trial.slot}/${slotFolderFiles.alive}`, aliveBytes))?.toString();
          deaf = alive === seen ? deaf + 1 : 0;
          seen = alive;
          if (deaf < deafLooks) continue;
          log.warn({ node: service }, 'the tried system shows no sign of life: it is ended');
          const { code, stderr } = await engine.ask(['kill', container.id]);
          if (code === 0) return;
          log.warn({ node: service, error: stderr.trim().split('\n').at(-1) }, 'it cannot be ended');
        } catch (error) {
          log.warn({ node: service, error: faultFrom(error).message }, 'a trial cannot be looked at');
        }
      }
    } finally {
      this.#watched.delete(service);
    }
  }
}
