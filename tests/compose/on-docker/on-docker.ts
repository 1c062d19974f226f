import { test } from 'node:test';
import { reasonToSkip } from '../reason-to-skip.ts';

/** Runs the bodies of `tests/cluster/<name>.test.ts` on a cluster of containers. */
export async function onDocker(name: string): Promise<void> {
  const reason = await reasonToSkip();
  if (reason !== false) {
    test(`${name} on docker`, { skip: reason }, () => {});
    return;
  }
  process.env.TEST_PROVISIONER = 'docker';
  await import(`../../cluster/${name}.test.ts`);
}
