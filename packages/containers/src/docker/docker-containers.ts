import { anySignal } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import type Docker from 'dockerode';
import type {
  CallOptions,
  ContainerInfo,
  ContainerStore,
  Labels,
  LogOptions,
  LogProgress,
  NamespaceName,
} from '../container-runtime.ts';
import { containerInfo } from './container-info.ts';
import { containerOptions, surelyStoredLogBytes } from './container-options.ts';
import type { DockerImages } from './docker-images.ts';
import { findNodeContainer } from './node-container.ts';
import type { Engine } from './open-engine.ts';
import { containerLabels, engineName, ownFilter, ownLabels, type Scope } from './ownership.ts';
import { splitOutput } from './split-output.ts';
import { withoutOomScore } from './without-oom-score.ts';

export interface DockerContainersInit {
  readonly engine: Engine;
  readonly scope: Scope;
  readonly namespace: NamespaceName;
  readonly images: Pick<DockerImages, 'idOf'>;
  /** Labels of the node's own container; undefined when the node is the host of the engine. */
  readonly node: Labels | undefined;
  /** Names of labels that are copied from the node's own container to all others of the node. */
  readonly inherited: readonly string[];
}

/** The containers of a node in a shared engine: those with its labels. */
export function createDockerContainers(init: DockerContainersInit): ContainerStore {
  const { engine, scope, namespace } = init;
  // Assumed until a start shows that the engine may not lower the score.
  let mayLowerOomScore = true;

  const find = async (id: string, options?: CallOptions): Promise<ContainerInfo> => {
    const [found] = await listIn(init, options, id);
    if (found === undefined) throw new Fault('not-found', `container "${id}" not found`);
    return found;
  };
  const findRunning = async (id: string, options?: CallOptions): Promise<ContainerInfo> => {
    const found = await find(id, options);
    if (isRunning(found)) return found;
    throw new Fault('failed-precondition', `container "${id}" is not running`);
  };

  return {
    async create(spec, options) {
      checkId(spec.id);
      const what = `cannot create container "${spec.id}"`;
      const imageId = await init.images.idOf(spec.image, options?.signal);
      const node = init.node === undefined ? undefined : await findNodeContainer(engine, init.node, options);
      const created = containerOptions({
        spec: mayLowerOomScore ? spec : { ...spec, oomScoreAdjust: Math.max(spec.oomScoreAdjust ?? 0, 0) },
        name: engineName(scope, namespace, spec.id),
        imageId,
        labels: {
          ...chosen(node?.labels ?? {}, init.inherited),
          ...containerLabels(scope, namespace, spec.id),
          [ownLabels.image]: spec.image,
          [ownLabels.labels]: JSON.stringify(spec.labels ?? {}),
        },
        node,
      });
      await engine.call('containers.create', what, options, (docker, abortSignal) =>
        docker.createContainer({ ...created, abortSignal }),
      );
      return find(spec.id, options);
    },
    get: find,
    async list({ labels = {}, ...options } = {}) {
      const wanted = Object.entries(labels);
      const found = await listIn(init, options);
      return found.filter((info) => wanted.every(([name, value]) => info.labels[name] === value));
    },
    async remove(id, { force = false, ...options } = {}) {
      const found = await find(id, options);
      if (!force && isRunning(found))
        throw new Fault('failed-precondition', `container "${id}" is running: stop it first`);
      await engine.call(
        'containers.remove',
        `cannot remove container "${id}"`,
        options,
        (docker, abortSignal) =>
          docker.getContainer(found.internalId).remove({ force, v: true, abortSignal }),
      );
    },
    async start(id, options) {
      const found = await find(id, options);
      if (isRunning(found)) throw new Fault('failed-precondition', `container "${id}" is running already`);
      try {
        await startTask(init, id, found.internalId, options);
      } catch (error) {
        const replaced = await withoutOomScore(engine, id, found.internalId, error, options);
        mayLowerOomScore = false;
        await startTask(init, id, replaced, options);
      }
      const { task } = await find(id, options);
      // A container that has exited already is started; its pid is of no further use.
      return task !== undefined && 'pid' in task ? task.pid : 0;
    },
    async kill(id, signalName, options) {
      const found = await findRunning(id, options);
      await engine.call(
        'containers.kill',
        `cannot send ${signalName} to container "${id}"`,
        options,
        (docker, abortSignal) =>
          docker.getContainer(found.internalId).kill({ signal: signalName, abortSignal }),
      );
    },
    async wait(id, options) {
      const { internalId, task } = await find(id, options);
      if (task === undefined) throw new Fault('not-found', `container "${id}" was never started`);
      if (task.status !== 'stopped')
        await engine.wait(
          'containers.wait',
          `cannot wait for container "${id}"`,
          options,
          (docker, abortSignal) => docker.getContainer(internalId).wait({ abortSignal }),
        );
      const after = await inspect(init, internalId, options);
      if (after?.task?.status === 'stopped') return after.task.exit;
      throw new Fault('not-found', `container "${id}" no longer has a task that ended`);
    },
    async stats(id, options) {
      const { internalId } = await findRunning(id, options);
      const stats = await engine.call(
        'containers.stats',
        `cannot measure container "${id}"`,
        options,
        (docker, abortSignal) =>
          docker
            .getContainer(internalId)
            .stats({ stream: false, 'one-shot': true, abortSignal } as { stream: false }),
      );
      const { usage = 0, stats: parts } = stats.memory_stats;
      // Version 1 of cgroups has the value for the whole tree under another name.
      const inactive = parts?.total_inactive_file ?? parts?.inactive_file ?? 0;
      return {
        memoryBytes: Math.max(usage - inactive, 0),
        cpuNanoseconds: BigInt(stats.cpu_stats.cpu_usage.total_usage),
      };
    },
    async *logs(id, options) {
      const { internalId } = await find(id, options);
      yield* logsOf(init, id, internalId, options);
    },
  };
}

function startTask(
  { engine }: DockerContainersInit,
  id: string,
  internalId: string,
  options: CallOptions | undefined,
): Promise<void> {
  return engine.call('containers.start', `cannot start container "${id}"`, options, (docker, abortSignal) =>
    docker.getContainer(internalId).start({ abortSignal }),
  );
}

async function* logsOf(
  { engine }: DockerContainersInit,
  id: string,
  internalId: string,
  { follow = false, tailLines, progress, signal }: LogOptions,
): AsyncGenerator<Uint8Array> {
  const what = `cannot read the log of container "${id}"`;
  const left = new AbortController();
  const ends = anySignal(left.signal, signal);
  try {
    const tail = tailLines === undefined || progress !== undefined ? {} : { tail: tailLines };
    const since = sinceOf(progress);
    const stream = await engine.wait('containers.logs', what, { signal: ends }, (docker, abortSignal) =>
      openLog(docker, internalId, { stdout: true, stderr: true, follow, ...tail, ...since }, abortSignal),
    );
    const first = since === undefined ? 0 : progress?.positionBytes;
    yield* progress === undefined ? splitOutput(stream) : behind(splitOutput(stream), progress, first);
  } catch (error) {
    if (signal?.aborted) throw faultFrom(signal.reason);
    if (error instanceof Fault) throw error;
    throw new Fault('unavailable', `${what}: the engine at "${engine.socketPath}" went away`, {
      cause: error,
    });
  } finally {
    left.abort();
  }
}

/**
 * Where a long log is opened again. The engine may have dropped its beginning, and a position would then skip output for
 * days. The time of the last output may repeat or lose a line at the seam, which is better.
 */
function sinceOf(progress: LogProgress | undefined): { readonly since: string } | undefined {
  const { positionBytes = 0, readAtMs } = progress ?? {};
  if (positionBytes <= surelyStoredLogBytes || readAtMs === undefined) return undefined;
  return { since: (readAtMs / 1000).toFixed(3) };
}

/**
 * The engine has no offsets in its logs: what was read before is read again and dropped. `firstBytes` is the position at
 * which the output begins.
 */
async function* behind(
  output: AsyncIterable<Uint8Array>,
  progress: LogProgress,
  firstBytes = 0,
): AsyncGenerator<Uint8Array> {
  let position = firstBytes;
  const from = progress.positionBytes ?? 0;
  for await (const piece of output) {
    const start = Math.min(piece.length, Math.max(0, from - position));
    position += piece.length;
    progress.positionBytes = Math.max(from, position);
    if (start === piece.length) continue;
    progress.readAtMs = Date.now();
    yield piece.subarray(start);
  }
}

/** The client's own call buffers a whole log in memory unless it follows the log. */
function openLog(
  docker: Docker,
  internalId: string,
  options: object,
  abortSignal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { promise, resolve, reject } = Promise.withResolvers<AsyncIterable<Uint8Array>>();
  const request = {
    path: `/containers/${internalId}/logs?`,
    method: 'GET',
    isStream: true,
    statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
    options,
    abortSignal,
  };
  docker.modem.dial(request, (error: unknown, stream: unknown) => {
    if (error) reject(error as Error);
    else resolve(stream as AsyncIterable<Uint8Array>);
  });
  return promise;
}

async function listIn(
  init: DockerContainersInit,
  options: CallOptions | undefined,
  id?: string,
): Promise<ContainerInfo[]> {
  const { engine, scope, namespace } = init;
  const filters = ownFilter(scope, namespace, id);
  const found = await engine.call(
    'containers.list',
    'cannot list containers',
    options,
    (docker, abortSignal) => docker.listContainers({ all: true, filters, abortSignal }),
  );
  const infos = await Promise.all(found.map(({ Id }) => inspect(init, Id, options)));
  return infos.filter((info) => info !== undefined).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Undefined for a container that was removed in the meantime. */
async function inspect(
  { engine }: DockerContainersInit,
  internalId: string,
  options: CallOptions | undefined,
): Promise<ContainerInfo | undefined> {
  try {
    return await engine.call(
      'containers.get',
      'cannot look at a container',
      options,
      async (docker, abortSignal) =>
        containerInfo(
          await docker.getContainer(internalId).inspect({ abortSignal } as Docker.ContainerInspectOptions),
        ),
    );
  } catch (error) {
    if (error instanceof Fault && error.kind === 'not-found') return undefined;
    throw error;
  }
}

function chosen(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => names.includes(name)));
}

function isRunning({ task }: ContainerInfo): boolean {
  return task?.status === 'running' || task?.status === 'paused';
}

function checkId(id: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,75}$/.test(id))
    throw new Fault(
      'invalid-argument',
      `"${id}" is not a valid container id: use letters, digits, ".", "_" and "-"`,
    );
}
