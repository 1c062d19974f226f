import { connect } from 'node:tls';
import { ports } from '@nodewright/contract';
import { frameHeadBytes, frameTypes } from '../wire/frame.ts';
import type { Credentials, ServerAddress } from '../wire/raw-connection.ts';
import type { AttackCheck } from './check.ts';

const kinds = ['foreign-admin', 'expired-admin', 'server-admin', undefined] as const;
/** The bytes before the debug data of a GOAWAY: last stream id and error code. */
const goAwayHeadBytes = 8;

export const refusedCertificates: AttackCheck = {
  name: 'refused-certificates',
  what: 'the holder of a certificate that is refused learns why, by an alert of TLS or by a GOAWAY',
  async run({ target }) {
    const server = { host: target.entry.address, port: ports.apid };
    const seen: string[] = [];
    const problems: string[] = [];
    for (const kind of kinds) {
      const credentials = kind === undefined ? undefined : target.certificates[kind];
      const name = kind ?? 'no certificate';
      const reason = await reasonOfRefusal(server, credentials);
      seen.push(`${name}: ${reason ?? 'no reason'}`);
      if (reason === undefined) problems.push(`${name} is refused without a reason`);
    }
    return { summary: seen.join('; '), problems };
  },
};

/**
 * The TLS alert, or the text of the GOAWAY, with which the server ends the connection; `undefined` when it
 * only closes.
 */
function reasonOfRefusal(
  server: ServerAddress,
  credentials: Credentials | undefined,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({
      ...server,
      rejectUnauthorized: false,
      ...(credentials && { cert: credentials.certificate, key: credentials.key }),
      ALPNProtocols: ['h2'],
    });
    const chunks: Buffer[] = [];
    socket.setTimeout(10_000, () => socket.destroy());
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code?.includes('ALERT')) resolve(code);
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', () => resolve(goAwayText(Buffer.concat(chunks))));
  });
}

function goAwayText(bytes: Buffer): string | undefined {
  for (let start = 0; start + frameHeadBytes <= bytes.length; ) {
    const body = start + frameHeadBytes;
    const end = body + bytes.readUIntBE(start, 3);
    if (bytes.readUInt8(start + 3) === frameTypes.goAway) {
      return bytes.subarray(body + goAwayHeadBytes, end).toString('utf8') || undefined;
    }
    start = end;
  }
  return undefined;
}
