import type { ServicesTopic } from '../../services/open-services.ts';

/** What topics need of the services of the node to add their own. */
export const processesOf = ({ manager, guard, cgroups }: ServicesTopic) => ({
  ...{ services: manager, guard, cgroups },
});
