import { isDeepStrictEqual } from 'node:util';
import { ChangeSignal } from '@nodewright/async';
import type { NodeRecord, ReportRequest } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import { listVersion } from '../domain/node-record.ts';
import type { KeptControlPlane, ListedNodes } from '../domain/node-record-store.ts';
import type { Reserved } from '../domain/reserved-names.ts';

/** What the configuration of this node says of names and addresses. */
export interface Declared {
  /** Canonical virtual addresses, which move between nodes. */
  readonly virtual: ReadonlySet<string>;
  readonly reserved: Reserved;
  /** What is reserved until the control planes are known. */
  readonly reservedBeforeList: Reserved;
}

/** Handles the report of another node: keeps its record alive, or throws the Fault that rejects it. */
export type TakeReport = (report: ReportRequest, signal: AbortSignal) => Promise<void>;

/**
 * The records of all live nodes, and the record that this node publishes. Links to the cluster set the
 * records; while no link is connected, the last records stay.
 */
export class NodeRegistry {
  #nodes: readonly NodeRecord[] | undefined;
  #version = '';
  #own: NodeRecord | undefined;
  #declared: Declared | undefined;
  #controlPlanes: readonly KeptControlPlane[] | undefined;
  #memberId: string | undefined;
  #leaving: string | undefined;
  readonly #changed = new ChangeSignal();
  readonly #ownChanged = new ChangeSignal();
  #takeReport: TakeReport | undefined;

  /** The records of the live nodes; `undefined` until the first list has arrived. */
  nodes(): readonly NodeRecord[] | undefined {
    return this.#nodes;
  }

  /** The version of the list of records; empty until the first list has arrived. */
  version(): string {
    return this.#version;
  }

  /** Sets the records of the live nodes, as a link has received them. */
  setNodes(nodes: readonly NodeRecord[]): void {
    const version = listVersion(nodes);
    if (version === this.#version) return;
    this.#nodes = nodes;
    this.#version = version;
    this.#changed.notify();
  }

  /** Resolves at the next change of the records, or when `signal` aborts. */
  nextChange(signal: AbortSignal): Promise<void> {
    return this.#changed.next(signal);
  }

  /**
   * The record that this node publishes; `undefined` until its identity is known, and after it has left the
   * cluster.
   */
  own(): NodeRecord | undefined {
    return this.#own;
  }

  /** The canonical virtual addresses, which move between nodes, from the configuration of this node. */
  virtualAddresses(): ReadonlySet<string> {
    return this.#declared?.virtual ?? new Set();
  }

  /** What the configuration of this node reserves for the control planes; `undefined` until it is known. */
  reserved(): Reserved | undefined {
    return this.#controlPlanes === undefined ? this.#declared?.reservedBeforeList : this.#declared?.reserved;
  }

  declare(declared: Declared): void {
    this.#declared = declared;
  }

  /**
   * The control planes that keep their names and addresses, whether they live or not, as they were read last.
   * Only checks of reports and certificates, and roll-outs, may use them: they are not the members of the cluster.
   */
  controlPlanes(): readonly KeptControlPlane[] {
    return this.#controlPlanes ?? [];
  }

  setControlPlanes(controlPlanes: readonly KeptControlPlane[]): void {
    this.#controlPlanes = controlPlanes;
  }

  /** The last lists of both kinds; `undefined` until the first ones have arrived. */
  listed(): ListedNodes | undefined {
    const [nodes, controlPlanes] = [this.#nodes, this.#controlPlanes];
    return nodes === undefined || controlPlanes === undefined ? undefined : { nodes, controlPlanes };
  }

  /** The id of the etcd member of this node, in hexadecimal; `undefined` while its etcd does not run. */
  memberId(): string | undefined {
    return this.#memberId;
  }

  /** The id of this node when it is being reset, and must not keep its names. */
  leaving(): string | undefined {
    return this.#leaving;
  }

  setMember(member: { readonly memberId: string | undefined; readonly leaving: string | undefined }): void {
    if (member.memberId === this.#memberId && member.leaving === this.#leaving) return;
    this.#memberId = member.memberId;
    this.#leaving = member.leaving;
    this.#ownChanged.notify();
  }

  setOwn(record: NodeRecord | undefined): void {
    if (isDeepStrictEqual(record, this.#own)) return;
    this.#own = record;
    this.#ownChanged.notify();
  }

  /** Resolves when the record of this node changes, or when `signal` aborts. */
  nextOwn(signal: AbortSignal): Promise<void> {
    return this.#ownChanged.next(signal);
  }

  /** Passes reports of other nodes to `take` until the result is disposed. */
  openReports(take: TakeReport): Disposable {
    this.#takeReport = take;
    return {
      [Symbol.dispose]: () => {
        if (this.#takeReport === take) this.#takeReport = undefined;
      },
    };
  }

  /** @throws Fault `unavailable` when this node has no connection to etcd, or the fault that rejects the report */
  async report(report: ReportRequest, signal: AbortSignal): Promise<void> {
    if (this.#takeReport === undefined)
      throw new Fault(
        'unavailable',
        'this control plane has no connection to etcd and cannot keep node records',
      );
    await this.#takeReport(report, signal);
  }
}
