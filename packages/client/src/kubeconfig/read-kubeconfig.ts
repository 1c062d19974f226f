import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { Fault } from '@nodewright/fault';
import { extract } from 'tar-stream';
import type { NodeClient } from '../node-client.ts';
import { printKubeconfig } from './kubeconfig.ts';
import { rebuildKubeconfig } from './rebuild-kubeconfig.ts';

/** A node may send no more, so that a hostile one cannot fill the memory. */
const maxArchiveBytes = 1024 * 1024;
/** A kubeconfig has a few KiB. Of hostile YAML this much takes up to two seconds and 300 MB to parse. */
const maxTextBytes = 128 * 1024;

/**
 * Requests a kubeconfig for an administrator from a control plane. It holds a key. The text is written anew from what
 * `rebuildKubeconfig()` accepts: a hostile node could otherwise run programs on the computer of its administrator, or read
 * files of it. Source: Talos v1.14: Kubeconfig.
 *
 * @throws Fault of the call; `data-loss` for an answer that is no archive with a kubeconfig, or one that says anything else
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
  return printKubeconfig(rebuildKubeconfig(await textOf(unpacked(Buffer.concat(parts))), wrong));
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

const wrong = (what: string) => new Fault('data-loss', `the node sent no archive with a kubeconfig: ${what}`);
