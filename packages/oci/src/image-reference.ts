import { Fault } from '@nodewright/fault';
import { isDigest } from './digest.ts';

/** The name of an image: its registry, its repository, and its tag or digest. */
export interface ImageReference {
  /** Host with an optional port: `registry.example:5000`. */
  readonly registry: string;
  /** Path in the registry: `team/app`. */
  readonly repository: string;
  readonly tag?: string;
  /** Takes precedence over the tag. */
  readonly digest?: string;
}

const hub = 'docker.io';
const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const repositoryForm = new RegExp(`^${component}(?:/${component})*$`);
const registryForm =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9-]+)*|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/;
const tagForm = /^\w[\w.-]{0,127}$/;
/** Registry and repository together. Source: OCI distribution specification, pulling manifests. */
const nameLimit = 255;

/** Whether the text is the host of a registry, with an optional port. */
export const isRegistry = (text: string) => text.length <= nameLimit && registryForm.test(text);
/** Whether the text is the path of a repository in its registry. */
export const isRepository = (text: string) => text.length <= nameLimit && repositoryForm.test(text);
export const isTag = (text: string) => tagForm.test(text);

/**
 * Parses a reference. The default registry is Docker Hub; without tag and digest the tag is `latest`.
 *
 * @throws Fault `invalid-argument`
 */
export function parseImageReference(text: string): ImageReference {
  const [named = '', digest, ...more] = text.split('@');
  const lastSlash = named.lastIndexOf('/');
  const colon = named.indexOf(':', lastSlash + 1);
  const path = colon < 0 ? named : named.slice(0, colon);
  const tag = colon < 0 ? undefined : named.slice(colon + 1);
  const { registry, repository } = splitRegistry(path);
  const isValid =
    more.length === 0 &&
    isRegistry(registry) &&
    isRepository(repository) &&
    registry.length + repository.length <= nameLimit &&
    (tag === undefined || isTag(tag)) &&
    (digest === undefined || isDigest(digest));
  if (!isValid)
    throw new Fault(
      'invalid-argument',
      `"${text}" is not an image reference such as "registry.example/app:v1"`,
    );
  const whichTag = tag ?? (digest === undefined ? 'latest' : undefined);
  return {
    registry,
    repository,
    ...(whichTag === undefined ? {} : { tag: whichTag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** The complete reference: `docker.io/library/busybox:latest` for `busybox`. */
export function formatImageReference({ registry, repository, tag, digest }: ImageReference): string {
  const which = `${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
  return `${registry}/${repository}${which}`;
}

/** The first part is the registry when it looks like a host or cannot be part of a repository. */
function splitRegistry(path: string): Pick<ImageReference, 'registry' | 'repository'> {
  const slash = path.indexOf('/');
  const first = path.slice(0, Math.max(slash, 0));
  const isHost = slash > 0 && (/[.:A-Z[]/.test(first) || first === 'localhost');
  const registry = isHost ? first : hub;
  const repository = isHost ? path.slice(slash + 1) : path;
  if (registry === hub || registry === 'index.docker.io')
    return { registry: hub, repository: repository.includes('/') ? repository : `library/${repository}` };
  return { registry, repository };
}
