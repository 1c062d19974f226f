import type Docker from 'dockerode';
import type { CallOptions } from '../container-runtime.ts';
import type { Engine } from './open-engine.ts';

/** How an engine says that its helper ended before it said anything, as it does when the score is refused to it. */
const refusedWords = /can't get final child's PID|oom_score_adj/;

/**
 * An engine that lacks the right to lower the score by which the kernel chooses its victims cannot start a container that
 * is to have a lower one. That is no reason not to run it: it is made again, without. Yields the engine's id of the new one.
 *
 * @param error of the start; thrown again when the reason is another
 */
export async function withoutOomScore(
  engine: Engine,
  id: string,
  internalId: string,
  error: unknown,
  options: CallOptions | undefined,
): Promise<string> {
  if (!(error instanceof Error) || !refusedWords.test(error.message)) throw error;
  const what = `cannot create container "${id}"`;
  const { Name, Config, HostConfig } = await engine.call('containers.get', what, options, (docker) =>
    docker.getContainer(internalId).inspect(),
  );
  if ((HostConfig.OomScoreAdj ?? 0) >= 0) throw error;
  await engine.call('containers.remove', what, options, (docker) =>
    docker.getContainer(internalId).remove({ force: true }),
  );
  const again = {
    ...Config,
    // The engine gave it a name of its own making, which belongs to nobody in another's network.
    Hostname: '',
    // Of the image; it has no meaning in another's network, and is refused.
    ExposedPorts: undefined,
    name: Name.replace(/^\//, ''),
    HostConfig: { ...HostConfig, OomScoreAdj: 0 },
  } as unknown as Docker.ContainerCreateOptions;
  const created = await engine.call('containers.create', what, options, (docker) =>
    docker.createContainer(again),
  );
  return created.id;
}
