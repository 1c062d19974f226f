import { test } from 'node:test';
import { reasonToSkip } from './reason-to-skip.ts';

/** Runs the bodies of `tests/cluster/<name>.test.ts` on nodes that are one container each. */
export async function onNodeImage(name: string): Promise<void> {
  const reason = await reasonToSkip();
  if (reason !== false) {
    test(`${name} on whole nodes`, { skip: reason }, () => {});
    return;
  }
  process.env.TEST_PROVISIONER = 'node-image';
  await import(`../cluster/${name}.test.ts`);
}
