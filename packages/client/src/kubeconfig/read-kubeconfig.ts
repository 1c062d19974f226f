import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { Fault } from '@nodewright/fault';
import { extract } from 'tar-stream';
import type { NodeClient } from '../node-client.ts';
import { parseKubeconfig } from './kubeconfig.ts';

/** A node may send no more, so that a hostile one cannot fill the memory. */
const maxArchiveBytes = 1024 * 1024;
const maxTextBytes = 4 * 1024 * 1024;

/**
 * Requests a kubeconfig for an administrator from a control plane. It holds a key. Source: Talos v1.14: Kubeconfig.
 *
 * @throws Fault of the call; `data-loss` for an answer that is no archive with a kubeconfig, or one that makes kubectl run
 * programs
 */
export async function readKubeconfig(
  node: Pick<NodeClient, 'machine'>,
  signal: AbortSignal,
): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const { bytes } of node.machine.kubeconfig({}, { signal })) {
    length += bytes.length;
    if (length > maxArchiveBytes) throw wrong(`it is larger than ${maxArchiveBytes} bytes`);
    parts.push(bytes);
  }
  const text = await textOf(unpacked(Buffer.concat(parts)));
  refusePrograms(text);
  return text;
}

function unpacked(archive: Buffer): Buffer {
  try {
    return gunzipSync(archive, { maxOutputLength: maxTextBytes });
  } catch {
    throw wrong('it cannot be decompressed');
  }
}

async function textOf(tar: Buffer): Promise<string> {
  const entries = extract();
  Readable.from([tar]).pipe(entries);
  try {
    for await (const entry of entries) {
      if (entry.header.name !== 'kubeconfig' || entry.header.type !== 'file') {
        entry.resume();
        continue;
      }
      const parts: Buffer[] = [];
      for await (const part of entry) parts.push(part as Buffer);
      return Buffer.concat(parts).toString();
    }
  } catch {
    // Upstream's archive lacks its end, which is reported only after the entry has been read.
  }
  throw wrong('it has no file kubeconfig');
}

/** A hostile node could otherwise run programs on the computer of its administrator. */
function refusePrograms(text: string): void {
  const { users } = parseKubeconfig(text, 'the answer');
  const [program] = users.filter(
    ({ user }) => typeof user === 'object' && user !== null && ('exec' in user || 'auth-provider' in user),
  );
  if (program !== undefined) throw wrong('its credentials come from a program, which a node must not choose');
}

const wrong = (what: string) => new Fault('data-loss', `the node sent no archive with a kubeconfig: ${what}`);
