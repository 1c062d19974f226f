import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ConnectionOptions, connect } from 'node:tls';

/** Every group that a server of this project accepts, and those that OpenSSL would accept besides. */
export const tlsGroups = {
  accepted: ['X25519MLKEM768', 'X25519', 'P-256', 'P-384'],
  refused: ['X448', 'P-521', 'ffdhe2048', 'ffdhe3072'],
} as const;

/**
 * The groups among `tlsGroups` with which a client that offers nothing else gets the server's certificate.
 * `openssl s_client` is asked where this machine has it and it knows the group, otherwise Node.js.
 */
export async function groupsAccepted(at: ConnectionOptions & { host: string; port: number }) {
  const accepted: string[] = [];
  for (const group of [...tlsGroups.accepted, ...tlsGroups.refused]) {
    const answer = (await byOpenssl(at, group)) ?? (await byNode(at, group));
    if (answer) accepted.push(group);
  }
  return accepted;
}

/** `undefined` without the program, or with one that does not know the group. */
async function byOpenssl(at: { host: string; port: number }, group: string): Promise<boolean | undefined> {
  const args = ['s_client', '-connect', `${at.host}:${at.port}`, '-tls1_3', '-groups', group];
  const child = spawn('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  try {
    await once(child, 'close');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (/BEGIN CERTIFICATE/.test(output)) return true;
  if (/alert handshake failure/.test(output)) return false;
  if (/-groups/.test(output)) return undefined;
  throw new Error(`openssl ${args.join(' ')}\n${output}`);
}

async function byNode(at: ConnectionOptions, group: string): Promise<boolean> {
  const socket = connect({ ALPNProtocols: ['h2'], ...at, rejectUnauthorized: false, ecdhCurve: group });
  // A server may refuse this client after the handshake.
  socket.on('error', () => {});
  try {
    await once(socket, 'secureConnect');
    return true;
  } catch (error) {
    if (/HANDSHAKE_FAILURE/.test((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  } finally {
    socket.destroy();
  }
}
