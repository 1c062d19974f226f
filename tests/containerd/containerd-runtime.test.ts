// The containerd driver passes the suite of container runtimes, on a real containerd with runc.
import { join } from 'node:path';
import { type RuntimeHost, testContainerRuntime } from '@nodewright/containers/conformance';
import { openContainerdRuntime } from '@nodewright/containers/containerd';
import { noTelemetry } from '@nodewright/telemetry';
import { ensureBusybox } from '../../tools/engine/ensure-busybox.ts';
import { noContainerd, startContainerd } from './start-containerd.ts';

const checkout = join(import.meta.dirname, '..', '..');

async function openHost({ diskBytes }: { readonly diskBytes?: number } = {}): Promise<RuntimeHost> {
  const containerd = await startContainerd({ rootSizeBytes: diskBytes });
  const { socketPath, logFolder, runcRoot, cgroupRoot } = containerd;
  return {
    openRuntime: () =>
      openContainerdRuntime({ socketPath, logFolder, runcRoot, cgroupRoot, telemetry: noTelemetry }),
    crash: containerd.kill,
    restart: containerd.restart,
    [Symbol.asyncDispose]: () => containerd[Symbol.asyncDispose](),
  };
}

testContainerRuntime({
  name: 'containerd',
  skip: noContainerd,
  busybox: async () => ensureBusybox(checkout),
  openHost,
});
