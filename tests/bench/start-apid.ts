import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodePaths } from '@nodewright/contract';
import type { CertificateAndKey } from '@nodewright/pki';
import { spawnDaemon } from '@nodewright/testkit';
import type { BenchNode } from './cluster.ts';
import type { GatewayProcess } from './peers/start-nghttpx.ts';

/** An apid of its own, with the identity and the restrictions of `node`'s, in front of another machined. */
export async function startApid(init: {
  readonly node: BenchNode;
  readonly distFolder: string;
  readonly folder: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly server: CertificateAndKey;
  readonly machinedSocket: string;
}): Promise<GatewayProcess> {
  const { node, distFolder, folder, listen, server, machinedSocket } = init;
  const runtime = JSON.parse(readFileSync(join(node.root, nodePaths.apidRuntime), 'utf8'));
  const runtimeFile = join(folder, 'apid.json');
  const listenAddress = `${listen.host}:${listen.port}`;
  writeFileSync(runtimeFile, JSON.stringify({ ...runtime, listenAddress, server }), { mode: 0o600 });
  const program = join(distFolder, 'apid', 'apid.cjs');
  const readable = [join(distFolder, 'apid'), folder].map((path) => `--allow-fs-read=${path}`);
  const apid = await spawnDaemon({
    name: 'apid',
    program,
    nodeFlags: ['--permission', '--allow-net', ...readable],
    args: ['--runtime-file', runtimeFile, '--machined-socket', machinedSocket],
  });
  try {
    await apid.waitForLine('gateway listens');
    return apid;
  } catch (error) {
    await apid[Symbol.asyncDispose]();
    throw error;
  }
}
