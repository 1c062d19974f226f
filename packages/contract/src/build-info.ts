declare const BUILD_SHA: string | undefined;
declare const BUILD_TIME: string | undefined;

/**
 * What this build is. `tag` is the upstream line that the wire is compatible with: clients parse it as a semantic
 * version and choose calls by it. The bundler fills in `sha` and `built`; from source they say so.
 */
export const buildInfo = {
  tag: 'v1.14.0',
  sha: typeof BUILD_SHA === 'string' ? BUILD_SHA : 'source',
  built: typeof BUILD_TIME === 'string' ? BUILD_TIME : '',
} as const;
