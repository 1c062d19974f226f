import { type Controller, exclusive, strong } from '@nodewright/controllers';
import { Fault } from '@nodewright/fault';
import {
  isSameValue,
  parameterPath,
  parameterStatus,
  parameterValue,
  setParameterStatus,
  type WantedParameter,
} from '@nodewright/node-files';
import {
  type KernelParamStatusSpec,
  kernelParamDefaultSpecs,
  kernelParamSpecs,
  kernelParamStatuses,
} from '@nodewright/state/kinds';
import type { ReadIfThere } from '../../base/domain/read-if-there.ts';

/** Sets a kernel parameter. @throws Error of Node.js */
export type WriteParameter = (path: string, value: string) => void;

/** Errors of a parameter that will not take its earlier value later either. */
const lastingCodes: ReadonlySet<string> = new Set(['ENOENT', 'EINVAL', 'EPERM', 'EACCES']);

/**
 * Publishes the kernel parameters that the node wants, and sets them on a machine of its own. A parameter that is wanted no
 * more gets the value that it had before.
 *
 * @param write undefined on a node that shares its kernel
 */
export function kernelParamSpecController(read: ReadIfThere, write?: WriteParameter): Controller {
  /** The values before the node has set the parameters, by id. */
  const originals = new Map<string, string>();
  const currentOf = (id: string) => {
    const text = read(parameterPath(id))?.toString();
    return text === undefined ? undefined : parameterValue(id, text);
  };

  /** @returns the status; a text says why the parameter could not be set */
  function set(id: string, { value, ignoreErrors }: WantedParameter, setValue: WriteParameter) {
    const before = currentOf(id);
    const original = originals.get(id) ?? before;
    if (before === undefined) {
      const status = setParameterStatus(undefined, undefined);
      return ignoreErrors ? { status } : { status, failure: `${id}: the kernel has no such parameter` };
    }
    if (isSameValue(before, value)) return { status: setParameterStatus(before, original) };
    try {
      setValue(parameterPath(id), value);
      originals.set(id, original ?? before);
    } catch (error) {
      const { code = String(error) } = error as NodeJS.ErrnoException;
      return { status: setParameterStatus(before, original), failure: `${id} = ${value}: ${code}` };
    }
    return { status: setParameterStatus(currentOf(id), original) };
  }

  /** @returns what could not be restored, and why. What may succeed later is tried again in the next pass. */
  function restoreOthers(wanted: ReadonlyMap<string, unknown>, setValue: WriteParameter): string[] {
    const failures: string[] = [];
    for (const [id, original] of originals) {
      if (wanted.has(id)) continue;
      try {
        setValue(parameterPath(id), original);
        originals.delete(id);
      } catch (error) {
        const { code = String(error) } = error as NodeJS.ErrnoException;
        // The parameter has gone with its device or module, or goes only one way until the next start.
        if (lastingCodes.has(code)) originals.delete(id);
        if (code !== 'ENOENT') failures.push(`${id} = ${original}: ${code}`);
      }
    }
    return failures;
  }

  return {
    name: 'runtime.KernelParamSpecController',
    inputs: [strong(kernelParamDefaultSpecs), strong(kernelParamSpecs)],
    outputs: [exclusive(kernelParamStatuses)],
    async reconcile(pass) {
      // Values of the configuration come later and override the defaults.
      const specs = [...(await pass.list(kernelParamDefaultSpecs)), ...(await pass.list(kernelParamSpecs))];
      const wanted = new Map(
        specs
          .filter(({ metadata }) => metadata.phase === 'running')
          .map(({ metadata, spec }) => [metadata.id, spec]),
      );
      const failures = write === undefined ? [] : restoreOthers(wanted, write);
      const statusOf = (id: string, spec: WantedParameter): KernelParamStatusSpec => {
        if (write === undefined) return parameterStatus(spec.value, currentOf(id));
        const { status, failure } = set(id, spec, write);
        if (failure !== undefined) failures.push(failure);
        return status;
      };
      await pass.replace(
        kernelParamStatuses,
        // Read one by one during the output, because a configuration may have thousands.
        wanted.entries().map(([id, spec]) => ({ id, spec: statusOf(id, spec) })),
      );
      if (failures.length > 0)
        throw new Fault('failed-precondition', `kernel parameters cannot be set: ${failures.join(', ')}`);
    },
  };
}
