import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import { abstractSocketFor, holdOwnerSocket, type OwnerSocket } from '../cluster/owner-socket.ts';
import { type Ipv4Range, parseRange, routedRanges } from '../domain/ipv4-range.ts';
import { candidateStackSubnets, isFree, parseStackSubnet } from '../domain/stack-subnet.ts';
import { type Subnet, subnetCidr } from '../domain/subnet.ts';
import type { Engine } from '../engine/index.ts';

const pollMs = 100;

/**
 * Held from the choice of addresses and ports until the engine knows them, so that clusters which are made at the same
 * time do not choose the same. Only commands on this host are kept out; the engine refuses what overlaps all the same.
 */
export async function holdPlaceLock(signal: AbortSignal): Promise<OwnerSocket> {
  for (;;) {
    const lock = await holdOwnerSocket(abstractSocketFor('place', 'docker'), () => ({ pid: process.pid }));
    if (lock !== undefined) return lock;
    await sleep(pollMs, undefined, { signal });
  }
}

/**
 * A subnet that no network of the engine has, no route of this host leads to, and no stopped cluster wants back. Throws
 * a Fault `already-exists` when the one that the user asked for is taken.
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
 * A port on 127.0.0.1 for each wish: the wished one if it is free, or any. No container of the engine has them, not
 * even one that is stopped.
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

/** The port stays bound: the next choice gets another. */
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

/** Ports of this host that containers have, or had and get again at their next start. */
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
    // Not a Linux: then no bridge of the engine is on this host either.
    return '';
  }
}
