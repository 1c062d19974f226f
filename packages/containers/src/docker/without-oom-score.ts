import type Docker from 'dockerode';
import type { CallOptions } from '../container-runtime.ts';
import type { Engine } from './open-engine.ts';

/**
 * The engine's message when its helper exited without output, which happens when it may not set the score.
 */
const refusedWords = /can't get final child's PID|oom_score_adj/;

/**
 * An engine without the permission to lower `oom_score_adj` cannot start a container with a lower value. The
 * container can run without it, so it is created again. Returns the engine's id of the new one.
 *
 * @param error of the start; thrown again when it has another reason
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
    // A hostname that the engine generated, which is invalid for a container in the network of another one.
    Hostname: '',
    // From the image; the engine refuses it for a container in the network of another one.
    ExposedPorts: undefined,
    name: Name.replace(/^\//, ''),
    HostConfig: { ...HostConfig, OomScoreAdj: 0 },
  } as unknown as Docker.ContainerCreateOptions;
  const created = await engine.call('containers.create', what, options, (docker) =>
    docker.createContainer(again),
  );
  return created.id;
}
