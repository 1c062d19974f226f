import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchCluster } from './cluster.ts';
import type { LoadTarget } from './load/load-job.ts';
import type { Nghttpx } from './peers/find-nghttpx.ts';
import { type GoProxy, startGoProxy } from './peers/go-proxy.ts';
import { startNghttpx } from './peers/start-nghttpx.ts';
import { startApid } from './start-apid.ts';

/** A gateway next to the nodes' own: its address and its process. */
export interface Gateway {
  readonly target: LoadTarget;
  readonly host: string;
  readonly port: number;
  readonly pid: number;
}

type Backend = { readonly path: string } | { readonly host: string; readonly port: number };

/** Starts gateways in the range of a cluster. They stop with `scope`. */
export class GatewayStarter {
  readonly #cluster: BenchCluster;
  readonly #workspace: string;
  readonly #scope: AsyncDisposableStack;
  #count = 0;

  constructor(cluster: BenchCluster, workspace: string, scope: AsyncDisposableStack) {
    this.#cluster = cluster;
    this.#workspace = workspace;
    this.#scope = scope;
  }

  async nghttpx(program: Nghttpx, backend: Backend): Promise<Gateway> {
    const { host, port, server } = await this.#cluster.reserveGateway();
    const { ca, client } = this.#cluster;
    const folder = this.#folder();
    const process = await startNghttpx({
      program,
      folder,
      listen: { host, port },
      backend,
      ca,
      server,
      client,
    });
    this.#scope.use(process);
    return { target: this.#cluster.target(host, port), host, port, pid: process.pid };
  }

  /** The Go proxy in front of a node's socket. */
  async goProxy(program: GoProxy, backend: string): Promise<Gateway> {
    const { host, port, server } = await this.#cluster.reserveGateway();
    const { ca } = this.#cluster;
    const listen = { host, port };
    const process = await startGoProxy({ program, folder: this.#folder(), listen, backend, ca, server });
    this.#scope.use(process);
    return { target: this.#cluster.target(host, port), host, port, pid: process.pid };
  }

  /** An apid with the first node's identity, in front of another machined. */
  async apid(machinedSocket: string): Promise<Gateway> {
    const { host, port, server } = await this.#cluster.reserveGateway();
    const [node] = this.#cluster.nodes;
    if (node === undefined) throw new Error('the cluster has no node');
    const process = await startApid({
      node,
      distFolder: this.#cluster.distFolder,
      folder: this.#folder(),
      listen: { host, port },
      server,
      machinedSocket,
    });
    this.#scope.use(process);
    return { target: this.#cluster.target(host, port), host, port, pid: process.pid };
  }

  #folder(): string {
    this.#count += 1;
    const folder = join(this.#workspace, `gateway-${this.#count}`);
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  }
}
