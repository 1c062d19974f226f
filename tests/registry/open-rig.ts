import { join } from 'node:path';
import {
  makeTestImage,
  openTestRegistry,
  type TestImage,
  type TestRegistry,
} from '@nodewright/containers/testing';
import { ensureBusybox } from '../../tools/engine/ensure-busybox.ts';
import { type Registryd, startRegistryd } from '../contract/registryd/harness.ts';

export interface Rig extends AsyncDisposable {
  readonly upstream: TestRegistry;
  readonly registryd: Registryd;
  /** Stored at the upstream registry as `team/app:v1`. */
  readonly image: TestImage;
}

const checkout = join(import.meta.dirname, '..', '..');

/** An image at a registry, and a registryd whose mirror of `registry.example` is that registry. */
export async function openRig(): Promise<Rig> {
  await using scope = new AsyncDisposableStack();
  const upstream = scope.use(await openTestRegistry());
  const image = await makeTestImage({ busybox: ensureBusybox(checkout), paddingBytes: 3_000_000 });
  upstream.put('team/app', 'v1', image.manifest, [image]);
  const registryd = scope.use(await startRegistryd({ mirror: `http://${upstream.host}` }));
  const opened = scope.move();
  return { upstream, registryd, image, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
