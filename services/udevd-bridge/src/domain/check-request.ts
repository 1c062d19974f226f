// The limits of requests. A request over a limit changes nothing.
import { Fault } from '@nodewright/fault';
import { deviceLimits } from './limits.ts';
import type { WantedModule } from './module-policy.ts';
import { isDevicePath } from './parse-message.ts';

const invalid = (text: string) => new Fault('invalid-argument', text);

/** @returns undefined for all subsystems; @throws Fault `invalid-argument` */
export function checkSubsystems(subsystems: readonly string[]): ReadonlySet<string> | undefined {
  if (subsystems.length > deviceLimits.subsystems)
    throw invalid(`${subsystems.length} subsystems, more than ${deviceLimits.subsystems}`);
  const odd = subsystems.find(
    (name) => name.length > deviceLimits.subsystemLength || !/^[\w.-]+$/.test(name) || /^\.+$/.test(name),
  );
  if (odd !== undefined) throw invalid(`${quoted(odd)} is no name of a subsystem`);
  return subsystems.length === 0 ? undefined : new Set(subsystems);
}

/** @throws Fault `invalid-argument` */
export function checkTrigger(action: string, paths: readonly string[]): void {
  if (action !== 'add' && action !== 'change') throw invalid(`action ${quoted(action)} is not add or change`);
  if (paths.length > deviceLimits.triggerPaths)
    throw invalid(`${paths.length} paths, more than ${deviceLimits.triggerPaths}`);
  const odd = paths.find((path) => !path.startsWith('/devices/') || !isDevicePath(path));
  if (odd !== undefined)
    throw invalid(`${quoted(odd)} is no path of a device, such as /devices/virtual/net/lo`);
}

/** @throws Fault `invalid-argument` */
export function checkSettleTimeout(timeoutMs: number): void {
  if (timeoutMs < 1 || timeoutMs > deviceLimits.settleTimeoutMs)
    throw invalid(`timeout_ms is ${timeoutMs}, not 1 to ${deviceLimits.settleTimeoutMs}`);
}

/** @throws Fault `invalid-argument` */
export function checkModule(wanted: WantedModule | undefined): WantedModule {
  if (wanted === undefined) throw invalid('the request names no module and no modalias');
  if ('name' in wanted) {
    if (!/^[A-Za-z0-9_-]+$/.test(wanted.name) || wanted.name.length > deviceLimits.moduleNameLength)
      throw invalid(`${quoted(wanted.name)} is no name of a module`);
  } else if (!/^[\x21-\x7e]+$/.test(wanted.modalias) || wanted.modalias.length > deviceLimits.modaliasLength)
    throw invalid(`${quoted(wanted.modalias)} is no modalias`);
  return wanted;
}

const quoted = (text: string) => JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}...` : text);
