import type { KubePrismEndpoint } from '@nodewright/state/kinds';
import type { OpenKubePrism } from '../controllers/kube-prism.ts';

/** A balancer that does not listen. Its API servers answer as soon as it has any. */
export const createMemoryBalancer: OpenKubePrism = ({ onHealth }) => {
  let used: readonly KubePrismEndpoint[] = [];
  return {
    listen: async ({ port }) => port,
    use(endpoints) {
      const hadAny = used.length > 0;
      used = endpoints;
      if (hadAny !== used.length > 0) onHealth();
    },
    get isHealthy() {
      return used.length > 0;
    },
    async [Symbol.asyncDispose]() {},
  };
};
