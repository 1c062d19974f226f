import type { EndpointSet } from '../connection/endpoint-set.ts';
import type { CallOptions } from '../etcd-client.ts';
import { EtcdFault, etcdReasonOf } from '../etcd-fault.ts';

/** Creates a lease without keep-alive. */
export function grant(
  endpoints: EndpointSet,
  ttlSeconds: number,
  options?: CallOptions,
): Promise<{ readonly id: bigint; readonly ttlSeconds: number }> {
  return endpoints.call(
    {
      method: 'Lease/LeaseGrant',
      // If the answer was lost, the first lease expires by itself.
      repeatable: true,
      run: async ({ lease }, attempt) => {
        const { ID: id, TTL } = await lease.leaseGrant({ TTL: BigInt(Math.ceil(ttlSeconds)) }, attempt);
        return { id, ttlSeconds: Number(TTL) };
      },
    },
    options,
  );
}

/** Renews a lease once. Returns its time to live in seconds; 0 when it is over. */
export function renew(
  endpoints: EndpointSet,
  id: bigint,
  { isBackground = false, ...options }: CallOptions & { readonly isBackground?: boolean } = {},
): Promise<number> {
  return endpoints.call(
    {
      isBackground,
      method: 'Lease/LeaseKeepAlive',
      repeatable: true,
      run: async ({ lease }, attempt) => {
        let seconds: number | undefined;
        for await (const { TTL } of lease.leaseKeepAlive(once({ ID: id }), attempt)) seconds = Number(TTL);
        if (seconds === undefined)
          throw new EtcdFault('unavailable', 'etcd did not answer the renewal of a lease');
        return seconds;
      },
    },
    options,
  );
}

/** Ends a lease; no error when it is over already. */
export async function revoke(endpoints: EndpointSet, id: bigint, options?: CallOptions): Promise<void> {
  try {
    await endpoints.call(
      {
        method: 'Lease/LeaseRevoke',
        // Revoking a lease twice has the same effect as once.
        repeatable: true,
        run: async ({ lease }, attempt) => void (await lease.leaseRevoke({ ID: id }, attempt)),
      },
      options,
    );
  } catch (error) {
    if (etcdReasonOf(error) !== 'lease-not-found') throw error;
  }
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}
