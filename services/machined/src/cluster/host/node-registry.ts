import { isDeepStrictEqual } from 'node:util';
import { ChangeSignal } from '@nodewright/async';
import type { NodeRecord, ReportRequest } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import { listVersion } from '../domain/node-record.ts';

/** Takes the report of another node: keeps its record alive, or throws the Fault that says why not. */
export type TakeReport = (report: ReportRequest, signal: AbortSignal) => Promise<void>;

/**
 * What this node knows of the nodes that live, and has to tell of itself. Links to the cluster fill it; what was known
 * stays while there is none.
 */
export class NodeRegistry {
  #nodes: readonly NodeRecord[] | undefined;
  #version = '';
  #own: NodeRecord | undefined;
  #virtual: ReadonlySet<string> = new Set();
  readonly #changed = new ChangeSignal();
  readonly #ownChanged = new ChangeSignal();
  #takeReport: TakeReport | undefined;

  /** Undefined until the cluster has told for the first time. */
  nodes(): readonly NodeRecord[] | undefined {
    return this.#nodes;
  }

  /** Of the nodes; empty while nothing is known. */
  version(): string {
    return this.#version;
  }

  /** What the cluster tells. */
  learn(nodes: readonly NodeRecord[]): void {
    const version = listVersion(nodes);
    if (version === this.#version) return;
    this.#nodes = nodes;
    this.#version = version;
    this.#changed.notify();
  }

  /** Resolves at the next change of the nodes, or when `signal` aborts. */
  nextChange(signal: AbortSignal): Promise<void> {
    return this.#changed.next(signal);
  }

  /** Undefined until this node knows who it is, and when it is no node of the cluster any more. */
  own(): NodeRecord | undefined {
    return this.#own;
  }

  /** Canonical addresses that move between nodes, as the configuration of this node declares them. */
  virtualAddresses(): ReadonlySet<string> {
    return this.#virtual;
  }

  declareVirtual(addresses: ReadonlySet<string>): void {
    this.#virtual = addresses;
  }

  tellOwn(record: NodeRecord | undefined): void {
    if (isDeepStrictEqual(record, this.#own)) return;
    this.#own = record;
    this.#ownChanged.notify();
  }

  /** Resolves when this node has to tell something else of itself, or when `signal` aborts. */
  nextOwn(signal: AbortSignal): Promise<void> {
    return this.#ownChanged.next(signal);
  }

  /** From now on reports of other nodes go there, until it is disposed. */
  openReports(take: TakeReport): Disposable {
    this.#takeReport = take;
    return {
      [Symbol.dispose]: () => {
        if (this.#takeReport === take) this.#takeReport = undefined;
      },
    };
  }

  /** @throws Fault `unavailable` when this node cannot keep records now, or that of the link */
  async report(report: ReportRequest, signal: AbortSignal): Promise<void> {
    if (this.#takeReport === undefined)
      throw new Fault('unavailable', 'this control plane has no etcd to keep node records in');
    await this.#takeReport(report, signal);
  }
}
