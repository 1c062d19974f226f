import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTunnel } from './gateway/open-tunnel.ts';
import { Authority, startGateway, type TestGateway } from './gateway/start-gateway.ts';
import { startInteropServer } from './peers/start-interop-server.ts';

/** grpc-go's test server behind two gateways: behind the first one alone, and behind the first and the second. */
export interface Rig extends AsyncDisposable {
  readonly folder: string;
  readonly near: TestGateway;
  readonly far: TestGateway;
  /** A gateway without client certificates, in front of the same server. */
  readonly open: TestGateway;
  /** A unix socket for clients that cannot present a certificate to `near`. */
  readonly tunnel: string;
}

export async function openRig(): Promise<Rig> {
  await using undo = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'interop-'));
  undo.defer(() => rmSync(folder, { recursive: true, force: true }));
  const [backend, tunnel] = [join(folder, 'server.sock'), join(folder, 'tunnel.sock')];
  const authority = await Authority.create();
  undo.use(await startInteropServer(backend));
  const start = async (name: string, more: { isOpen?: boolean; next?: TestGateway }) =>
    undo.use(await startGateway({ authority, folder: join(folder, name), backend, ...more }));
  const far = await start('far', {});
  const near = await start('near', { next: far });
  const open = await start('open', { isOpen: true });
  undo.use(await openTunnel(tunnel, near.tls));
  const scope = undo.move();
  return { folder, near, far, open, tunnel, [Symbol.asyncDispose]: () => scope.disposeAsync() };
}
