import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { ports } from '@nodewright/contract';
import type { CertificateAndKey } from '@nodewright/pki';
import {
  apiCertificates,
  apiServiceConfigs,
  apiWaits,
  hostnameStatuses,
  members as memberKind,
  nodeAddresses,
} from '@nodewright/state/kinds';
import { type DaemonProcess, type StateServer, serveState, spawnDaemon } from '@nodewright/testkit';
import { Authority, type Credentials, credentialsOf } from './authority.ts';
import { Backend, type Behaviour } from './backend.ts';
import { Client } from './client.ts';
import { freeLoopbackAddress } from './loopback.ts';

/** The resources with which machined configures apid. */
export interface Runtime {
  readonly listenAddress: string;
  readonly nodeRoutingDisabled: boolean;
  readonly readonlyRoleMode: boolean;
  readonly skipVerifyingClientCert: boolean;
  readonly server: CertificateAndKey;
  readonly client: CertificateAndKey | undefined;
  readonly acceptedCas: readonly string[];
  readonly hostname: string;
  readonly domainname: string;
  readonly addresses: readonly string[];
  readonly members: readonly { readonly hostname: string; readonly addresses: readonly string[] }[];
}

type ApiServiceConfigFlags = Pick<
  Runtime,
  'nodeRoutingDisabled' | 'readonlyRoleMode' | 'skipVerifyingClientCert'
>;

export interface ApidInit {
  /** Changes to the resources that machined would publish. */
  readonly runtime?: Partial<Runtime>;
  /** Gives apid no client certificate, so it cannot forward calls. */
  readonly worker?: boolean;
  /** How this node's machined answers. */
  readonly machined?: Behaviour;
  readonly env?: Readonly<Record<string, string>>;
  /** Names of folders below the test's own, to make paths long. */
  readonly folder?: string;
  /**
   * Listen on apid's standard port instead of a free one, on a loopback address that no other program uses.
   */
  readonly onOwnPort?: boolean;
}

/** apid as a child process, between a scripted machined and scripted peers. */
export class ApidUnderTest implements AsyncDisposable {
  readonly authority: Authority;
  readonly machined: Backend;
  readonly folder: string;
  readonly runtimeSocket: string;
  readonly healthSocket: string;
  /** Address of the listener. */
  readonly host: string;
  readonly #scope = new AsyncDisposableStack();
  #process: DaemonProcess | undefined;
  #state: StateServer;
  #runtime: Runtime;
  #port = 0;

  private constructor(
    authority: Authority,
    machined: Backend,
    folder: string,
    host: string,
    runtime: Runtime,
    state: StateServer,
  ) {
    this.authority = authority;
    this.machined = machined;
    this.folder = folder;
    this.runtimeSocket = state.path;
    this.#state = state;
    this.healthSocket = join(folder, 'health.sock');
    this.host = host;
    this.#runtime = runtime;
  }

  static async start(init: ApidInit = {}): Promise<ApidUnderTest> {
    const apid = await ApidUnderTest.prepare(init);
    await apid.writeRuntime();
    await apid.spawn(init.env);
    await apid.listening();
    return apid;
  }

  /** Starts everything except the state server and the process. */
  static async prepare(init: ApidInit = {}): Promise<ApidUnderTest> {
    const authority = await Authority.create();
    const base = mkdtempSync(join(tmpdir(), 'apid-'));
    const folder = init.folder === undefined ? base : join(base, init.folder);
    mkdirSync(folder, { recursive: true });
    const machined = await Backend.unix(join(folder, 'machined.sock'), init.machined);
    const host = init.onOwnPort === true ? await freeLoopbackAddress() : '127.0.0.1';
    const client = init.worker === true ? undefined : await authority.impersonator();
    const runtime: Runtime = {
      nodeRoutingDisabled: false,
      readonlyRoleMode: false,
      skipVerifyingClientCert: false,
      listenAddress: `${host}:${init.onOwnPort === true ? ports.apid : 0}`,
      server: await authority.server('node01', '127.0.0.1', host),
      client,
      acceptedCas: [authority.certificate],
      hostname: 'node01',
      domainname: 'cluster.test',
      addresses: [host],
      members: [{ hostname: 'node01', addresses: [host] }],
      ...init.runtime,
    };
    const state = await serveState(join(folder, 'runtime.sock'));
    const apid = new ApidUnderTest(authority, machined, folder, host, runtime, state);
    apid.#scope.defer(() => apid.#state[Symbol.asyncDispose]());
    apid.#scope.defer(() => rmSync(base, { recursive: true, force: true }));
    apid.#scope.use(machined);
    return apid;
  }

  get process(): DaemonProcess {
    if (this.#process === undefined) throw new Error('apid was not started');
    return this.#process;
  }

  get port(): number {
    return this.#port;
  }

  get runtime(): Runtime {
    return this.#runtime;
  }

  async spawn(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const args = [
      ...['--runtime-socket', this.runtimeSocket],
      ...['--machined-socket', join(this.folder, 'machined.sock')],
      ...['--health-socket', this.healthSocket],
    ];
    this.#process = this.#scope.use(await spawnDaemon({ name: 'apid', args, env }));
  }

  /** Waits until apid has started to listen `times` times, and takes the port from its log. */
  async listening(times = 1): Promise<void> {
    const lines = await this.logged('gateway listens', times);
    this.#port = Number(lines.at(-1)?.port);
  }

  /** Waits for this number of log lines with a message and returns them. */
  async logged(message: string, count = 1): Promise<Record<string, unknown>[]> {
    const found = () => this.process.lines().filter(({ msg }) => msg === message);
    await this.eventually(`${count} lines "${message}"`, () => found().length >= count);
    return found();
  }

  /** Changes the published resources. Members can only be added. */
  async writeRuntime(changes: Partial<Runtime> = {}): Promise<void> {
    this.#runtime = { ...this.#runtime, ...changes };
    const { server, client, acceptedCas, hostname, domainname, addresses, members, ...config } =
      this.#runtime;
    const pem = ({ certificate, key }: CertificateAndKey) => ({ crt: certificate, key });
    for (const member of members) {
      await this.#state.put(memberKind, member.hostname, {
        ...{ ...member, nodeId: '', machineType: 'worker', operatingSystem: '', controlPlane: undefined },
      });
    }
    await this.#state.put(hostnameStatuses, 'hostname', { hostname, domainname });
    const current = addresses.map((address) => `${address}/32`);
    await this.#state.put(nodeAddresses, 'current', { addresses: current, sortAlgorithm: 'v1' });
    await this.#state.put(apiCertificates, 'api', {
      server: pem(server),
      client: client && pem(client),
      acceptedCAs: acceptedCas.map((crt) => ({ crt })),
      skipVerifyingClientCert: config.skipVerifyingClientCert,
    });
    await this.#state.put(apiServiceConfigs, 'apid', config);
  }

  /** Changes the serving configuration, and keeps the certificates. */
  async writeConfig(config: ApiServiceConfigFlags): Promise<void> {
    const { listenAddress } = this.#runtime;
    await this.#state.put(apiServiceConfigs, 'apid', { listenAddress, ...config });
  }

  /** Publishes why this node has no certificate of its cluster. */
  writeWait(reason: string): Promise<void> {
    return this.#state.put(apiWaits, 'apid', { reason });
  }

  /** Ends the wait for a certificate. */
  removeWait(): Promise<void> {
    return this.#state.remove(apiWaits, 'apid');
  }

  /** Removes the serving configuration. */
  removeConfig(): Promise<void> {
    return this.#state.remove(apiServiceConfigs, 'apid');
  }

  /** Removes the certificates. */
  removeCertificates(): Promise<void> {
    return this.#state.remove(apiCertificates, 'api');
  }

  /** Stops the state server, as the end of machined does. */
  async stopState(): Promise<void> {
    await this.#state[Symbol.asyncDispose]();
  }

  /** Starts the state server of a new machined, which has no resources yet. */
  async restartState(): Promise<void> {
    this.#state = await serveState(this.runtimeSocket);
  }

  /** Options of a TLS connection to apid, with a certificate for these roles. */
  async tls(...roles: string[]): Promise<ConnectionOptions> {
    return this.tlsWith(await this.authority.client(...roles));
  }

  tlsWith(credentials: Partial<Credentials>): ConnectionOptions {
    return { host: this.host, port: this.#port, ca: this.authority.certificate, ...credentials };
  }

  /** A connected client, `os:admin` by default. It is closed with the test. */
  async client(...roles: string[]): Promise<Client> {
    return this.#scope.use(
      await Client.connect(await this.tls(...(roles.length > 0 ? roles : ['os:admin']))),
    );
  }

  /**
   * Adds another node: a member of the cluster at an address of its own, with a certificate for its name and
   * address.
   */
  async peer(name: string, behave?: Behaviour): Promise<Peer> {
    const address = await freeLoopbackAddress();
    const credentials = credentialsOf(await this.authority.server(name, address));
    const listen = () => Backend.tls(address, ports.apid, credentials, this.authority.certificate, behave);
    const peer: Peer = { name, address, credentials, backend: this.#scope.use(await listen()), listen };
    await this.addMember(name, address);
    return peer;
  }

  /** Publishes a node to apid and waits until apid routes to it. */
  async addMember(hostname: string, address: string): Promise<void> {
    const members = [...this.#runtime.members, { hostname, addresses: [address] }];
    await this.writeRuntime({ members });
    await this.eventually(`${hostname} as a member`, () =>
      this.process
        .lines()
        .some((line) => line.msg === 'identity in force' && line.members === members.length),
    );
  }

  /** Waits until a condition holds; throws with apid's output when that takes too long. */
  async eventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (let waitedMs = 0; !(await isSo()); waitedMs += 10) {
      if (waitedMs > 60_000) {
        throw new Error(`${what} did not come:\n${this.process.stdout()}${this.process.stderr()}`);
      }
      await delay(10);
    }
  }

  /** Closes a resource of the test together with apid. */
  use<T extends Disposable | AsyncDisposable>(thing: T): T {
    return this.#scope.use(thing);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#scope.disposeAsync();
  }
}

export interface Peer {
  readonly name: string;
  readonly address: string;
  readonly credentials: Credentials;
  readonly backend: Backend;
  /** Starts the same node again after its backend was closed. */
  listen(): Promise<Backend>;
}
