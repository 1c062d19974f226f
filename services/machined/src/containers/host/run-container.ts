import type { ContainerSpec, RuntimeNamespace } from '@nodewright/containers';
import { Fault } from '@nodewright/fault';
import { ensureImage } from './container-runner.ts';
import { createWhenFree, removeLeftover } from './create-when-free.ts';

/** Limits how many lines of output are read; the last lines matter most. */
const outputLines = 1000;
/** A container that is not removed in time is removed before the next run. */
const removeTimeoutMs = 60_000;

/**
 * Runs a container to its end, removes it and returns its output.
 *
 * @param name of the program, for the text of a failure
 * @throws Fault `internal` with the last line of the output; `cancelled`; the errors of the runtime
 */
export async function runContainer(
  name: string,
  namespace: RuntimeNamespace,
  spec: ContainerSpec,
  signal: AbortSignal,
): Promise<string> {
  const { containers } = namespace;
  const { id } = spec;
  await ensureImage(namespace, spec.image, signal);
  // A leftover container of a machined that was killed.
  await removeLeftover(containers, id, signal);
  await using _container = {
    // Its output is what counts.
    [Symbol.asyncDispose]: () =>
      removeLeftover(containers, id, AbortSignal.timeout(removeTimeoutMs)).catch(() => {}),
  };
  await createWhenFree(containers, spec, signal);
  await containers.start(id, { signal });
  const { code } = await containers.wait(id, { signal });
  const parts: Uint8Array[] = [];
  for await (const part of containers.logs(id, { tailLines: outputLines, signal })) parts.push(part);
  const said = Buffer.concat(parts).toString();
  if (code === 0) return said;
  throw new Fault('internal', `${name}: ${said.trimEnd().split('\n').at(-1) || `exit code ${code}`}`);
}
