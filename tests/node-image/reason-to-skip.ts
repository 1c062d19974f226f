import { nodeImage } from '@nodewright/build';
import { tryDocker } from '@nodewright/provision/engine';
import { reasonToSkip as reasonWithoutNodes } from '../compose/reason-to-skip.ts';

/** Why whole nodes cannot run on this machine; false when they can. CI must have them. */
export async function reasonToSkip(): Promise<string | false> {
  if (process.env.CI === 'true') return false;
  const reason = await reasonWithoutNodes();
  if (reason !== false) return reason;
  const { code } = await tryDocker(['image', 'inspect', nodeImage]);
  return code === 0 ? false : `the image ${nodeImage} is not there: make node-image`;
}
