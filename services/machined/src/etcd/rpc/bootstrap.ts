import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import type { Telemetry } from '@nodewright/telemetry';
import { inSpan } from '../../base/host/in-span.ts';
import { type BootstrapInit, bootstrapEtcd } from '../service/bootstrap-etcd.ts';

/** Implements Bootstrap. Source: Talos v1.14: MachineService, control. */
export function createBootstrap(
  init: BootstrapInit,
  telemetry: Telemetry,
): Pick<MachineServiceImplementation, 'bootstrap'> {
  return {
    async bootstrap({ recoverEtcd, recoverSkipHashCheck }) {
      const wish = { recover: recoverEtcd, skipHashCheck: recoverSkipHashCheck };
      await inSpan(telemetry, 'bootstrap etcd', () => bootstrapEtcd(init, wish), {
        attributes: { 'nodewright.etcd.recover': recoverEtcd },
      });
      return { messages: [{}] };
    },
  };
}
