import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { blockSymlinks, services } from '@nodewright/state/kinds';
import { lookAgainMs } from './device-changes.ts';
import { isUdevdDone } from './udevd-gate.ts';

export interface SymlinksInit {
  /** Returns the links to each device, sorted, by the name of the device. */
  readonly readDeviceLinks: () => ReadonlyMap<string, readonly string[]>;
  /** Watches the folders with links until it is disposed of; undefined when there is nothing to watch. */
  readonly watchDeviceLinks: (onChange: () => void) => Disposable | undefined;
  /** Whether udevd, which makes the links, is one of the node's services. */
  readonly hasUdevd: boolean;
}

/** The links to block devices that udevd makes. Source: Talos v1.14: block.SymlinksController. */
export function symlinksController(init: SymlinksInit): Controller {
  const { readDeviceLinks, watchDeviceLinks, hasUdevd } = init;
  let wake = () => {};
  let watch: Disposable | undefined;
  // The folders are created by the first links in them, so each pass watches those that there are by now.
  const watchAnew = () => {
    watch?.[Symbol.dispose]();
    watch = watchDeviceLinks(wake);
    return watch !== undefined;
  };
  return {
    name: 'block.SymlinksController',
    inputs: [weak(services, 'udevd')],
    outputs: [exclusive(blockSymlinks)],
    open(source, scope) {
      wake = () => source.wake();
      scope.defer(() => watch?.[Symbol.dispose]());
    },
    async reconcile(pass) {
      // While udevd processes all devices, hundreds of links change.
      if (!(await isUdevdDone(pass, hasUdevd))) return;
      pass.wakeAfter(watchAnew() ? 10 * lookAgainMs : lookAgainMs);
      await pass.replace(
        blockSymlinks,
        [...readDeviceLinks()].map(([id, paths]) => ({ id, spec: { paths } })),
      );
    },
  };
}
