import { buildInfo } from '@nodewright/contract';
import { type Controller, shared, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { etcFileSpecs, hostnameStatuses } from '@nodewright/state/kinds';
import { osReleaseFile } from '../domain/os-release.ts';

const mode = 0o644;

/** Writes the specs of two files below `/etc`: the host name, and the name and version of the operating system. */
export function rootFilesController(): Controller {
  return {
    name: 'files.RootFilesController',
    inputs: [weak(hostnameStatuses, hostnameStatuses.singleton)],
    outputs: [shared(etcFileSpecs)],
    async reconcile(pass) {
      const put = (id: string, contents: string) =>
        pass.put({ ...pointerTo(etcFileSpecs, id), spec: { contents, mode, selinux_label: '' } });
      await put('os-release', osReleaseFile(buildInfo.tag));
      const hostname = (await pass.get(pointerTo(hostnameStatuses)))?.spec.hostname;
      // While the host name is missing, the file keeps the last one.
      if (hostname !== undefined) await put('hostname', `${hostname}\n`);
    },
  };
}
