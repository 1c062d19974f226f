import { askEngine, tryDocker } from '@nodewright/provision/engine';
import { etcdImage, jaegerImage, stackImages } from '../../packages/provision/src/domain/stack-document.ts';

/** Tag of the images under test. */
export const testTag = process.env.NODEWRIGHT_TAG ?? 'dev';

/** Why tests with containers cannot run on this machine; false when they can. */
export async function reasonToSkip(): Promise<string | false> {
  const engine = await askEngine();
  if (engine.state !== 'ready') return engine.advice;
  for (const image of [...Object.values(stackImages(testTag)), jaegerImage, etcdImage]) {
    const { code } = await tryDocker(['image', 'inspect', image]);
    if (code !== 0) return `the image ${image} is not there: make images`;
  }
  return false;
}
