import type { Api } from '../wire/api.ts';
import { CallFailure, codes } from '../wire/call-failure.ts';
import { machine } from '../wire/methods.ts';

/** No node has this address. */
export const deadNode = '127.255.255.254';
const patienceMs = 5000;

/** Whether the endpoint forwards calls to other nodes, as control planes do. A worker refuses at once. */
export async function forwardsCalls(api: Api): Promise<boolean> {
  const call = api.with({ node: deadNode }).unary(machine.version, {}, { deadlineMs: patienceMs });
  return await call.then(
    () => true,
    (error: unknown) => !(error instanceof CallFailure && error.code === codes.permissionDenied),
  );
}
