import { faultFrom } from '@nodewright/fault';

const loopback = 'lo';

/** Sets a parameter of the kernel. @throws Error of Node.js */
export type SetParameter = (path: string, value: string) => void;

export interface LinkParameters {
  /** Why a link must stay down, by its name. */
  readonly obstacles: ReadonlyMap<string, string>;
  /** What failed for the other links, in one line each. */
  readonly problems: readonly string[];
}

/**
 * Prepares a machine for links that come up. No link takes addresses or routes from the advertisements of routers: any neighbour can send
 * them. `network.AdvertisementController` switches them on for the links that something brings up. A link for which they cannot be
 * switched off stays down.
 * When an IPv4 address is removed, the others of its network stay: by itself the kernel removes those that were added later.
 */
export function setLinkParameters(names: readonly string[], setParameter: SetParameter): LinkParameters {
  const problems: string[] = [];
  const obstacles = new Map<string, string>();
  const failure = (path: string, value: string) => failureOf(setParameter, path, value);
  const promotion = failure('/proc/sys/net/ipv4/conf/all/promote_secondaries', '1');
  if (promotion !== undefined) problems.push(`addresses of one network depend on each other: ${promotion}`);
  // Links that appear later have the value of `default`, which goes first, so that none is missed.
  for (const name of ['default', ...names.filter((each) => each !== loopback)]) {
    const reason = failure(`/proc/sys/net/ipv6/conf/${name}/accept_ra`, '0');
    if (reason === undefined) continue;
    const text = `advertisements of routers cannot be refused: ${reason}`;
    if (name === 'default') problems.push(`for links that appear later, ${text}`);
    else obstacles.set(name, `its ${text}`);
  }
  return { obstacles, problems };
}

function failureOf(setParameter: SetParameter, path: string, value: string): string | undefined {
  try {
    setParameter(path, value);
    return undefined;
  } catch (error) {
    // A kernel without IPv6, and a link without it.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : faultFrom(error).message;
  }
}
