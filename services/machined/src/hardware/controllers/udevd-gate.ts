import type { ReconcilePass } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { services } from '@nodewright/state/kinds';

/** Whether udevd has processed the devices: it is healthy, or it is not one of this node's services. */
export async function isUdevdDone(pass: ReconcilePass, hasUdevd: boolean): Promise<boolean> {
  if (!hasUdevd) return true;
  const udevd = await pass.get(pointerTo(services, 'udevd'));
  return udevd?.spec.running === true && udevd.spec.healthy;
}
