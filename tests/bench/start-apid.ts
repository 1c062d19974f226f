import { join } from 'node:path';
import { nodePaths } from '@nodewright/contract';
import type { CertificateAndKey } from '@nodewright/pki';
import { spawnDaemon } from '@nodewright/testkit';
import type { BenchNode } from './cluster.ts';
import { copyRuntime } from './copy-runtime.ts';
import type { GatewayProcess } from './peers/start-peer.ts';

/** As machined starts it: without these, an apid keeps more memory after load. */
const memoryFlags = ['--max-semi-space-size=2'];
const memoryFiles = ['/proc/self/smaps', '/proc/self/statm'];

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
  const runtimeSocket = join(folder, 'apid.sock');
  const listenAddress = `${listen.host}:${listen.port}`;
  await using undo = new AsyncDisposableStack();
  const runtime = await copyRuntime(join(node.root, nodePaths.apidRuntimeSocket), runtimeSocket, {
    listenAddress,
    server,
  });
  undo.use(runtime);
  const program = join(distFolder, 'apid', 'apid.cjs');
  const readable = [join(distFolder, 'apid'), folder, ...memoryFiles].map(
    (path) => `--allow-fs-read=${path}`,
  );
  const apid = await spawnDaemon({
    name: 'apid',
    program,
    nodeFlags: [...memoryFlags, '--permission', '--allow-net', '--allow-ffi', ...readable],
    args: ['--runtime-socket', runtimeSocket, '--machined-socket', machinedSocket],
  });
  undo.use(apid);
  await apid.waitForLine('gateway listens');
  const scope = undo.move();
  return { pid: apid.pid, [Symbol.asyncDispose]: () => scope.disposeAsync() };
}
