import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import { holdOwnerSocket } from '../cluster/owner-socket.ts';
import { type Ipv4Range, parseRange, routedRanges } from '../domain/ipv4-range.ts';
import { candidateStackSubnets, isFree, parseStackSubnet } from '../domain/stack-subnet.ts';
import { type Subnet, subnetCidr } from '../domain/subnet.ts';
import type { Engine } from '../engine/index.ts';

const pollMs = 100;
/** How long another command may take to choose. */
const patienceMs = 30_000;
/** All users of the host share the engine, so they share this name in the abstract socket namespace. */
const placeSocket = '\0nodewright/place/docker';

/**
 * Takes the lock that a command holds from the choice of addresses and ports until the engine has reserved
 * them. Two commands on this host can then not choose the same ones. For commands on other hosts, the engine
 * itself rejects a subnet that overlaps. Any user can bind the name and keep it, so it only orders commands that behave:
 * after half a minute (`patience`, milliseconds) the choice is made without it.
 */
export async function holdPlaceLock(
  signal: AbortSignal,
  { path = placeSocket, patience = patienceMs } = {},
): Promise<AsyncDisposable> {
  const deadline = performance.now() + patience;
  for (;;) {
    const lock = await holdOwnerSocket({ path }, () => ({ pid: process.pid }));
    if (lock !== undefined) return lock;
    if (performance.now() > deadline) return { async [Symbol.asyncDispose]() {} };
    await sleep(pollMs, undefined, { signal });
  }
}

/**
 * Chooses a subnet that overlaps with no network of the engine, no route of this host and no other cluster.
 * Throws a Fault `already-exists` when the subnet that the user requested is taken.
 */
export async function chooseSubnet(
  engine: Engine,
  wanted: string | undefined,
  reserved: ReadonlySet<string>,
): Promise<Subnet> {
  const taken = [...(await engineRanges(engine)), ...routedRanges(readRoutes()), ...rangesOf(reserved)];
  if (wanted !== undefined) {
    const subnet = parseStackSubnet(wanted);
    if (isFree(subnet, taken)) return subnet;
    throw new Fault(
      'already-exists',
      `${subnetCidr(subnet)} is taken by a network of the engine or of this host`,
    );
  }
  const [subnet] = candidateStackSubnets(taken, 1);
  if (subnet === undefined)
    throw new Fault('resource-exhausted', 'no /24 of 10.5.0.0 to 10.68.255.0 is free');
  return subnet;
}

/**
 * Chooses one port on 127.0.0.1 per wish: the wished port if it is free, otherwise any free port. A port of a
 * stopped container is not free.
 */
export async function chooseHostPorts(
  engine: Engine,
  wishes: readonly (number | undefined)[],
): Promise<number[]> {
  const taken = await promisedPorts(engine);
  const servers: Server[] = [];
  try {
    const ports: number[] = [];
    for (const wish of wishes) ports.push(await choosePort(wish, taken, servers));
    return ports;
  } finally {
    for (const server of servers) server.close();
  }
}

/** Keeps the port bound, so that the next choice gets another one. */
async function choosePort(
  wish: number | undefined,
  taken: ReadonlySet<number>,
  servers: Server[],
): Promise<number> {
  let port = wish === undefined || taken.has(wish) ? 0 : wish;
  for (;;) {
    const server = await bind(port);
    port = 0;
    if (server === undefined) continue;
    servers.push(server);
    const address = server.address();
    const bound = typeof address === 'object' && address !== null ? address.port : 0;
    if (!taken.has(bound)) return bound;
  }
}

function bind(port: number): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined);
      else reject(error);
    });
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(server));
  });
}

/**
 * Returns the host ports of all containers, including stopped ones, which bind their ports again when they
 * start.
 */
async function promisedPorts(engine: Engine): Promise<Set<number>> {
  const ids = (await engine.run(['ps', '--all', '--quiet'])).split(/\s+/).filter((id) => id !== '');
  if (ids.length === 0) return new Set();
  const format = '{{range .HostConfig.PortBindings}}{{range .}}{{.HostPort}} {{end}}{{end}}';
  const { stdout } = await engine.ask(['container', 'inspect', '--format', format, ...ids]);
  return new Set(stdout.split(/\s+/).map(Number));
}

async function engineRanges(engine: Engine): Promise<Ipv4Range[]> {
  const ids = (await engine.run(['network', 'ls', '--quiet'])).split(/\s+/).filter((id) => id !== '');
  const format = '{{range .IPAM.Config}}{{.Subnet}} {{end}}';
  const { stdout } = await engine.ask(['network', 'inspect', '--format', format, ...ids]);
  return rangesOf(stdout.split(/\s+/));
}

function rangesOf(cidrs: Iterable<string>): Ipv4Range[] {
  return [...cidrs].map(parseRange).filter((range) => range !== undefined);
}

function readRoutes(): string {
  try {
    return readFileSync('/proc/net/route', 'utf8');
  } catch {
    // This host does not run Linux, so it is on none of the engine's networks.
    return '';
  }
}
