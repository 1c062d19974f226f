import type { ReconcilePass } from '@nodewright/controllers';
import { operatorSpecs } from '@nodewright/state/kinds';
import { canonicalAddress } from '../domain/canonical-address.ts';

/** The canonical virtual addresses of the configuration. Callers have the input `weak(operatorSpecs)`. */
export async function declaredVirtualAddresses(pass: ReconcilePass): Promise<Set<string>> {
  const operators = await pass.list(operatorSpecs);
  const addresses = operators.map(({ spec }) => canonicalAddress(spec.vip.ip));
  return new Set(addresses.filter((address) => address !== undefined));
}
